/** Starts a control plane in a process that has several: the part of the command line that a process would do. */
import { readFileSync } from 'node:fs';
import { parseServeOptions } from '../../../flags/flags.ts';
import { deprecationLines } from '../../../flags/taken-flags.ts';
import { StartupError } from '../../../process/startup-error.ts';
import type { RunningServer } from '../../../server/server.ts';
import { limitOld } from '../../serve/collector.ts';
import { serveIn } from '../../serve/serve.ts';
import type { PlaneHost } from './plane-host.ts';

/**
 * Settles when it answers.
 *
 * @param isOfOneSuite whether the process has no control planes of others, so that one may show what it does.
 * @returns undefined: it does not start; the host has been told why, and has ended.
 */
export async function startPlane(
  host: PlaneHost,
  argv: readonly string[],
  isOfOneSuite: boolean,
): Promise<RunningServer | undefined> {
  // As kube-apiserver has it; and no profiles where they would show other suites.
  const byDefault = ['--bind-address=0.0.0.0', ...(isOfOneSuite ? [] : ['--profiling=false'])];
  try {
    const options = parseServeOptions([...byDefault, ...argv], (path) =>
      readFileSync(path, 'utf8'),
    );
    for (const line of deprecationLines(options.said)) host.write.error(`${line}\n`);
    await host.openPort(options.listening);
    const running = await serveIn(host, options);
    // Beside others that start, hardly anything would be garbage.
    if (isOfOneSuite) limitOld(options.lifecycle.memoryFootprint);
    return running;
  } catch (error) {
    const whole = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const why = error instanceof StartupError ? error.message : whole;
    host.write.error(`everwatch: ${why}\n`);
    host.exit(1);
    return undefined;
  }
}
