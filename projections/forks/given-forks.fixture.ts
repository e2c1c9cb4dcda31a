/** Control planes and forks of them, over logs and stores in memory or on disk. */
import type { EventType, ProposedEvent } from '../../streams/event.ts';
import type { EventLog } from '../../streams/event-log.ts';
import { LayeredEventLog } from '../../streams/layered-event-log.ts';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { AppliedVersion } from '../fold/applied-version.ts';
import { givenEvent } from '../given.fixture.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { MemoryObjectStore } from '../objects/memory-object-store.ts';
import type { FateReads, ObjectStore } from '../objects/object-history.ts';
import { ObjectView } from '../objects/object-view.ts';
import { ResourceViews } from '../resource-views.ts';
import { Projector } from '../projector.ts';
import { inheritedObjects } from './inherited-objects.ts';
import { LayeredObjectStore } from './layered-object-store.ts';

export type OwnStore = ObjectStore & FateReads;

interface PlaneParts {
  readonly log: EventLog;
  readonly store: ObjectStore;
  readonly objects: ObjectView;
}

export class Plane {
  readonly log: EventLog;
  readonly store: ObjectStore;
  readonly objects: ObjectView;
  readonly applied = new AppliedVersion(new ManualClock());
  readonly resourceViews: ResourceViews;
  readonly #projector: Projector;
  readonly #parts: PlaneParts;

  constructor(parts: PlaneParts) {
    const { log, store, objects } = parts;
    const { applied } = this;
    this.#parts = parts;
    this.log = log;
    this.store = store;
    this.objects = objects;
    const clock = new ManualClock();
    this.resourceViews = new ResourceViews({ log, history: store, objects, applied, clock });
    this.#projector = new Projector({ log, store, objects, applied, views: [this.resourceViews] });
  }

  async start(): Promise<this> {
    await this.#projector.start((error) => {
      throw error;
    });
    return this;
  }

  /** A new one over the same log and the same store, which goes on. */
  async again(objects = new ObjectView()): Promise<Plane> {
    await this.store.settled();
    const { store } = this.#parts;
    // The projector closes its store; this one is still needed.
    Object.assign(store, { close: () => Promise.resolve() });
    await this.#projector.stop();
    return new Plane({ ...this.#parts, objects }).start();
  }

  async append(events: readonly ProposedEvent[]): Promise<void> {
    const first = await this.log.append(events);
    await new Promise<void>((resolve) => {
      const last = resourceVersion(first + events.length - 1);
      this.applied.whenApplied(last, 1_000, () => {
        resolve();
      });
    });
  }
}

export interface Step {
  readonly resource: string;
  readonly path: string;
  readonly isDelete: boolean;
  /** It was decided on an object that somebody has changed since: takes no effect. */
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

/** Over the log and the stores that are given; what it stands on goes on. */
export function forkOf(
  parent: Plane,
  base: ResourceVersion,
  ownLog: EventLog,
  own: OwnStore,
): PlaneParts {
  const inheritance = { parent, base, own, ownLog };
  const history = parent.store;
  return {
    log: new LayeredEventLog({ parent: parent.log, base, own: ownLog }),
    store: new LayeredObjectStore({ parent: { history, log: parent.log }, base, own, ownLog }),
    objects: new ObjectView((resource, at) => inheritedObjects(inheritance, resource, at)),
  };
}

export async function copyOf(parent: Plane, base: ResourceVersion): Promise<Plane> {
  const copy = new Plane({
    log: new MemoryEventLog(),
    store: new MemoryObjectStore(),
    objects: new ObjectView(),
  });
  await copy.start();
  for (let version = 1; version <= base; version += 1) {
    const event = parent.log.at(resourceVersion(version));
    if (event === undefined) throw new Error('the parent has lost a record');
    await copy.append([event]);
  }
  return copy;
}
