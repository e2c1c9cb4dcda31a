/**
 * Cuts the past that the settings do not keep, again and again, a little at a time: from the log, and
 * from the history that is an index over it. What is cut cannot be read from the moment on when
 * it is decided; only then is it removed.
 */
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type { Clock } from '../../api/meta/clock.ts';
import type { TrimmableLog } from '../../streams/trimmable-log.ts';
import type { ObjectStore } from '../store/object-history.ts';
import { type CutTargets, nextCut } from './cutting.ts';
import { settling, Slices } from './settling.ts';

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
  /** Is told what went wrong; it is tried again. */
  readonly failed: (error: unknown) => void;
}

interface Retention {
  /** Resolves when nothing is under way any more. Before the log and the store are closed. */
  stop(): Promise<void>;
}

const PASS_EVERY_MS = 60_000;
const NOTHING = resourceVersion(0);

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
  return eachMinute(parts, async () => {
    store.adoptCuts(log.cuts());
    await store.settled();
    await store.tidy(log.cuts());
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
 * @param stopped is asked between the steps, each of which leaves everything in order.
 * @throws {LogUnavailableError} and what else the disk says; what was done before that stays done.
 */
export async function cutOnce(
  parts: RetentionParts,
  stopped: () => boolean = () => false,
): Promise<void> {
  const { log, store, clock } = parts;
  await store.settled();
  await store.tidy(log.cuts());
  const slices = new Slices(clock);
  const targets = targetsOf(parts);
  const furthest = Math.max(targets.everything, ...targets.resources.values());
  const settleTo = resourceVersion(furthest);
  for await (const step of settling({ log, history: store, slices }, settleTo)) {
    if (stopped()) return;
    await log.trim(step);
  }
  while (!stopped()) {
    // A fork or an export may have begun to need an old moment since the last step.
    const step = nextCut({ log, history: store }, limited(targets, parts.keepFrom()));
    if (step === undefined) return;
    store.adoptCuts(step.cuts);
    await log.trim({ cuts: step.cuts, gone: step.gone.map((entry) => entry.resourceVersion) });
    await store.forget(step.cuts, step.gone);
    if (step.isLast) return;
    await slices.next();
  }
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
  if (keepFrom === undefined) return targets;
  const least = (version: ResourceVersion): ResourceVersion =>
    version < keepFrom ? version : keepFrom;
  return {
    everything: least(targets.everything),
    resources: new Map([...targets.resources].map(([name, version]) => [name, least(version)])),
  };
}
