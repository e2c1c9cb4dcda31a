/**
 * Which values a label of a family may have: every other value is shown as `unexpected`, and samples
 * that differ in nothing else become one. It works on the text of a scrape, so requests pay nothing.
 *
 * In Kubernetes: MetricLabelAllowList, component-base/metrics/options.go.
 */
import { escapeLabel, formatNumber } from './exposition.ts';

/** `family,label` to the values that are allowed, with commas between them. */
export type AllowedLabels = ReadonlyMap<string, string>;

/** The values of each label, written as `formatLabels` writes them. */
type Labels = ReadonlyMap<string, ReadonlySet<string>>;

interface Sample {
  /** With the suffix that the sample of a histogram has. */
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

type LabelParts = [pair: string, label: string, value: string, comma: string];

const UNEXPECTED = 'unexpected';
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(,|$)/gy;
/** Labels that belong to the type of a family, and are none of its own. */
const OF_TYPES: ReadonlySet<string> = new Set(['le', 'quantile']);

export class LabelAllowList {
  readonly #families: ReadonlyMap<string, Labels>;
  /** By family: the samples with an unexpected value, as they were at the last scrape. */
  readonly #last = new Map<string, ReadonlyMap<string, number>>();
  #unexpected = 0;

  constructor(allowed: AllowedLabels) {
    this.#families = familiesOf(allowed);
  }

  /** How often an unexpected value was observed. A gauge is observed when it is shown. */
  get unexpectedCount(): number {
    return this.#unexpected;
  }

  /** @param text whole families, each from its help on. */
  constrain(text: string): string {
    if (this.#families.size === 0) return text;
    const families = text.split(/^(?=# HELP )/m);
    return families.map((family) => this.#family(family)).join('');
  }

  #family(text: string): string {
    const [, family = '', type = ''] = /^# TYPE (\S+) (\S+)$/m.exec(text) ?? [];
    const allowed = this.#families.get(family);
    if (allowed === undefined) return text;
    const lines = text.trimEnd().split('\n');
    const samples = new Map<string, number>();
    const [last, now] = [this.#last.get(family), new Map<string, number>()];
    for (const sample of lines.flatMap(sampleIn)) {
      const { labels, unexpected } = constrained(sample.labels, allowed);
      merge(samples, { ...sample, labels });
      if (unexpected === 0 || !saysHowOften(sample, family, type)) continue;
      now.set(sample.labels, sample.value);
      const before = type === 'gauge' ? sample.value - 1 : (last?.get(sample.labels) ?? 0);
      this.#unexpected += unexpected * Math.max(0, Math.ceil(sample.value - before));
    }
    this.#last.set(family, now);
    const heads = lines.filter((line) => line.startsWith('#'));
    const shown = [...samples].map(([where, value]) => `${where} ${formatNumber(value)}`);
    return `${[...heads, ...shown].join('\n')}\n`;
  }
}

function saysHowOften({ name }: Sample, family: string, type: string): boolean {
  return type === 'gauge' || type === 'counter' || name.slice(family.length) === '_count';
}

function familiesOf(allowed: AllowedLabels): ReadonlyMap<string, Labels> {
  const families = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const [key, values] of allowed) {
    const [family = '', label = ''] = key.split(',');
    const labels = families.get(family) ?? new Map<string, ReadonlySet<string>>();
    if (!OF_TYPES.has(label)) labels.set(label, new Set(values.split(',').map(escapeLabel)));
    families.set(family, labels);
  }
  return families;
}

/** A line is a comment, or `name 1`, or `name{labels} 1`. */
function sampleIn(line: string): Sample[] {
  if (line.startsWith('#')) return [];
  const space = line.lastIndexOf(' ');
  const [where, value] = [line.slice(0, space), numberOf(line.slice(space + 1))];
  const open = where.indexOf('{');
  if (open < 0) return [{ name: where, labels: '', value }];
  return [{ name: where.slice(0, open), labels: where.slice(open + 1, -1), value }];
}

function constrained(labels: string, allowed: Labels): { labels: string; unexpected: number } {
  let unexpected = 0;
  const kept = labels.replaceAll(LABEL, (...[pair, label, value, comma]: LabelParts) => {
    if (allowed.get(label)?.has(value) !== false) return pair;
    unexpected += 1;
    return `${label}="${UNEXPECTED}"${comma}`;
  });
  return { labels: kept, unexpected };
}

/** Numbers are added; of times the latest counts, and of quantiles the highest. */
function merge(samples: Map<string, number>, { name, labels, value }: Sample): void {
  const where = labels === '' ? name : `${name}{${labels}}`;
  const known = samples.get(where);
  const isHighest = name.endsWith('_timestamp_seconds') || labels.includes('quantile="');
  if (known === undefined || Number.isNaN(known)) samples.set(where, value);
  else if (Number.isNaN(value)) return;
  else if (!isHighest) samples.set(where, known + value);
  else samples.set(where, Math.max(known, value));
}

function numberOf(text: string): number {
  if (text === '+Inf') return Infinity;
  return text === '-Inf' ? -Infinity : Number(text);
}
