/**
 * Cuts the past that the settings do not keep, again and again, a little at a time: from the log, and
 * from the history that is an index over it. What is cut cannot be read from the moment on when
 * it is decided; only then is it removed.
 */
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { Slices } from '../../api/meta/slices.ts';
import { cutOf, type CutUnderWay, type LogCuts } from '../../streams/log-cuts.ts';
import type { TrimmableLog } from '../../streams/trimmable-log.ts';
import type { GoneRecord, ObjectStore } from '../store/object-history.ts';
import {
  addGone,
  type CutTargets,
  type Goal,
  limitedTargets,
  nextGoal,
  Survey,
} from './cutting.ts';
import { GoneVersions } from './gone-versions.ts';
import { settling } from './settling.ts';

/** How much of the past is kept. */
export type Keep =
  | { readonly kind: 'for'; readonly ms: number }
  | { readonly kind: 'events'; readonly count: number }
  | { readonly kind: 'ever' };

/** For how long the past is kept. */
export interface RetentionSettings {
  /** Of resources without a setting of their own. */
  readonly everything: Keep;
  /** Of the resources that are kept for another time, by storage: `core/events`. */
  readonly resources: ReadonlyMap<string, Keep>;
}

function keepOf({ everything, resources }: RetentionSettings, resource: string): Keep {
  return resources.get(resource) ?? everything;
}

/** The moments that others still need: nothing behind the oldest of them is cut. */
export type KeepFrom = () => ResourceVersion | undefined;

interface RetentionParts {
  readonly log: TrimmableLog;
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly settings: RetentionSettings;
  readonly keepFrom: KeepFrom;
  /** Records that are removed in one step, where it is not the usual number. */
  readonly stepRecords?: number;
  /** Is told what went wrong; it is tried again. */
  readonly failed: (error: unknown) => void;
}

interface Retention {
  /** Resolves when nothing is under way any more. Before the log and the store are closed. */
  stop(): Promise<void>;
}

const PASS_EVERY_MS = 60_000;
const NOTHING = resourceVersion(0);
/** Of the log, for which the store has one transaction. */
const STEPS_FORGOTTEN_AT_ONCE = 2;

/**
 * Looks each minute whether something is to be cut. The first time comes a minute after the start.
 */
export function startRetention(parts: RetentionParts): Retention {
  return eachMinute(parts, (stopped) => cutOnce(parts, stopped));
}

/** Of a log that another process cuts: the history lets go of what is gone, each minute. */
export function followCuts(
  parts: Pick<RetentionParts, 'log' | 'store' | 'clock' | 'failed'>,
): Retention {
  const { log, store } = parts;
  return eachMinute(parts, async (stopped) => {
    const cuts = log.cuts();
    store.adoptCuts(cuts);
    await store.settled();
    // Else it would know less than is left in the log.
    if (cuts.underWay === undefined) await store.tidy(cuts, stopped);
  });
}

function eachMinute(
  { clock, failed }: Pick<RetentionParts, 'clock' | 'failed'>,
  pass: (stopped: () => boolean) => Promise<void>,
): Retention {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let cancel: () => void = () => undefined;
  const stopped = (): boolean => isStopped;
  const wait = (): void => {
    if (isStopped) return;
    cancel = clock.after(PASS_EVERY_MS, () => {
      running = pass(stopped).catch(failed).finally(wait);
    });
  };
  wait();
  return {
    async stop() {
      isStopped = true;
      cancel();
      await running;
    },
  };
}

/**
 * Cuts as far as the settings ask for at this moment.
 *
 * @param stopped is asked between the steps; what a pass leaves undone then, the next one finishes.
 * @throws {LogUnavailableError} and what else the disk says; what was done before that stays done.
 */
export async function cutOnce(
  parts: RetentionParts,
  stopped: () => boolean = () => false,
): Promise<void> {
  const { log, store } = parts;
  await store.settled();
  if (!(await finishCut(parts, stopped))) return;
  await store.tidy(log.cuts(), stopped);
  const targets = targetsOf(parts);
  const pass = { ...parts, stopped, slices: new Slices(parts.clock) };
  while (!stopped()) {
    const goal = nextGoal(log.cuts(), limited(targets, parts.keepFrom()));
    if (goal === undefined) break;
    const cuts = await surveyed(pass, goal);
    if (cuts === undefined) continue;
    if (!(await cleared(pass, cuts))) return;
  }
  if (!stopped()) await store.tidy(log.cuts(), stopped);
}

interface Pass extends Pick<RetentionParts, 'log' | 'store' | 'stepRecords'> {
  readonly slices: Slices;
  readonly stopped: () => boolean;
}

/** What goes, and the cuts behind it. */
interface Cutting {
  readonly cuts: LogCuts;
  readonly underWay: CutUnderWay;
  readonly gone: GoneVersions;
}

/** Looks through the goal, of which nothing but what took no effect is removed yet. @returns undefined: it cannot be cut so. */
async function surveyed(
  { log, store, slices, stopped, keepFrom }: Pass & Pick<RetentionParts, 'keepFrom'>,
  goal: Goal,
): Promise<Cutting | undefined> {
  const survey = new Survey(goal);
  for await (const step of settling({ log, history: store, slices, survey, stopped }, goal)) {
    await log.trim(step);
  }
  // A fork or an export may have begun to need an old moment meanwhile.
  const isKept = (keepFrom() ?? Infinity) < goal.to;
  if (stopped() || isKept) return undefined;
  const { from, to } = goal;
  const cuts = survey.cutsBehind(log.cuts());
  return { cuts, underWay: { from, to, done: NOTHING }, gone: survey.gone };
}

/** Removes it in the order of the log. @returns whether all is gone: the first step says what is under way, so a later pass can finish it. */
async function cleared(pass: Pass, { cuts, underWay, gone }: Cutting): Promise<boolean> {
  const { log, store, slices, stopped } = pass;
  store.adoptCuts(cuts);
  let forgotten: GoneRecord[] = [];
  let steps = 0;
  for (const step of gone.steps(pass.stepRecords)) {
    if (stopped()) {
      await store.forget(forgotten);
      return false;
    }
    const versions = step.map((record) => record.resourceVersion);
    const done = versions.at(-1) ?? underWay.done;
    await log.trim({ cuts: { ...cuts, underWay: { ...underWay, done } }, gone: versions });
    forgotten.push(...step);
    steps += 1;
    if (steps % STEPS_FORGOTTEN_AT_ONCE === 0) {
      await store.forget(forgotten);
      forgotten = [];
    }
    await slices.next();
  }
  await log.trim({ cuts, gone: [] });
  // What an earlier process removed from the log it need not have told the store.
  await store.forget(forgotten, underWay.done === NOTHING ? cuts : undefined);
  return true;
}

/**
 * Removes what a pass has left that did not come to its end.
 *
 * The surprise: what it has removed is not needed to know the rest, since that lies behind it in the log, and is replaced by
 * changes that lie further behind.
 *
 * @returns whether all of that is gone.
 */
export async function finishCut(
  parts: Pick<RetentionParts, 'log' | 'store' | 'clock'>,
  stopped: () => boolean = () => false,
): Promise<boolean> {
  const cuts = parts.log.cuts();
  if (cuts.underWay === undefined) return true;
  const { underWay, ...behind } = cuts;
  const pass = { ...parts, stopped, slices: new Slices(parts.clock) };
  const gone = await surveyedAgain(pass, cuts, underWay);
  return cleared(pass, { cuts: behind, underWay, gone });
}

async function surveyedAgain(
  { log, slices, stopped }: Pass,
  cuts: LogCuts,
  { from, to, done }: CutUnderWay,
): Promise<GoneVersions> {
  const gone = new GoneVersions();
  for (let version = Math.max(from, done) + 1; version <= to; version += 1) {
    const event = log.at(resourceVersion(version));
    if (event !== undefined && version <= cutOf(cuts, event.resource).version)
      addGone(gone, event, done);
    if (slices.isOver()) await slices.next();
    if (stopped()) break;
  }
  return gone;
}

function targetsOf({ log, store, clock, settings, keepFrom }: RetentionParts): CutTargets {
  // The newest record stays, or its version would be given a second time.
  const newest = Math.max(0, store.appliedVersion - 1);
  const known = new Map<Keep, ResourceVersion>();
  const targetOf = (keep: Keep): ResourceVersion => {
    let target = known.get(keep);
    if (target === undefined) {
      target = resourceVersion(Math.max(0, Math.min(newest, wanted(keep))));
      known.set(keep, target);
    }
    return target;
  };
  const wanted = (keep: Keep): number => {
    switch (keep.kind) {
      case 'ever':
        return NOTHING;
      case 'events':
        return store.appliedVersion - keep.count;
      case 'for':
        return store.versionAtTime(clock.now() - keep.ms, log) ?? NOTHING;
    }
  };
  const resources = [...store.resourcesEver()].map(
    (resource) => [resource, targetOf(keepOf(settings, resource))] as const,
  );
  const targets = { resources: new Map(resources), everything: targetOf(settings.everything) };
  return limited(targets, keepFrom());
}

function limited(targets: CutTargets, keepFrom: ResourceVersion | undefined): CutTargets {
  return keepFrom === undefined ? targets : limitedTargets(targets, keepFrom);
}
