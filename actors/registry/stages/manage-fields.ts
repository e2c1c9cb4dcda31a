/** From an object as the client means it to what could be stored: defaults, managers, version. */
import { managedUpdate } from '../../../api/managed-fields/field-manager.ts';
import { formatTime, type Clock } from '../../../api/meta/clock.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { doneInSlices, restOf } from '../../request/large-work.ts';
import { shownAs, toStorage } from '../objects/candidate.ts';
import { managedResource, managerOf, withEntries } from '../objects/managed-fields.ts';
import { noted, type Stage } from '../stage.ts';
import type {
  HasCandidate,
  HasObject,
  HasOptions,
  HasStored,
  Received,
  WriteOptions,
} from '../write.ts';

type Meant = Received & HasCandidate;

export const setDefaults: Stage<Meant, Meant> = {
  name: 'set defaults',
  run(write) {
    const { served, candidate, sizeBytes } = write;
    return andThen(
      doneInSlices(sizeBytes, () => served.setDefaults?.(candidate)),
      () => write,
    );
  },
};

type Unmanaged = Meant & HasStored & HasOptions<Pick<WriteOptions, 'fieldManager'>>;

/** Enters who wrote which field. */
export const manageFields: Stage<Unmanaged, Unmanaged> = {
  name: 'manage fields',
  run(write, { clock }) {
    const entered = enterManagers(write, clock, write);
    return entered instanceof Promise ? entered.then(() => write) : write;
  },
};

/** Enters in the candidate who wrote which of its fields. */
export function enterManagers(
  write: Received & HasOptions<Pick<WriteOptions, 'fieldManager'>>,
  clock: Clock,
  { candidate, old }: HasCandidate & Pick<HasStored, 'old'>,
): MaybePromise<KubeObject> {
  const { served, request, sizeBytes } = write;
  const entries = managedUpdate(managedResource(served, request.info.subresource), {
    live: old === undefined ? undefined : shownAs(served, old),
    object: candidate,
    manager: managerOf(write),
    now: formatTime(clock.now()),
    rest: restOf(sizeBytes),
  });
  return andThen(entries, (managed) => withEntries(candidate, managed));
}

export const intoStorageVersion: Stage<Meant, Meant & HasObject> = {
  name: 'into storage version',
  run: (write) => noted(write, { object: toStorage(write.served, write.candidate) }),
};
