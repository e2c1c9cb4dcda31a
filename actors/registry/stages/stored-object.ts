/** What is there, as an attempt finds it. */
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { conflict, notFound } from '../../../api/meta/status.ts';
import { failedPrecondition } from '../../../api/options/preconditions.ts';
import { parsedInParts, parsedObject } from '../../../projections/objects/stored-object.ts';
import type { WrittenObject } from '../../../projections/objects/written-object.ts';
import { writtenValue } from '../../../projections/objects/written-values.ts';
import { statusAnswer } from '../../request/answer.ts';
import { inSlices, LARGE_BYTES } from '../../request/large-work.ts';
import type { Stage } from '../stage.ts';
import {
  type HasAttempt,
  type HasCandidate,
  type HasExisting,
  type HasKey,
  type HasStored,
  noted,
  type Received,
} from '../write.ts';

type Unseen = Received & HasKey & HasAttempt;

/** A new one at each call; a large one is parsed in slices. */
export function readStored(stored: WrittenObject): MaybePromise<KubeObject> {
  const isLarge = stored.json.length >= LARGE_BYTES;
  return isLarge ? inSlices(parsedInParts(stored)) : parsedObject(stored);
}

/**
 * Waits until a webhook has converted what is stored. Meanwhile another client may have written the
 * object, which then is to be converted as well.
 */
export const convertStored: Stage<Unseen, Unseen> = {
  name: 'convert what is stored',
  run(write, { conversion }) {
    if (conversion === undefined) return write;
    const ready = conversion.ready(write.key);
    if (!(ready instanceof Promise)) return ready === undefined ? write : statusAnswer(ready);
    return (async () => {
      for (let problem = await ready; ;) {
        if (problem !== undefined) return statusAnswer(problem);
        const again = conversion.ready(write.key);
        if (again === undefined) return write;
        problem = await again;
      }
    })();
  },
};

/**
 * Notes the object of the key, or that there is none: which of both is good is for later stages.
 */
export const lookUp: Stage<Unseen, Unseen & HasStored> = {
  name: 'look up',
  run(write, { objects }) {
    const { resource, path } = write.key;
    const stored = objects.get(resource, path);
    if (stored === undefined) return noted(write, { stored, old: undefined });
    // A small patch of a large object is as much work as all of the object.
    const sizeBytes = Math.max(write.sizeBytes, stored.json.length);
    return andThen(writtenValue(stored) ?? readStored(stored), (old) =>
      noted(write, { stored, old, sizeBytes }),
    );
  },
};

/** 404 where nothing is. */
export const refuseMissing: Stage<Unseen & HasStored, Unseen & HasExisting> = {
  name: 'refuse what is missing',
  run(write) {
    const { stored, old, served, request } = write;
    if (stored === undefined || old === undefined) {
      return statusAnswer(notFound(served.facts, request.info.name));
    }
    return noted(write, { stored, old });
  },
};

type Compared = Unseen & HasStored & HasCandidate;

/** An object that says its uid is meant to be that one. */
export const checkUid: Stage<Compared, Compared> = {
  name: 'check uid',
  run(write) {
    const { uid = '' } = write.candidate.metadata;
    const wanted = uid === '' ? undefined : { uid, resourceVersion: undefined };
    const failed = failedPrecondition(wanted, write.old?.metadata ?? {});
    if (failed === undefined) return write;
    return statusAnswer(conflict(write.served.facts, write.request.info.name, failed));
  },
};
