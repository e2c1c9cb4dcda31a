/** A log that is to be cut, and what is folded from it. */
import type { EventLog } from '../../streams/event-log.ts';
import type { ProposedEvent } from '../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type { Verdict } from '../fold/arbiter.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import type { ObjectStore } from '../store/object-history.ts';
import { ObjectView } from '../objects/object-view.ts';
import { viewsOver, type Views } from '../views.ts';
import type { Keep } from './retention.ts';

export const PODS = 'core/pods';
export const LEASES = 'coordination.k8s.io/leases';
export const EVER: Keep = { kind: 'ever' };
const EVERYTHING = { prefix: '', from: '' };

/** A log, and what is folded from it. */
export class Plane {
  readonly log: EventLog;
  readonly store: ObjectStore;
  readonly verdicts: Verdict[] = [];
  readonly #views: Views<EventLog>;

  private constructor(log: EventLog, store: ObjectStore) {
    this.log = log;
    this.store = store;
    this.#views = viewsOver({ log, store, objects: new ObjectView() }, new ManualClock());
    this.#views.projector.listen((_event, verdict) => this.verdicts.push(verdict));
  }

  static async open(log: EventLog, store: ObjectStore): Promise<Plane> {
    const plane = new Plane(log, store);
    await plane.#views.projector.start((error) => {
      throw error;
    });
    return plane;
  }

  versionOf(resource: string, path: string): ResourceVersion {
    return this.#views.objects.versionOf(resource, path);
  }

  async append(event: ProposedEvent): Promise<void> {
    const version = await this.log.append([event]);
    await this.#views.applied.whenApplied(version, 1_000);
  }

  async stop(): Promise<void> {
    await this.#views.projector.stop();
  }

  /** Everything that can be read of a resource as of a version. */
  stateAt(resource: string, version: number): unknown {
    const found = [...this.store.pathsAt(resource, EVERYTHING, resourceVersion(version))];
    return found.map((one) => [one.path, one.resourceVersion, this.jsonAt(one.resourceVersion)]);
  }

  changesAfter(resource: string, version: number): unknown {
    const changes = [...this.store.changesAfter(resource, resourceVersion(version))];
    return changes.map((one) => [one, this.jsonAt(one), this.replacedAt(one)]);
  }

  jsonAt(version: ResourceVersion): string {
    const event = this.log.at(version);
    return event === undefined ? 'gone' : Buffer.from(event.json).toString();
  }

  replacedAt(version: ResourceVersion): string {
    const previous = this.log.at(version)?.previousResourceVersion ?? 0;
    return previous === 0 ? '' : this.jsonAt(previous);
  }
}
