/**
 * How long a request holds the event loop at a time. While it is answered, another loop asks for a
 * turn again and again, and what lies between two of its turns is one turn of the request.
 *
 * What is counted is the processor time of the loop's own thread, where the system tells it (Linux):
 * that of the process has threads in it that collect garbage beside the loop, and the clock has
 * other processes. Elsewhere it is the lesser of these two.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { CostInput } from './cost-case.ts';

const US_PER_MS = 1_000;
const NS_PER_MS = 1_000_000;

/** The longest turn in milliseconds, the least of so many runs, and how many turns there were. */
export async function longestTurn(
  input: CostInput,
  times: number,
): Promise<{ readonly ms: number; readonly turns: number }> {
  let [ms, turns] = [Number.POSITIVE_INFINITY, 0];
  for (let time = 0; time < times; time += 1) {
    const run = await turnsOf(input);
    if (run.ms < ms) ({ ms, turns } = run);
  }
  return { ms, turns };
}

async function turnsOf({ run }: CostInput): Promise<{ ms: number; turns: number }> {
  let [ms, turns] = [0, 0];
  const look = (): void => {
    ms = Math.max(ms, sinceMs());
    turns += 1;
    sinceMs = stopwatch();
  };
  let isOver = false;
  const again = (): void => {
    look();
    if (!isOver) setImmediate(again);
  };
  await new Promise((resolve) => setImmediate(resolve));
  let sinceMs = stopwatch();
  setImmediate(again);
  await run();
  isOver = true;
  look();
  return { ms, turns };
}

type Stopwatch = () => number;

const stopwatch: () => Stopwatch = threadStopwatch() ?? processStopwatch;

/** By what the kernel's scheduler says of this thread, in a file that is read again and again. */
function threadStopwatch(): (() => Stopwatch) | undefined {
  const buffer = Buffer.alloc(64);
  try {
    const file = openSync('/proc/thread-self/schedstat', 'r');
    const nowMs = (): number => {
      const length = readSync(file, buffer, 0, buffer.length, 0);
      return Number(buffer.toString('latin1', 0, length).split(' ', 1)[0]) / NS_PER_MS;
    };
    process.once('exit', () => {
      closeSync(file);
    });
    return () => {
      const from = nowMs();
      return () => nowMs() - from;
    };
  } catch {
    return undefined;
  }
}

function processStopwatch(): Stopwatch {
  const [at, cpu] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return Math.min(performance.now() - at, (user + system) / US_PER_MS);
  };
}
