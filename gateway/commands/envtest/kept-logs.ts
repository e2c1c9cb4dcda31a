/**
 * Logs of control planes that outlive their suite. envtest removes the data directory of etcd when a suite
 * has ended, failed or not; where a directory for logs is named, the control plane keeps its data in there
 * instead, and the newest ones stay.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/** The variable that names the directory for logs. */
export const LOGS_VARIABLE = 'EVERWATCH_ENVTEST_LOGS';

const KEPT_MAX = 20;
const NAME = /-\d{8}T\d{6}\d{3}-\d+$/;

/**
 * Removes all but the newest logs, and names a directory for one more: `controllers-20261126T100000000-4711`,
 * after the directory in which the suite runs.
 *
 * @returns undefined: no directory for logs is named.
 */
export function keptDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  workingDirectory: string,
): string | undefined {
  const logs = environment[LOGS_VARIABLE] ?? '';
  if (logs === '') return undefined;
  for (const name of outdated(namesIn(logs), isRunning)) {
    rmSync(join(logs, name), { recursive: true, force: true });
  }
  const time = new Date().toISOString().replaceAll(/[-:.Z]/g, '');
  return resolve(logs, `${basename(workingDirectory)}-${time}-${String(process.pid)}`);
}

/**
 * @param isRunning whether the etcd with this process id is, which may still write its log.
 * @returns names of directories of control planes that have ended, all but the newest.
 */
export function outdated(
  names: readonly string[],
  isRunning: (id: number) => boolean,
): readonly string[] {
  const ours = names.filter((name) => NAME.test(name));
  const byTime = ours.toSorted((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1));
  const old = byTime.slice(0, Math.max(0, byTime.length - (KEPT_MAX - 1)));
  return old.filter((name) => !isRunning(Number(name.split('-').at(-1))));
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** What directories are sorted by, which have the time in their names. */
export function timeOf(name: string): string {
  return name.split('-').slice(-2).join('-');
}

/** Of files in a directory; none where it is not there. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // It is made with the first log.
  }
}
