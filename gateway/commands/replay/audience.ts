/**
 * The clients of a replay that is served. An informer lists first and then watches, and a controller has several, which begin one
 * after another: what is played before they watch comes to them as state, not as events.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import { pause } from '../../../api/meta/rxjs-clock.ts';

const LOOK_EVERY_MS = 100;
const RESTS_FOR_LOOKS = 10;

/**
 * Resolves when there are watches and their number has not changed for a second, or at an abort.
 *
 * @param openWatches how many there are now.
 */
export async function untilWatched(
  openWatches: () => number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  let known = 0;
  for (let rested = 0; rested < RESTS_FOR_LOOKS && !signal.aborted;) {
    await pause(clock, LOOK_EVERY_MS, signal);
    const open = openWatches();
    rested = open > 0 && open === known ? rested + 1 : 0;
    known = open;
  }
}
