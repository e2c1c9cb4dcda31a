/**
 * The index of a log that has none beside it: folded from the log, in memory, and gone with the
 * process. It knows versions, not objects.
 */
import { isChange, type CommittedEvent, type LoggedChange } from '../../streams/event.ts';
import type { EventReader } from '../../streams/event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { MemoryObjectStore } from '../objects/memory-object-store.ts';
import { storedObject } from '../objects/stored-object.ts';
import { EventJudge } from './event-judge.ts';

/** @param progress told now and then how far the fold has come. */
export async function foldedStore(
  log: EventReader,
  upTo: ResourceVersion,
  signal: AbortSignal,
  progress: (version: ResourceVersion) => void = nothing,
): Promise<MemoryObjectStore> {
  const store = new MemoryObjectStore();
  if (upTo === 0) return store;
  const judge = new EventJudge(store, log.cuts(), true);
  const folded = new MemoryObjectStore();
  folded.adoptCuts(log.cuts());
  const first = resourceVersion(1);
  for await (const batch of log.read(first, signal)) {
    const known = batch.filter((event) => event.resourceVersion <= upTo);
    const effective = known.filter((event) => judge.judge(event) === 'effective').filter(isChange);
    const last = batch.at(-1)?.resourceVersion ?? first;
    const applied = last > upTo ? upTo : last;
    const time = known.reduce((latest, event) => Math.max(latest, event.time), 0);
    folded.record(effective.map(committed), { applied, writers: judge.writers, time });
    if (last >= upTo) break;
    progress(applied);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return folded;
}

function committed(event: LoggedChange): CommittedEvent {
  const { resource, path, type, resourceVersion: version } = event;
  return {
    resource,
    path,
    type,
    resourceVersion: version,
    // Made when it is asked for, which the store never does.
    get object() {
      return storedObject(event);
    },
    previous: undefined,
  };
}

function nothing(): void {
  // Nobody wants to know.
}
