/**
 * How long a request holds the event loop at a time. While it is answered, another loop asks for a
 * turn again and again, and what lies between two of its turns is one turn of the request.
 *
 * Processor time and the clock both only ever say too much: the one counts threads that collect
 * garbage beside the loop, the other counts other processes.
 */
import type { CostInput } from './cost-case.ts';

const US_PER_MS = 1_000;

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
  let last = { at: performance.now(), cpu: process.cpuUsage() };
  const look = (): void => {
    const at = performance.now();
    const { user, system } = process.cpuUsage(last.cpu);
    ms = Math.max(ms, Math.min(at - last.at, (user + system) / US_PER_MS));
    turns += 1;
    last = { at: performance.now(), cpu: process.cpuUsage() };
  };
  let isOver = false;
  const again = (): void => {
    look();
    if (!isOver) setImmediate(again);
  };
  await new Promise((resolve) => setImmediate(resolve));
  last = { at: performance.now(), cpu: process.cpuUsage() };
  setImmediate(again);
  await run();
  isOver = true;
  look();
  return { ms, turns };
}
