/** How much memory a server takes. Only Linux tells it. */
import { readFileSync } from 'node:fs';

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
