/** From an object as the client means it to what could be stored: defaults, managers, version. */
import { managedUpdate } from '../../../api/managed-fields/field-manager.ts';
import { formatTime, type Clock } from '../../../api/meta/clock.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { restOf } from '../../request/large-work.ts';
import { shownAs, toStorage } from '../objects/candidate.ts';
import {
  managedResource,
  managerOf,
  withEntries,
  type ManagedEntries,
} from '../objects/managed-fields.ts';
import { slicedStage, waitingStage } from '../stage.ts';
import {
  type HasCandidate,
  type HasObject,
  type HasOptions,
  type HasStored,
  noted,
  type Received,
  type WriteOptions,
} from '../write.ts';

type Meant = Received & HasCandidate;

/** Sets the defaults of the kind in the version of the request. */
export const setDefaults = slicedStage<Meant, Meant, unknown>('set defaults', {
  work: ({ served, candidate }) => served.setDefaults?.(candidate),
  take: (write) => write,
});

type Unmanaged = Meant & HasStored & HasOptions<Pick<WriteOptions, 'fieldManager'>>;

/** Enters which manager wrote which field. */
export const manageFields = waitingStage<Unmanaged, Unmanaged, ManagedEntries>('manage fields', {
  find: (write, { clock }) => managersOf(write, clock, write),
  take(write, managed) {
    withEntries(write.candidate, managed);
    return write;
  },
});

/** The managers of the candidate, with the author of this write entered for each field it sets. */
export function managersOf(
  write: Received & HasOptions<Pick<WriteOptions, 'fieldManager'>>,
  clock: Clock,
  { candidate, old }: HasCandidate & Pick<HasStored, 'old'>,
): MaybePromise<ManagedEntries> {
  const { served, request, sizeBytes } = write;
  return managedUpdate(managedResource(served, request.info.subresource), {
    live: old === undefined ? undefined : shownAs(served, old),
    object: candidate,
    manager: managerOf(write),
    now: formatTime(clock.now()),
    rest: restOf(sizeBytes),
  });
}

/** Converts built-in kinds; custom ones are converted at the end, by `convert for the log`. */
export const intoStorageVersion = slicedStage<Meant, Meant & HasObject, KubeObject>(
  'into storage version',
  {
    work: ({ served, candidate }) =>
      served.conversion === undefined ? candidate : toStorage(served, candidate),
    take: (write, object) => noted(write, { object }),
  },
);
