/** How V8 is to collect what is young. */
import { setFlagsFromString } from 'node:v8';

/**
 * By one thread. Of what a request leaves hardly anything is alive when it is collected, and threads
 * that are woken to help with so little cost more than they take over: a seventh of the time of a
 * get. The pauses are as long as before.
 *
 * @see docs/decisions/0040-what-is-over-is-let-go-of.md
 */
export function collectYoungAlone(): void {
  setFlagsFromString('--no-parallel-scavenge');
}
