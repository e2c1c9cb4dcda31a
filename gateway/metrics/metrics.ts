/**
 * All figures of the server, as `/metrics` shows them.
 *
 * The part of the server that has a figure hands in a function that reads it. It is called when
 * `/metrics` is asked for, so figures cost nothing in between. Those of the process are prom-client's,
 * which is loaded at the first look and not before, and what Prometheus' client for Go reads on Linux.
 */
import { readFile } from 'node:fs/promises';

import type { Clock } from '../../api/meta/clock.ts';
import { formatFamily, formatHead, formatLabels } from './exposition.ts';
import type { Histogram } from './histogram.ts';
import { type AllowedLabels, LabelAllowList } from './label-allow-list.ts';
import { type IsServed, RequestMeters } from './request-meters.ts';
import { AdmissionFigures } from './admission-figures.ts';
import { StorageFigures } from './storage-figures.ts';

/** One number, or several that differ in labels. */
type Figures = number | readonly LabelledFigure[];

export interface LabelledFigure {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface MetricsDependencies {
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

/** Gives processor time, memory, event loop, network as text. */
type ReadProcess = () => Promise<string>;

const UNLIMITED = 2 ** 64;

async function processFigures(): Promise<ReadProcess> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return async () => (await registry.metrics()) + (await linuxFigures());
}

/** '' where the system does not tell. */
async function linuxFigures(): Promise<string> {
  const [limits, network] = await Promise.all([
    textOf('/proc/self/limits'),
    textOf('/proc/self/net/netstat'),
  ]);
  return formatLimit(limits) + formatNetwork(network);
}

function formatLimit(limits: string): string {
  const [, soft] = /^Max address space +(\S+)/m.exec(limits) ?? [];
  if (soft === undefined) return '';
  const name = 'process_virtual_memory_max_bytes';
  const help = 'How much address space the process may have.';
  const value = soft === 'unlimited' ? UNLIMITED : Number(soft);
  return formatFamily({ name, type: 'gauge', help }, [{ labels: '', value }]);
}

/** A line of names and a line of values for each protocol. */
export function formatNetwork(netstat: string): string {
  const lines = netstat.split('\n').filter((line) => line.startsWith('IpExt: '));
  const [names = [], values = []] = lines.map((line) => line.split(' '));
  const byName = new Map(names.map((name, at) => [name, values[at]]));
  const counter = (name: string, help: string, field: string): string => {
    const value = byName.get(field);
    if (value === undefined) return '';
    const sample = { labels: '', value: Number(value) };
    return formatFamily({ name, type: 'counter', help }, [sample]);
  };
  return (
    counter('process_network_receive_bytes_total', 'Bytes received over IP.', 'InOctets') +
    counter('process_network_transmit_bytes_total', 'Bytes sent over IP.', 'OutOctets')
  );
}

function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
