/** What every change to an input is made with, and how bytes are cut out and put in. */
import type { SeededRandom } from './seeded-random.ts';

export interface MutationSource {
  readonly random: SeededRandom;
  readonly dictionary: readonly Uint8Array[];
  readonly bytesMax: number;
  /** Another input of the corpus. */
  other(): Uint8Array;
}

/** A range of at most `lengthMax` bytes; short ones are likelier. */
export function someRange(
  random: SeededRandom,
  length: number,
  lengthMax = length,
): readonly [start: number, end: number] {
  const start = random.integer(length);
  const longest = Math.min(length - start, 1 + random.integer(Math.max(1, lengthMax)));
  return [start, start + random.integer(longest + 1)];
}

/** `input` with `part` where the range was. */
export function replaced(
  input: Uint8Array,
  [start, end]: readonly [number, number],
  part: Uint8Array,
): Uint8Array {
  const result = new Uint8Array(input.length - (end - start) + part.length);
  result.set(input.subarray(0, start));
  result.set(part, start);
  result.set(input.subarray(end), start + part.length);
  return result;
}
