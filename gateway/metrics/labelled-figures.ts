/**
 * Figures of one family by their label sets, which are few: the family that adds one bounds them, or says how
 * many are kept.
 */
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import { formatFamily, formatHead } from './exposition.ts';
import { type BucketBounds, Histogram } from './histogram.ts';

/** Labels are written out already, by `formatLabels`. */
export class LabelledCounts {
  readonly #counts: Map<string, number> | BoundedMap<string, number>;

  /** @param max past which the ones that were touched longest ago go; undefined: there are few. */
  constructor(max?: number) {
    this.#counts = max === undefined ? new Map() : new BoundedMap(max);
  }

  add(labels: string, count = 1): void {
    this.#counts.set(labels, (this.#counts.get(labels) ?? 0) + count);
  }

  set(labels: string, value: number): void {
    this.#counts.set(labels, value);
  }

  format(name: string, type: 'counter' | 'gauge', help: string): string {
    const samples = [...this.#counts].map(([labels, value]) => ({ labels, value }));
    return formatFamily({ name, type, help }, samples);
  }
}

/** A histogram for each label set, made when it is first observed. */
export class LabelledHistograms {
  readonly #bounds: BucketBounds;
  readonly #max: number;
  readonly #histograms = new Map<string, Histogram>();
  readonly #counts = new LabelledCounts();

  /** @param max past which nothing new is measured. */
  constructor(bounds: BucketBounds, max = Infinity) {
    this.#bounds = bounds;
    this.#max = max;
  }

  observe(labels: string, value: number): void {
    let histogram = this.#histograms.get(labels);
    if (histogram === undefined) {
      if (this.#histograms.size >= this.#max) return;
      histogram = new Histogram(this.#bounds);
      this.#histograms.set(labels, histogram);
    }
    histogram.observe(value);
    this.#counts.add(labels);
  }

  format(name: string, help: string): string {
    const lines = [...this.#histograms].map(([labels, one]) => one.format(name, labels)).join('');
    return lines === '' ? '' : formatHead(name, 'histogram', help) + lines;
  }

  /** How often was observed, as a family of its own. */
  formatCounts(name: string, help: string): string {
    return this.#counts.format(name, 'counter', help);
  }
}
