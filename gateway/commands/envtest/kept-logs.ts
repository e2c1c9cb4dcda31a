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
  for (const name of outdated(namesIn(logs))) rmSync(join(logs, name), { recursive: true });
  const time = new Date().toISOString().replaceAll(/[-:.Z]/g, '');
  return resolve(logs, `${basename(workingDirectory)}-${time}-${String(process.pid)}`);
}

/** @returns names of directories of control planes, all but the newest. */
export function outdated(names: readonly string[]): readonly string[] {
  const ours = names.filter((name) => NAME.test(name));
  const byTime = ours.toSorted((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1));
  return byTime.slice(0, Math.max(0, byTime.length - (KEPT_MAX - 1)));
}

function timeOf(name: string): string {
  return name.split('-').slice(-2).join('-');
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // It is made with the first log.
  }
}
