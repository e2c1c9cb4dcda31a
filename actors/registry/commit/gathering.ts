/**
 * How long changes are gathered before they are appended where an append costs much besides its record, as another process
 * has to be woken for it: as long as each turn of the event loop brings more of them. A client that writes alone waits for
 * one turn; requests that come together, on several connections, are handled in turns one behind the other.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import { othersTurn } from '../../../api/meta/others-turn.ts';

/** No longer, however many there are. */
const GATHERED_MS = 2;

/**
 * Resolves when a turn has brought nothing more.
 *
 * @param count how many there have been so far.
 */
export async function untilGathered(count: () => number, clock: Clock): Promise<void> {
  const endAt = clock.now() + GATHERED_MS;
  let before: number;
  do {
    before = count();
    await othersTurn();
  } while (count() > before && clock.now() < endAt);
}
