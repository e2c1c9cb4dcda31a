/**
 * Events that watchers were sent, and how large they are. What is rendered once for many watchers
 * is measured once, and counted for each of them.
 *
 * In Kubernetes: apiserver_watch_events_total and _sizes, apiserver/pkg/endpoints/metrics.
 */
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { formatFamily, formatHead, formatLabels } from './exposition.ts';
import { bucketBounds, Histogram } from './histogram.ts';
import { LabelledHistograms } from './named-figures.ts';

const SIZES = bucketBounds([1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072]);
const SIZES_NAME = 'apiserver_watch_events_sizes';
const LISTS_NAME = 'apiserver_watch_list_duration_seconds';
const LISTS_HELP = 'How long it takes until watches have shown all that was there.';
const TOTAL = {
  name: 'apiserver_watch_events_total',
  type: 'counter',
  help: 'Events that watchers were sent.',
} as const;
const LIST_SECONDS = bucketBounds([
  0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60,
]);
const MS = 1_000;

/** Past that, resources share one. */
const RESOURCES_MAX = 2_000;

const NO_RESOURCE = formatLabels({ group: '', version: '', resource: '' });

/** Sizes of the events in a chunk, in bytes. A chunk is measured when it is made. */
const MEASURED = new WeakMap<Buffer, readonly number[]>();

/**
 * Notes what is in a chunk when it is rendered, so that sending it to many costs one lookup each.
 */
export function measureChunk(chunk: Buffer, eventBytes: readonly number[]): void {
  MEASURED.set(chunk, eventBytes);
}

/** Of one resource. */
export class WatchMeter {
  readonly sizes = new Histogram(SIZES);
  count = 0;

  /** A watcher is sent the chunk. What was not measured counts for nothing. */
  sent(chunk: Buffer): void {
    const measured = MEASURED.get(chunk);
    if (measured === undefined) return;
    this.count += measured.length;
    for (const sizeBytes of measured) this.sizes.observe(sizeBytes);
  }
}

type Watched = Pick<ResourceFacts, 'group' | 'version' | 'resource'>;

/** '' for all. */
interface WatchedPlace {
  readonly namespace: string;
  readonly name: string;
}

export class WatchMeters {
  readonly #lists = new LabelledHistograms(LIST_SECONDS, RESOURCES_MAX);
  readonly #others = new WatchMeter();
  readonly #byLabels = new Map([[NO_RESOURCE, this.#others]]);

  /** Asked once for a watch. */
  of({ group, version, resource }: Watched) {
    const labels = formatLabels({ group, version, resource });
    return this.#byLabels.get(labels) ?? this.#make(labels);
  }

  /** A watch that began with what there was has shown all of that. */
  listed({ group, version, resource }: Watched, { namespace, name }: WatchedPlace, ms: number) {
    const ofMany = namespace === '' ? 'cluster' : 'namespace';
    const scope = name === '' ? ofMany : 'resource';
    this.#lists.observe(formatLabels({ group, version, resource, scope }), ms / MS);
  }

  /** All families in Prometheus' text format. */
  format(): string {
    return this.#formatSent() + this.#lists.format(LISTS_NAME, LISTS_HELP);
  }

  #formatSent(): string {
    const used = [...this.#byLabels].filter(([, { count }]) => count > 0);
    if (used.length === 0) return '';
    const totals = used.map(([labels, { count }]) => ({ labels, value: count }));
    const sizes = used.map(([labels, { sizes: one }]) => one.format(SIZES_NAME, labels));
    const head = formatHead(
      SIZES_NAME,
      'histogram',
      'Bytes in the events that watchers were sent.',
    );
    return formatFamily(TOTAL, totals) + head + sizes.join('');
  }

  #make(labels: string): WatchMeter {
    if (this.#byLabels.size >= RESOURCES_MAX) return this.#others;
    const meter = new WatchMeter();
    this.#byLabels.set(labels, meter);
    return meter;
  }
}
