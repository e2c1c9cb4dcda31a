/**
 * What one pass cuts: how far each resource goes, and of the changes up to there which records are the state no more.
 * Nothing is removed before all of it is known.
 */
import { cutOf, type Cut, type LogCuts } from '../../streams/log-cuts.ts';
import type { EventHead } from '../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { GoneVersions } from './gone-versions.ts';

export interface CutTargets {
  /** Of every resource that has a history; they are cut as far as that. */
  readonly resources: ReadonlyMap<string, ResourceVersion>;
  /** Of resources without a history. */
  readonly everything: ResourceVersion;
}

/** What lies behind `from` up to `to`, which is the cut afterwards. */
interface Range {
  readonly from: Cut;
  readonly to: ResourceVersion;
}

/** The records that a pass looks through. */
export interface Goal {
  /** No cut that moves lies in front of it. */
  readonly from: ResourceVersion;
  /** No cut lies behind it when the pass is over. */
  readonly to: ResourceVersion;
  readonly targets: CutTargets;
  /** Of those resources whose cut moves. */
  readonly ranges: ReadonlyMap<string, Range>;
}

/** In a pass: a bit for each of them and of what they replaced is in memory. */
const PASS_VERSIONS = 4 * 1024 * 1024;

/** @returns undefined when there is nothing to cut. */
export function nextGoal(cuts: LogCuts, targets: CutTargets): Goal | undefined {
  let [from, furthest] = [cuts.settled, targets.everything];
  for (const [resource, target] of targets.resources) {
    const { version } = cutOf(cuts, resource);
    if (target > version) from = least(from, version);
    if (target > furthest) furthest = target;
  }
  const to = least(furthest, resourceVersion(from + PASS_VERSIONS));
  const limited = limitedTargets(targets, to);
  const ranges = new Map<string, Range>();
  for (const [resource, target] of limited.resources) {
    const cut = cutOf(cuts, resource);
    if (target > cut.version) ranges.set(resource, { from: cut, to: target });
  }
  const goal = { from, to, targets: limited, ranges };
  const isMoved = ranges.size > 0 || to > cuts.settled;
  return isMoved || new Survey(goal).cutsBehind(cuts) !== cuts ? goal : undefined;
}

/** No target lies behind `version` any more. */
export function limitedTargets(targets: CutTargets, version: ResourceVersion): CutTargets {
  return {
    everything: least(targets.everything, version),
    resources: new Map([...targets.resources].map(([name, to]) => [name, least(to, version)])),
  };
}

/** What of an event says which records go. */
type Change = Pick<
  EventHead,
  'resource' | 'type' | 'resourceVersion' | 'previousResourceVersion' | 'time'
>;

/** Of the changes that a pass comes by, those that it cuts. */
export class Survey {
  readonly gone = new GoneVersions();
  readonly #goal: Pick<Goal, 'targets' | 'ranges'>;
  readonly #times = new Map<string, number>();

  constructor(goal: Pick<Goal, 'targets' | 'ranges'>) {
    this.#goal = goal;
  }

  /** To be told of every change that took effect. */
  note(change: Change): void {
    const { resource, resourceVersion: version, time } = change;
    const range = this.#goal.ranges.get(resource);
    if (range === undefined || version <= range.from.version || version > range.to) return;
    this.#times.set(resource, Math.max(time, this.#times.get(resource) ?? range.from.time));
    addGone(this.gone, change);
  }

  /** The cuts when all that is noted is gone; the same value when they have not moved. */
  cutsBehind(before: LogCuts): LogCuts {
    const { ranges, targets } = this.#goal;
    const resources = new Map(before.resources);
    for (const [resource, { from, to }] of ranges) {
      resources.set(resource, { version: to, time: this.#times.get(resource) ?? from.time });
    }
    return withEverything(ranges.size === 0 ? before : { ...before, resources }, targets);
  }
}

/** Adds what goes when the log is cut behind this change. @param done up to here it is gone. */
export function addGone(
  gone: GoneVersions,
  { resource, type, resourceVersion: version, previousResourceVersion: previous }: Change,
  done = 0,
): void {
  if (previous > done) gone.add(resource, previous);
  // When it is gone, its last state is asked for no more.
  if (type === 'deleted' && version > done) gone.add(resource, version);
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

function least(one: ResourceVersion, other: ResourceVersion): ResourceVersion {
  return one < other ? one : other;
}
