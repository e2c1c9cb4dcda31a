/**
 * One step of cutting: goes through the next changes of the resources whose past is too long, and
 * says of what they replaced that it can go. Each step leaves whole cuts, only not yet where
 * they are going to be.
 */
import { cutOf, type Cut, type LogCuts } from '../../streams/log-cuts.ts';
import type { EventReader } from '../../streams/event-log.ts';
import { isChange, type LoggedChange } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { ObjectHistory, PastEntry } from '../store/object-history.ts';

export interface CutTargets {
  /** Of every resource that has a history; they are cut as far as that. */
  readonly resources: ReadonlyMap<string, ResourceVersion>;
  /** Of resources without a history. */
  readonly everything: ResourceVersion;
}

export interface CutStep {
  readonly cuts: LogCuts;
  readonly gone: readonly PastEntry[];
  /** Whether all targets are reached with it. */
  readonly isLast: boolean;
}

/** Changes that one step goes through: some milliseconds. */
const STEP_CHANGES = 256;

export interface CuttingParts {
  readonly log: EventReader;
  readonly history: ObjectHistory;
}

/** @returns undefined when there is nothing to cut. @throws Error the log is not that of the history. */
export function nextCut(parts: CuttingParts, targets: CutTargets): CutStep | undefined {
  const before = parts.log.cuts();
  const resources = new Map(before.resources);
  const walk = new Walk(parts);
  let hasMoved = false;
  for (const [resource, target] of targets.resources) {
    const from = cutOf(before, resource);
    if (target <= from.version) continue;
    hasMoved = true;
    resources.set(resource, walk.through(resource, from, target));
    if (walk.isOver) {
      return { gone: walk.gone, cuts: { ...before, resources }, isLast: false };
    }
  }
  const cuts = withEverything({ ...before, resources }, targets);
  if (!hasMoved && cuts.everything === before.everything) return undefined;
  return { gone: walk.gone, cuts, isLast: true };
}

/** All resources that there are have been cut: then it is so for all that there could be. */
function withEverything(cuts: LogCuts, targets: CutTargets): LogCuts {
  let version = targets.everything;
  for (const resource of targets.resources.keys()) {
    version = least(version, cutOf(cuts, resource).version);
  }
  if (version <= cuts.everything.version) return cuts;
  const covered = [...cuts.resources.values()].filter((cut) => cut.version <= version);
  const time = Math.max(cuts.everything.time, ...covered.map((cut) => cut.time));
  const resources = [...cuts.resources].filter(([, cut]) => cut.version > version);
  return { ...cuts, everything: { version, time }, resources: new Map(resources) };
}

class Walk {
  readonly gone: PastEntry[] = [];
  readonly #parts: CuttingParts;
  #left = STEP_CHANGES;

  constructor(parts: CuttingParts) {
    this.#parts = parts;
  }

  get isOver(): boolean {
    return this.#left === 0;
  }

  /** How far the resource can be cut in this step. */
  through(resource: string, from: Cut, target: ResourceVersion): Cut {
    let { version: reached, time } = from;
    for (const version of this.#parts.history.changesAfter(resource, from.version)) {
      if (version > target) break;
      if (this.#left === 0) return { version: reached, time };
      this.#left -= 1;
      const event = changeAt(this.#parts.log, version);
      this.#replacedBy(event);
      reached = version;
      time = Math.max(time, event.time);
    }
    return { version: target, time };
  }

  #replacedBy(event: LoggedChange): void {
    const { previousResourceVersion: previous } = event;
    if (previous > 0) this.gone.push(entryOf(changeAt(this.#parts.log, previous)));
    // When it is gone, its last state is asked for no more.
    if (event.type === 'deleted') this.gone.push(entryOf(event));
  }
}

/** Of an event that the history knows, so that it must be there. */
function changeAt(log: EventReader, version: ResourceVersion): LoggedChange {
  const event = log.at(version);
  if (event !== undefined && isChange(event)) return event;
  throw new Error(`the event at ${String(version)} is in the history and not in the log`);
}

function entryOf({ resource, path, resourceVersion, type }: LoggedChange): PastEntry {
  return { resource, path, resourceVersion, type };
}

function least(one: ResourceVersion, other: ResourceVersion): ResourceVersion {
  return one < other ? one : other;
}
