/**
 * All figures of the server, as `/metrics` shows them.
 *
 * The part of the server that has a figure hands in a function that reads it. It is called when
 * `/metrics` is asked for, so figures cost nothing in between.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { formatFamily, formatHead, formatLabels } from './exposition.ts';
import type { Histogram } from './histogram.ts';
import { LabelAllowList, type AllowedLabels } from './label-allow-list.ts';
import { RequestMeters, type IsServed } from './request-meters.ts';
import { AdmissionFigures } from './admission-figures.ts';
import { processFigures, type ReadProcess } from './process-figures.ts';
import { StorageFigures } from './storage-figures.ts';

/** One number, or several that differ in labels. */
export type Figures = number | readonly LabelledFigure[];

export interface LabelledFigure {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricsDependencies {
  readonly clock: Clock;
  readonly isServed: IsServed;
  /** All that are not hidden, where nothing is said. */
  readonly shown?: ShownFamilies;
}

/** Which families are shown, and how. */
export interface ShownFamilies {
  /** Also those that upstream has deprecated and hidden. */
  readonly showHiddenMetrics: boolean;
  /** But for these. */
  readonly disabledMetrics: readonly string[];
  /** Which values labels may have. */
  readonly allowMetricLabels: AllowedLabels;
}

const HELP = '\n# HELP ';
const ALL_BUT_HIDDEN: ShownFamilies = {
  showHiddenMetrics: false,
  disabledMetrics: [],
  allowMetricLabels: new Map(),
};
const UNEXPECTED_VALUES = {
  name: 'cardinality_enforcement_unexpected_categorizations_total',
  type: 'counter',
  help: 'Values of labels that are not among those that flags allow.',
} as const;

interface Instrument {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly read: () => Figures;
}

interface NamedHistogram {
  readonly name: string;
  readonly help: string;
  readonly histogram: Histogram;
}

export class Metrics {
  readonly requests: RequestMeters;
  readonly admission: AdmissionFigures;
  readonly storage = new StorageFigures();
  readonly #clock: Clock;
  readonly #shown: ShownFamilies;
  readonly #disabled: ReadonlySet<string>;
  readonly #allowed: LabelAllowList;
  readonly #hidden = new Set<string>();
  readonly #instruments: Instrument[] = [];
  readonly #histograms: NamedHistogram[] = [];
  readonly #texts: (() => string)[] = [];
  #readProcess: Promise<ReadProcess> | undefined;

  constructor({ clock, isServed, shown = ALL_BUT_HIDDEN }: MetricsDependencies) {
    this.#clock = clock;
    this.#shown = shown;
    this.#disabled = new Set(shown.disabledMetrics);
    this.#allowed = new LabelAllowList(shown.allowMetricLabels);
    this.counter('disabled_metrics_total', 'Families that a flag leaves out.', () => {
      return this.#disabled.size;
    });
    this.counter('hidden_metrics_total', 'Families that are deprecated and not shown.', () => {
      return this.#hidden.size;
    });
    this.requests = new RequestMeters(isServed);
    this.admission = new AdmissionFigures(clock);
  }

  /** A figure that only rises; its name ends in `_total`. `read` must not throw. */
  counter(name: string, help: string, read: () => Figures): void {
    this.#instruments.push({ name, type: 'counter', help, read });
  }

  /** A figure that rises and falls. `read` must not throw. */
  gauge(name: string, help: string, read: () => Figures): void {
    this.#instruments.push({ name, type: 'gauge', help, read });
  }

  /** One that upstream has deprecated, and shows only when it is told to. */
  hiddenGauge(name: string, help: string, read: () => Figures): void {
    if (this.#shown.showHiddenMetrics) this.gauge(name, help, read);
    else this.#hidden.add(name);
  }

  /** A figure that is observed again and again. */
  histogram(name: string, help: string, histogram: Histogram): void {
    this.#histograms.push({ name, help, histogram });
  }

  /** Whole families that their owner writes out: heads and samples. `read` must not throw. */
  text(read: () => string): void {
    this.#texts.push(read);
  }

  /** Everything in Prometheus' text format. */
  async format(): Promise<string> {
    this.#readProcess ??= processFigures();
    const readProcess = await this.#readProcess;
    const own = [
      ...this.#instruments.map(formatInstrument),
      ...this.#histograms.map(formatHistogram),
      ...this.#texts.map((read) => read()),
    ].join('');
    const all =
      this.requests.format(this.#clock.now()) +
      this.admission.format() +
      this.storage.format() +
      own +
      (await readProcess());
    const shown = this.#allowed.constrain(all);
    const unexpected = [{ labels: '', value: this.#allowed.unexpectedCount }];
    return this.#kept(shown + formatFamily(UNEXPECTED_VALUES, unexpected));
  }

  /** Families that another part writes out, and that are no part of {@link format}, as flags have them. */
  shown(families: string): string {
    return this.#kept(this.#allowed.constrain(families));
  }

  #kept(families: string): string {
    const isWhole = this.#disabled.size === 0 || families === '';
    return isWhole ? families : without(families, this.#disabled);
  }
}

/** The text without some families; each begins with its help. */
function without(text: string, families: ReadonlySet<string>): string {
  const kept = `\n${text.trimEnd()}`
    .split(HELP)
    .filter((family) => !families.has(family.slice(0, family.indexOf(' '))));
  return `${kept.join(HELP).slice(1)}\n`;
}

function formatInstrument({ read, ...family }: Instrument): string {
  const figures = read();
  const samples =
    typeof figures === 'number'
      ? [{ labels: '', value: figures }]
      : figures.map(({ labels, value }) => ({ labels: formatLabels(labels), value }));
  return formatFamily(family, samples);
}

function formatHistogram({ name, help, histogram }: NamedHistogram): string {
  const lines = histogram.format(name, '');
  return lines === '' ? '' : formatHead(name, 'histogram', help) + lines;
}
