/**
 * All figures of the server, as `/metrics` shows them.
 *
 * Whoever has a figure hands in a function that reads it; it is called when somebody looks,
 * so figures cost nothing while nobody does. The figures of the process itself come from
 * prom-client, which is loaded at the first look and not before.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { formatFamily, formatHead, formatLabels } from './exposition.ts';
import type { Histogram } from './histogram.ts';
import { RequestMeters, type IsServed } from './request-meters.ts';
import { AdmissionFigures } from './admission-figures.ts';

/** One number, or several that differ in labels. */
export type Figures = number | readonly LabelledFigure[];

export interface LabelledFigure {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricsDependencies {
  readonly clock: Clock;
  readonly isServed: IsServed;
}

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

/** Gives the figures of the process: processor time, memory, event loop. */
type ReadProcess = () => Promise<string>;

export class Metrics {
  readonly requests: RequestMeters;
  readonly admission: AdmissionFigures;
  readonly #clock: Clock;
  readonly #instruments: Instrument[] = [];
  readonly #histograms: NamedHistogram[] = [];
  readonly #texts: (() => string)[] = [];
  #readProcess: Promise<ReadProcess> | undefined;

  constructor({ clock, isServed }: MetricsDependencies) {
    this.#clock = clock;
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

  /** A figure that is observed again and again. */
  histogram(name: string, help: string, histogram: Histogram): void {
    this.#histograms.push({ name, help, histogram });
  }

  /** Whole families that somebody writes out: heads and samples. `read` must not throw. */
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
    return (
      this.requests.format(this.#clock.now()) +
      this.admission.format() +
      own +
      (await readProcess())
    );
  }
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

async function processFigures(): Promise<ReadProcess> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return () => registry.metrics();
}
