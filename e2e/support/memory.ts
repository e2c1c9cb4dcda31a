/** How much memory a server takes. Only Linux tells it. */
import { readFileSync } from 'node:fs';
import { eventually } from './eventually.ts';

const MIB = 1024 * 1024;

/** Of the process's own, without what it maps from files; elsewhere 0, and it is said. */
export function residentBytes(pid: number): number {
  if (process.platform !== 'linux') {
    console.warn('SKIPPED on this system: how much memory the server takes. Run it on Linux.');
    return 0;
  }
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`no RssAnon in ${status}`);
  return Number(kilobytes) * 1024;
}

/** The same, once it does not grow any more: what a server takes in without end comes to all that there is to take. */
export function settledBytes(pid: number): Promise<number> {
  let before = -Infinity;
  const look = (): number | undefined => {
    const now = residentBytes(pid);
    const isSettled = now - before < MIB;
    before = now;
    return isSettled ? now : undefined;
  };
  return eventually('memory that does not grow', look, { everyMs: 500 });
}
