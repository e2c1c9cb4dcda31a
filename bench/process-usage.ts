/** What a process has used. Only Linux tells it. */
import { readFileSync } from 'node:fs';

export interface Usage {
  /** Of all its threads, since it began. */
  readonly cpuSeconds: number;
  /** The most that it has held in memory, with what it maps from files. */
  readonly peakMib: number;
}

/** Linux counts a process's time in these. */
const TICKS_PER_SECOND = 100;
const KIB_PER_MIB = 1_024;

export function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  // The name stands in brackets and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const peakKib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  return { cpuSeconds: ticks / TICKS_PER_SECOND, peakMib: peakKib / KIB_PER_MIB };
}
