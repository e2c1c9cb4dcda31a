/**
 * A control plane must not outlive the suite that started it, however that ends: SIGKILL runs no hook of a suite, but closes
 * its pipes. envtest of controller-runtime gives the programs no standard input, so they look at it only where they are told to.
 */
import type { Readable } from 'node:stream';

/** `stdin`: the program ends as by SIGTERM when its standard input does. */
export const LIFELINE_VARIABLE = 'EVERWATCH_ENVTEST_LIFELINE';

/** What is used of a process. */
export interface LifelineHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { unref?(): unknown };
  readonly pid: number;
  kill(pid: number, signal: 'SIGTERM'): unknown;
}

/** Reading does not keep the process: a control plane that has ended by itself ends it. */
export function followLifeline(host: LifelineHost): void {
  if (host.env[LIFELINE_VARIABLE] !== 'stdin') return;
  const end = (): void => void host.kill(host.pid, 'SIGTERM');
  host.stdin
    .on('error', () => undefined)
    .once('close', end)
    .resume();
  host.stdin.unref?.();
}
