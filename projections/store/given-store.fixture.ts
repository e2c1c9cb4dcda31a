/** What is recorded in an object store: changes without content, batches of times, cuts. */
import type { Clock } from '../../api/meta/clock.ts';
import type { CommittedEvent, EventType, StoredObject } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { proposedEvent } from '../../streams/proposed-event.fixture.ts';
import type { EventReader } from '../../streams/event-log.ts';
import { NO_CUTS, type Cut, type LogCuts } from '../../streams/log-cuts.ts';
import type { ObjectStore } from './object-history.ts';

/** Time that stands still until the test moves it. */
export class StillClock implements Clock {
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return 0;
  }

  after(delayMs: number, callback: () => void): () => void {
    this.#timers.set(callback, delayMs);
    return () => this.#timers.delete(callback);
  }

  get delays(): number[] {
    return [...this.#timers.values()];
  }

  ring(): void {
    const callbacks = [...this.#timers.keys()];
    this.#timers.clear();
    for (const callback of callbacks) callback();
  }
}

export interface Change {
  readonly resource: string;
  readonly path: string;
  readonly version: number;
  readonly type: EventType;
}

export function committed(change: Change): CommittedEvent {
  const version = resourceVersion(change.version);
  const object: StoredObject = {
    resource: change.resource,
    path: change.path,
    resourceVersion: version,
    labels: undefined,
    json: Buffer.from('{}'),
  };
  const { type, resource, path } = change;
  return { resourceVersion: version, type, resource, path, object, previous: undefined };
}

export function added(path: string, version: number, type: EventType = 'added'): CommittedEvent {
  return committed({ resource: 'core/pods', path, version, type });
}

export function record(store: ObjectStore, events: readonly CommittedEvent[]): void {
  const applied = events.at(-1)?.resourceVersion ?? resourceVersion(0);
  store.record(events, { applied, writers: new Map([['w', applied]]), time: applied });
}

/** Cuts some resources, each at a version. */
export function cutAt(versions: Readonly<Record<string, number>>, everything = 0): LogCuts {
  const cut = (version: number): Cut => ({ version: resourceVersion(version), time: version });
  const resources = Object.entries(versions).map(
    ([name, version]) => [name, cut(version)] as const,
  );
  return { ...NO_CUTS, everything: cut(everything), resources: new Map(resources) };
}

/** A log of which only the times are of interest: the record at version n has the n-th of them. */
export function timesOf(times: readonly number[]): Pick<EventReader, 'at'> {
  return {
    at(version) {
      const time = times[version - 1];
      return time === undefined
        ? undefined
        : { ...proposedEvent(version), time, resourceVersion: version };
    },
  };
}

/** Records nothing but times, one batch for each. */
export function recordTimes(store: ObjectStore, batches: readonly (readonly number[])[]): void {
  let applied: number = store.appliedVersion;
  for (const times of batches) {
    applied += times.length;
    store.record([], {
      applied: resourceVersion(applied),
      writers: new Map(),
      time: Math.max(...times),
    });
  }
}

export const EVERYTHING = { prefix: '', from: '' };
