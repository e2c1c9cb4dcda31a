/**
 * PATCH with an apply configuration: server-side apply. What a manager wants of an object is merged
 * into it field by field; what it wanted before and does not want any more goes; what others manage
 * is a conflict, unless it forces it. Where there is no object, one is made of it.
 *
 * In Kubernetes: applyPatcher, apiserver/pkg/endpoints/handlers/patch.go.
 */
import { conflict, notFound } from '../../../api/meta/status.ts';
import { statusAnswer } from '../../request/answer.ts';
import { fromStorage } from '../objects/candidate.ts';
import { managedResource } from '../objects/managed-fields.ts';
import { keepUnique, uniqueOwners, type UniqueOwners } from '../objects/owner-references.ts';
import { slicedStage, type Stage, waitingStage, writePath } from '../stage.ts';
import { intoStorageVersion, setDefaults } from '../stages/manage-fields.ts';
import {
  appliedObject,
  type AppliedObject,
  applyOptions,
  decodeConfiguration,
  type HasConfiguration,
} from '../stages/read-configuration.ts';
import { keyOfUrl, placeAtUrl } from '../stages/place-object.ts';
import { rulesOfUrl } from '../stages/prepare.ts';
import { readBody } from '../stages/decode-object.ts';
import { showObjects } from '../objects/dry-run.ts';
import { convertStored, lookUp } from '../stages/stored-object.ts';
import { type HasCandidate, type HasStored, noted, type Received } from '../write.ts';
import { createOrReplace } from './update.ts';

type Applicable = Received & HasConfiguration & HasStored;

/** A subresource has nothing of its own that could be created. */
const refuseSubresource: Stage<Applicable, Applicable> = {
  name: 'refuse the subresource of nothing',
  run(write) {
    const { stored, served, request } = write;
    const { subresource, name } = request.info;
    const isThere = stored !== undefined || subresource === '';
    return isThere ? write : statusAnswer(notFound(served.facts, name));
  },
};

const mergeConfiguration = waitingStage<Applicable, Applicable & HasCandidate, AppliedObject>(
  'merge',
  {
    find(write, context) {
      const { request, served, stored } = write;
      const resource = managedResource(served, request.info.subresource);
      const live = stored === undefined ? undefined : fromStorage(served, stored);
      return appliedObject(context, write, resource, live);
    },
    take: (write, result) =>
      result.ok ? noted(write, { candidate: result.object }) : statusAnswer(result.status),
  },
);

type Merged = Applicable & HasCandidate;

/** 409 for a configuration of an object that is gone. */
const refuseUid: Stage<Merged, Merged> = {
  name: 'refuse the uid of nothing',
  run(write) {
    const { served, request, stored, candidate } = write;
    const { uid = '' } = candidate.metadata;
    if (stored !== undefined || uid === '') return write;
    const why = `the provided object specified uid ${uid}, and no existing object was found`;
    return statusAnswer(conflict(served.facts, request.info.name, `uid mismatch: ${why}`));
  },
};

const dropOwners = slicedStage<Merged, Merged, UniqueOwners | undefined>('drop duplicate owners', {
  work: ({ candidate }) => uniqueOwners(candidate),
  take(write, owners) {
    keepUnique(write.request, write.candidate, { owners, foundIn: 'result' });
    return write;
  },
});

export const APPLY = writePath('apply')
  .once(applyOptions, showObjects, rulesOfUrl, readBody, decodeConfiguration, keyOfUrl)
  .eachAttempt(
    convertStored,
    lookUp,
    refuseSubresource,
    mergeConfiguration,
    refuseUid,
    placeAtUrl,
    dropOwners,
    setDefaults,
    intoStorageVersion,
    createOrReplace,
  );
