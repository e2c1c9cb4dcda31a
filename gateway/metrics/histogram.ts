/** Counts observations into buckets. Made to be cheap to add to; reading may cost. */
import { formatNumber } from './exposition.ts';

export interface BucketBounds {
  /** Upper bounds, rising; above the last one is `+Inf`. */
  readonly bounds: readonly number[];
  /** The bounds as they stand in the label `le`, `+Inf` included. */
  readonly labels: readonly string[];
}

/** @param bounds rising. @param label of a bound in `le`, where Go prints it otherwise. */
export function bucketBounds(
  bounds: readonly number[],
  label: (bound: number) => string = formatNumber,
): BucketBounds {
  return { bounds, labels: [...bounds.map(label), '+Inf'] };
}

export class Histogram {
  readonly #buckets: BucketBounds;
  readonly #counts: number[];
  #sum = 0;

  constructor(buckets: BucketBounds) {
    this.#buckets = buckets;
    this.#counts = buckets.labels.map(() => 0);
  }

  observe(value: number): void {
    const { bounds } = this.#buckets;
    let at = 0;
    // Most observations fall into the first buckets, so searching from there is the fastest.
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  /** The lines of this histogram; none when nothing was observed. */
  format(name: string, labels: string): string {
    const others = labels === '' ? '' : `${labels},`;
    const where = labels === '' ? '' : `{${labels}}`;
    let count = 0;
    let lines = '';
    this.#buckets.labels.forEach((label, at) => {
      count += this.#counts[at] ?? 0;
      lines += `${name}_bucket{${others}le="${label}"} ${String(count)}\n`;
    });
    if (count === 0) return '';
    const sum = `${name}_sum${where} ${formatNumber(this.#sum)}\n`;
    return `${lines}${sum}${name}_count${where} ${String(count)}\n`;
  }
}
