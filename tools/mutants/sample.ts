/** A random sample without repetition, the same for the same seed. */
import { SeededRandom } from '../fuzz/seeded-random.ts';

/** At most `size` of the values, in their own order; all of them where there are fewer. */
export function sampleOf<Value>(values: readonly Value[], size: number, seed: number): Value[] {
  const random = new SeededRandom(seed);
  const chosen = values.map((_, at) => at);
  for (let at = 0; at < Math.min(size, chosen.length); at += 1) {
    const other = at + random.integer(chosen.length - at);
    [chosen[at], chosen[other]] = [chosen[other] ?? at, chosen[at] ?? other];
  }
  return chosen
    .slice(0, size)
    .sort((a, b) => a - b)
    .flatMap((at) => values.slice(at, at + 1));
}
