/**
 * A hook that something outside may still stand in the way of: it is tried again for a while before
 * the server gives up. A webhook that has to be asked may live behind this very server.
 *
 * In Kubernetes: the post-start hook rbac/bootstrap-roles, which polls each second for thirty.
 */
import type { Clock } from '../../api/meta/clock.ts';

export interface TriedAgain {
  readonly clock: Clock;
  readonly forMs: number;
  readonly everyMs: number;
  /** Told of what went wrong each time. */
  readonly failed: (error: unknown) => void;
}

/** @throws the last error, when the time is over. */
export async function triedAgain(run: () => Promise<void>, parts: TriedAgain): Promise<void> {
  const { clock, forMs, everyMs, failed } = parts;
  const end = clock.now() + forMs;
  for (;;) {
    try {
      await run();
      return;
    } catch (error) {
      failed(error);
      if (clock.now() + everyMs > end) throw error;
    }
    await new Promise<void>((resolve) => {
      clock.after(everyMs, resolve);
    });
  }
}
