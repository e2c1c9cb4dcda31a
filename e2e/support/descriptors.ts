/** How many files and sockets a server has open. Only Linux tells it. */
import { readdirSync } from 'node:fs';

/** Elsewhere 0, and it is said. */
export function openDescriptors(pid: number): number {
  if (process.platform !== 'linux') {
    console.warn('SKIPPED on this system: how many files the server has open. Run it on Linux.');
    return 0;
  }
  return readdirSync(`/proc/${String(pid)}/fd`).length;
}
