/** Control planes and forks of them, over logs and stores in memory or on disk. */
import type { EventType, ProposedEvent } from '../../streams/event.ts';
import type { EventLog } from '../../streams/event-log.ts';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { FEW_BYTES, givenEvent } from '../given.fixture.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { MemoryObjectStore } from '../store/memory-object-store.ts';
import type { FateReads, ObjectStore } from '../store/object-history.ts';
import { ObjectView } from '../objects/object-view.ts';
import { viewsOver, type FoldedLog, type Views } from '../views.ts';

export type OwnStore = ObjectStore & FateReads;

export interface Plane extends Views<EventLog> {
  /** A new one over the same log and the same store, which goes on. */
  again(objects?: ObjectView): Promise<Plane>;
  /** Resolves when the events are folded. */
  append(events: readonly ProposedEvent[]): Promise<void>;
}

export async function startPlane(parts: FoldedLog<EventLog>): Promise<Plane> {
  const views = viewsOver(parts, new ManualClock(), { warmBytesMax: FEW_BYTES });
  const { log, store, applied, projector } = views;
  await projector.start((error) => {
    throw error;
  });
  return {
    ...views,
    async again(objects = new ObjectView()) {
      await store.settled();
      // The projector closes its store; this one is still needed.
      Object.assign(store, { close: () => Promise.resolve() });
      await projector.stop();
      return startPlane({ log, store, objects });
    },
    async append(events) {
      const first = await log.append(events);
      await applied.whenApplied(resourceVersion(first + events.length - 1), 1_000);
    },
  };
}

/** A plane without a past, in memory. */
export function emptyPlane(store: ObjectStore = new MemoryObjectStore()): Promise<Plane> {
  return startPlane({ log: new MemoryEventLog(), store, objects: new ObjectView() });
}

export interface Step {
  readonly resource: string;
  readonly path: string;
  readonly isDelete: boolean;
  /** It was decided on an object that was changed since: takes no effect. */
  readonly isLate: boolean;
}

let sequence = 0;
let time = 0;

/** When the newest of all that was proposed was made. */
export function timeOfLast(): number {
  return time;
}

export function proposed(plane: Plane, step: Step): ProposedEvent {
  const { resource, path, isDelete, isLate } = step;
  const current = plane.objects.versionOf(resource, path);
  const previous = isLate ? current + 1_000 : current;
  const type: EventType = current === 0 ? 'added' : isDelete ? 'deleted' : 'modified';
  sequence += 1;
  time += 7;
  const data = String(sequence);
  return { ...givenEvent({ type, resource, path, previous, sequence, data }), time };
}

export async function copyOf(parent: Plane, base: ResourceVersion): Promise<Plane> {
  const copy = await emptyPlane();
  for (let version = 1; version <= base; version += 1) {
    const event = parent.log.at(resourceVersion(version));
    if (event === undefined) throw new Error('the parent has lost a record');
    await copy.append([event]);
  }
  return copy;
}
