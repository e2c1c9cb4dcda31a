/**
 * Counts observations into buckets: of a histogram, or of a summary, which tells the quantiles of the last
 * hours. Made to be cheap to add to; reading may cost.
 */
import { formatNumber } from './exposition.ts';
import type { Clock } from '../../api/meta/clock.ts';

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

const QUANTILES = [0.5, 0.9, 0.99];
/** Seconds; what is less is as good as that. */
const LEAST = 1e-6;
const GROWTH = Math.log(1.05);
/** Reaches to three minutes. */
const BUCKETS = 400;

interface SummaryParts {
  readonly clock: Clock;
  /** How far back it looks, at most. */
  readonly maxAgeMs: number;
}

const PARTS = 5;

/**
 * The quantiles of what was observed in the last hours, to five percent: observations are counted in
 * buckets whose bounds grow by that much, in parts of which the oldest is forgotten again and again.
 *
 * In Kubernetes: Summary of prometheus/client_golang, with its usual objectives.
 */
export class Summary {
  readonly #clock: Clock;
  readonly #partMs: number;
  /** Oldest first. */
  readonly #parts: Uint32Array[] = [new Uint32Array(BUCKETS)];
  #newestUntil: number;
  #count = 0;
  #sum = 0;

  constructor({ clock, maxAgeMs }: SummaryParts) {
    this.#clock = clock;
    this.#partMs = maxAgeMs / PARTS;
    this.#newestUntil = clock.now() + this.#partMs;
  }

  /** @param value seconds. */
  observe(value: number): void {
    this.#count += 1;
    this.#sum += value;
    if (this.#clock.now() >= this.#newestUntil) this.#forget();
    const newest = this.#parts.at(-1);
    if (newest === undefined) return;
    const bucket = bucketOf(value);
    newest[bucket] = (newest[bucket] ?? 0) + 1;
  }

  /** The lines of this summary; none when nothing was ever observed. */
  format(name: string, labels: string): string {
    if (this.#count === 0) return '';
    if (this.#clock.now() >= this.#newestUntil) this.#forget();
    const where = labels === '' ? '' : `{${labels}}`;
    const others = labels === '' ? '' : `${labels},`;
    const lines = this.#quantiles().map(([quantile, value]) => {
      return `${name}{${others}quantile="${String(quantile)}"} ${value}\n`;
    });
    const sum = `${name}_sum${where} ${formatNumber(this.#sum)}\n`;
    return `${lines.join('')}${sum}${name}_count${where} ${String(this.#count)}\n`;
  }

  #quantiles(): (readonly [quantile: number, value: string])[] {
    const counts = Array.from({ length: BUCKETS }, (_, at) =>
      this.#parts.reduce((sum, part) => sum + (part[at] ?? 0), 0),
    );
    const total = counts.reduce((sum, count) => sum + count, 0);
    return QUANTILES.map((quantile) => {
      if (total === 0) return [quantile, 'NaN'];
      let seen = 0;
      const at = counts.findIndex((count) => (seen += count) >= quantile * total);
      return [quantile, formatNumber(Number(middleOf(at).toPrecision(3)))];
    });
  }

  #forget(): void {
    const now = this.#clock.now();
    const passed = 1 + Math.floor((now - this.#newestUntil) / this.#partMs);
    for (let part = 0; part < Math.min(passed, PARTS); part += 1) {
      this.#parts.push(new Uint32Array(BUCKETS));
      if (this.#parts.length > PARTS) this.#parts.shift();
    }
    this.#newestUntil += passed * this.#partMs;
  }
}

function bucketOf(value: number): number {
  if (value <= LEAST) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log(value / LEAST) / GROWTH));
}

function middleOf(bucket: number): number {
  return bucket === 0 ? LEAST : LEAST * Math.exp((bucket - 0.5) * GROWTH);
}
