/**
 * Ends the open watches of a server that stops bit by bit, so that their clients do not all come
 * to the next server at one moment.
 *
 * In Kubernetes: RunWithContext, apiserver/pkg/server/genericapiserver.go.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { WaitGroup } from '../request/wait-group.ts';

export interface WatchDrainingParts {
  readonly clock: Clock;
  /** In how much time all should have ended; 0: nobody waits for them. */
  readonly graceMs: number;
  readonly group: WaitGroup;
  /** Ends that many of those that are open. */
  readonly end: (count: number) => void;
}

const SLOWEST_PER_SECOND = 200;
const STEP_MS = 50;

/** Settles when all have ended, or the time is over. */
export async function drainWatches({
  clock,
  graceMs,
  group,
  end,
}: WatchDrainingParts): Promise<void> {
  if (graceMs <= 0) return;
  group.close();
  const perSecond = Math.max(SLOWEST_PER_SECOND, (group.size * 1_000) / graceMs);
  const perStep = Math.ceil((perSecond * STEP_MS) / 1_000);
  const until = clock.now() + graceMs;
  while (group.size > 0 && clock.now() < until) {
    end(perStep);
    await new Promise<void>((resolve) => {
      clock.after(STEP_MS, resolve);
    });
  }
}
