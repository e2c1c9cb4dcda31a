/**
 * Families of counters and histograms in whose labels names stand that operators choose. Label sets
 * come about as they are needed; past a limit new ones share one, in which no names stand.
 */
import { formatFamily, formatHead, formatLabels } from './exposition.ts';
import { type BucketBounds, Histogram } from './histogram.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Family {
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

export interface Count {
  value: number;
}

export class NamedCounts {
  readonly #family: Family;
  readonly #counts = new Series<Count>(() => ({ value: 0 }));

  constructor(family: Family) {
    this.#family = family;
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
      .filter(([, { value }]) => value > 0)
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
