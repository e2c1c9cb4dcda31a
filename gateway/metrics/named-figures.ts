/**
 * Figures by their label sets. Those of a family are few where the family bounds them, or says how many
 * are kept. In the labels of counters and histograms stand names that operators choose: label sets come
 * about as they are needed, and past a limit new ones share one, in which no names stand.
 */
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import { formatFamily, formatHead, formatLabels } from './exposition.ts';
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

type Labels = Readonly<Record<string, string>>;

interface Family {
  readonly name: string;
  readonly help: string;
}

const SERIES_MAX = 5_000;
const NAMES: ReadonlySet<string> = new Set(['name', 'policy', 'policy_binding']);

class Series<Value> {
  readonly #values = new Map<string, Value>();
  readonly #make: () => Value;

  constructor(make: () => Value) {
    this.#make = make;
  }

  of(labels: Labels): Value {
    const key = formatLabels(labels);
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const kept = this.#values.size < SERIES_MAX ? key : formatLabels(nameless(labels));
    const value = this.#values.get(kept) ?? this.#make();
    this.#values.set(kept, value);
    return value;
  }

  get all(): readonly (readonly [labels: string, value: Value])[] {
    return [...this.#values];
  }
}

function nameless(labels: Labels): Labels {
  const entries = Object.entries(labels).map(([label, value]) => {
    return [label, NAMES.has(label) ? '' : value] as const;
  });
  return Object.fromEntries(entries);
}

interface Count {
  value: number;
}

export class NamedCounts {
  readonly #family: Family;
  readonly #counts = new Series<Count>(() => ({ value: 0 }));
  readonly #shownAtZero: ReadonlySet<Count>;

  /** @param shownAtZero which of them are there before anything is counted. */
  constructor(family: Family, shownAtZero: readonly Labels[] = []) {
    this.#family = family;
    this.#shownAtZero = new Set(shownAtZero.map((labels) => this.of(labels)));
  }

  /** For what adds to the same again and again. */
  of(labels: Labels): Count {
    return this.#counts.of(labels);
  }

  add(labels: Labels, more = 1): void {
    this.of(labels).value += more;
  }

  format(): string {
    const samples = this.#counts.all
      .filter(([, count]) => count.value > 0 || this.#shownAtZero.has(count))
      .map(([labels, { value }]) => ({ labels, value }));
    return formatFamily({ ...this.#family, type: 'counter' }, samples);
  }
}

export class NamedHistograms {
  readonly #family: Family;
  readonly #histograms: Series<Histogram>;

  constructor(family: Family, buckets: BucketBounds) {
    this.#family = family;
    this.#histograms = new Series(() => new Histogram(buckets));
  }

  of(labels: Labels): Histogram {
    return this.#histograms.of(labels);
  }

  format(): string {
    const { name, help } = this.#family;
    const lines = this.#histograms.all.map(([labels, one]) => one.format(name, labels)).join('');
    return lines === '' ? '' : formatHead(name, 'histogram', help) + lines;
  }
}
