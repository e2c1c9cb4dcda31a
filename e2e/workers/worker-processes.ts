/** The processes of a server of several: which they are, and whether they are still there. */
import { readFileSync } from 'node:fs';
import { eventually } from '../support/eventually.ts';
import type { RunningServer } from '../support/server.ts';

/** Those that the primary has now, in the order in which it started them. */
export function workersOf(server: Pick<RunningServer, 'pid'>): number[] {
  const pid = String(server.pid);
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
    .sort((a, b) => a - b);
}

/** Whether the process is there and no corpse. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Resolves when all workers have said that they are ready, so many times since the server was first started. */
export async function untilAllReady(server: Pick<RunningServer, 'logs'>, times = 1): Promise<void> {
  await eventually('all workers are ready', () => {
    const said = server.logs().split('"all workers are ready"').length - 1;
    return said >= times ? true : undefined;
  });
}
