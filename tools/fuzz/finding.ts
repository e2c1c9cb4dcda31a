/**
 * What an input did that no input may do, how two findings are known to be the same, and how the
 * input of one is made small as long as it finds the same.
 */
import type { FuzzTarget } from './fuzz-target.ts';

export interface Finding {
  /** What was thrown and where, without what differs between inputs: equal for the same fault. */
  readonly key: string;
  readonly message: string;
}

/** Longer than this no input may keep the server: time of a core, for others may want it as well. */
export const TIME_MAX_MS = 1_000;

/** Runs an input; undefined when all is well. What took long is run again, for the machine may. */
export async function findingOf(
  target: FuzzTarget,
  input: Uint8Array,
): Promise<Finding | undefined> {
  const before = performance.now();
  const finding = await thrown(target, input);
  if (finding !== undefined || performance.now() - before <= TIME_MAX_MS) return finding;
  const tookMs = await leastTimeMs(target, input);
  if (tookMs <= TIME_MAX_MS) return undefined;
  return { key: 'slow', message: `took ${tookMs.toFixed()} ms` };
}

/** Synchronous where the target is: a promise for each input would cost more than most targets. */
export function thrown(
  target: FuzzTarget,
  input: Uint8Array,
): Finding | undefined | Promise<Finding | undefined> {
  try {
    const run = target.run(input);
    return run === undefined ? undefined : run.then(nothing, describe);
  } catch (error) {
    return describe(error);
  }
}

function nothing(): undefined {
  return undefined;
}

async function leastTimeMs(target: FuzzTarget, input: Uint8Array): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 3 && least > TIME_MAX_MS; run += 1) {
    const before = process.cpuUsage();
    await thrown(target, input);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

function describe(error: unknown): Finding {
  const isError = error instanceof Error;
  const message = isError ? (error.stack ?? error.message) : `thrown: ${String(error)}`;
  const name = isError ? error.constructor.name : typeof error;
  const words = (isError ? error.message : String(error)).replaceAll(
    /"[^"]*"|'[^']*'|[\d.]+/g,
    '…',
  );
  return { key: `${name}: ${words.slice(0, 80)} ${placesOf(message)}`, message };
}

/** The two innermost functions; a stack that overflowed is cut wherever it was. */
function placesOf(stack: string): string {
  if (stack.startsWith('RangeError: Maximum call stack')) return '';
  const frames = [...stack.matchAll(/^ +at (?:async )?(?:new )?([\w$.#<>]+) \(/gm)];
  return frames
    .slice(0, 2)
    .map(([, name]) => name)
    .join(' ← ');
}

const RUNS_MAX = 1_500;

export async function minimized(
  target: FuzzTarget,
  input: Uint8Array,
  key: string,
  before: (input: Uint8Array) => void,
): Promise<Uint8Array> {
  let best = input;
  // What takes seconds must not be run a thousand times.
  let runs = key === 'slow' ? 12 : RUNS_MAX;
  for (let size = Math.ceil(best.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length && runs > 0; runs -= 1) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      before(shorter);
      const found = await findingOf(target, shorter);
      if (found?.key === key) best = shorter;
      else at += size;
    }
  }
  return best;
}
