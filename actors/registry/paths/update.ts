/**
 * PUT: replaces an object, or a part of it that a subresource stands for.
 *
 * In Kubernetes: updateHandler, apiserver/pkg/endpoints/handlers/update.go, and Store.Update.
 */
import { notFound } from '../../../api/meta/status.ts';
import { parseUpdateOptions, type UpdateOptions } from '../../../api/options/options.ts';
import { statusAnswer } from '../../request/answer.ts';
import { type Stage, stages, whetherStored, writePath } from '../stage.ts';
import { allocateReplacement } from '../stages/allocate.ts';
import { dropOwners, mutateReplacement, validateObject } from '../stages/admit.ts';
import { authorizeCreate, keyOfUrl, placeAtUrl, takeSent } from '../stages/place-object.ts';
import { decodeObject, readBody } from '../stages/decode-object.ts';
import { encodeReplacement } from '../stages/encode.ts';
import { intoStorageVersion, manageFields, setDefaults } from '../stages/manage-fields.ts';
import {
  checkVersion,
  prepareReplacement,
  rulesOfUrl,
  warnOfReplacement,
  type HasRules,
} from '../stages/prepare.ts';
import { convertChange, proposeReplacement } from '../stages/propose.ts';
import { showObjects } from '../objects/dry-run.ts';
import { checkUid, convertStored, lookUp } from '../stages/stored-object.ts';
import {
  type HasAttempt,
  type HasChange,
  type HasExisting,
  type HasKey,
  type HasObject,
  type HasOptions,
  type HasShowing,
  type HasStored,
  noted,
  type Received,
  type WriteOptions,
} from '../write.ts';
import { CREATING } from './create.ts';

export const updateOptions: Stage<Received, Received & HasOptions<UpdateOptions>> = {
  name: 'options',
  run(write) {
    const parsed = parseUpdateOptions(write.request.query);
    return parsed.ok ? noted(write, { options: parsed.options }) : statusAnswer(parsed.status);
  },
};

type Found = Received & HasKey & HasAttempt & HasStored;

/** 404 where nothing is, unless the kind lets a PUT make its objects. */
const refuseUncreatable: Stage<Found, Found> = {
  name: 'refuse what cannot be created',
  run(write) {
    const { request, served, stored } = write;
    const { info } = request;
    const mayCreate = served.definition.strategy.allowsCreateOnUpdate && info.subresource === '';
    return stored !== undefined || mayCreate
      ? write
      : statusAnswer(notFound(served.facts, info.name));
  },
};

/** From a candidate with its managers to what the log is told in the place of what is there. */
export const REPLACING = [
  mutateReplacement,
  dropOwners,
  checkVersion,
  allocateReplacement,
  prepareReplacement,
  warnOfReplacement,
  validateObject,
  encodeReplacement,
  proposeReplacement,
  convertChange,
] as const;

export type Replaceable = Received &
  HasOptions<WriteOptions> &
  HasShowing &
  HasKey &
  HasRules &
  HasAttempt &
  HasStored &
  HasObject;

/** Creates what is not there, as far as the client may, and else replaces it. */
export const createOrReplace = whetherStored<Replaceable, Replaceable & HasChange>(
  stages<Replaceable & { stored: undefined; old: undefined }>()(authorizeCreate, ...CREATING),
  stages<Replaceable & HasExisting>()(...REPLACING),
);

export const UPDATE = writePath('update')
  .once(updateOptions, showObjects, rulesOfUrl, readBody, decodeObject, keyOfUrl)
  .eachAttempt(
    convertStored,
    takeSent,
    placeAtUrl,
    lookUp,
    refuseUncreatable,
    checkUid,
    setDefaults,
    manageFields,
    intoStorageVersion,
    createOrReplace,
  );
