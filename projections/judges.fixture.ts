/** For tests of verdicts: the same log judged in every way in which servers and tools judge one. */
import { isChange, type LoggedEvent } from '../streams/event.ts';
import { NO_CUTS } from '../streams/log-cuts.ts';
import { resourceVersion } from '../streams/resource-version.ts';
import { Arbiter, type Verdict } from './fold/arbiter.ts';
import { VersionTable } from './fold/live-versions.ts';
import { MemoryObjectStore } from './store/memory-object-store.ts';
import { ObjectView } from './objects/object-view.ts';
import { storedObject } from './objects/stored-object.ts';
import { EventJudge } from './past/event-judge.ts';

/** As a tool does it that keeps no objects. */
export function byTable(events: readonly LoggedEvent[]): Verdict[] {
  const table = new VersionTable();
  const arbiter = new Arbiter(new Map(), table);
  return events.map((event) => {
    const verdict = arbiter.judge(event);
    if (verdict === 'effective') table.note(event);
    return verdict;
  });
}

/** As a server does it that was started anew, from its store, at each of these places. */
export function byViews(events: readonly LoggedEvent[], restarts: ReadonlySet<number>): Verdict[] {
  let objects = new ObjectView();
  let arbiter = new Arbiter(new Map(), objects);
  return events.map((event, index) => {
    if (restarts.has(index)) {
      const again = new ObjectView();
      const loaded = resourceVersion(index);
      again.beginAt(loaded);
      for (const [resource, those] of objects.resources()) {
        for (const object of those.inOrder('')) again.of(resource).set(object, loaded);
      }
      arbiter = new Arbiter(arbiter.writers, again);
      objects = again;
    }
    const verdict = arbiter.judge(event);
    if (verdict === 'effective' && isChange(event)) {
      const { resource, path, type, resourceVersion: version } = event;
      if (type === 'deleted') objects.of(resource).delete(path, version);
      else objects.of(resource).set(storedObject(event), version);
    }
    return verdict;
  });
}

/** As a tool does it that has an index up to somewhere. */
export function byIndex(
  events: readonly LoggedEvent[],
  verdicts: readonly Verdict[],
  upTo: number,
) {
  const store = new MemoryObjectStore();
  const known = events.slice(0, upTo);
  const writers = new Map<string, number>();
  for (const { writer, sequence } of known) {
    writers.set(writer, Math.max(sequence, writers.get(writer) ?? 0));
  }
  const effective = known.filter((_, index) => verdicts[index] === 'effective').filter(isChange);
  const applied = resourceVersion(upTo);
  store.record(effective, { applied, writers, time: 0 });
  const judge = new EventJudge(store, NO_CUTS, true);
  return events.map((event) => judge.judge(event));
}
