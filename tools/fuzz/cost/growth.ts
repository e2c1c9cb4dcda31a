/** What is too much work for twice the bytes, by counts. */

/** Sorting takes a little more than twice. */
const RATIO_MAX = 2.6;
/** Of what is less no statement can be made: it is a constant. */
const GROWTH_MIN = 5_000;

/**
 * Compares what each doubling adds, so that what any input costs has no part in it.
 *
 * @param work of an input, one of twice and one of four times its size.
 */
export function growsTooFast({
  work: [small, middle, large],
}: {
  readonly work: readonly [number, number, number];
}): boolean {
  const [first, second] = [middle - small, large - middle];
  return second > GROWTH_MIN && second > Math.max(first, GROWTH_MIN / 8) * RATIO_MAX;
}
