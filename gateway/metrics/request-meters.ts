/**
 * Counts and measures requests, for the families `apiserver_request_*` and their kin.
 *
 * A request costs one look-up among the label sets of its resource and a few additions; all
 * text is made when somebody reads the figures.
 *
 * In Kubernetes: MonitorRequest, apiserver/pkg/endpoints/metrics.
 */
import { isLongRunning } from '../../actors/long-running.ts';
import type { RequestMetrics } from '../../actors/request-metrics.ts';
import type { Outcome, RoutedRequest } from '../../actors/request.ts';
import { formatFamily, formatHead, formatLabels, type Sample } from './exposition.ts';
import { bucketBounds, Histogram } from './histogram.ts';
import { dryRunOf, knownPath, reportedVerb, scopeOf, type Scope } from './request-labels.ts';

/** Whether the server has such a resource; asked only for label sets not seen before. */
export type IsServed = (
  group: string,
  version: string,
  resource: string,
  /** '' for the resource itself. */
  subresource: string,
) => boolean;

const DURATIONS = bucketBounds([
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
  60,
]);

const SIZES = bucketBounds([1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9], (bound) =>
  bound < 1e6 ? String(bound) : `1e+0${String(Math.log10(bound))}`,
);

/** Past that, new label sets share one; a server with that many resources can still be read. */
const SERIES_MAX = 5_000;

interface Labels {
  readonly verb: string;
  readonly dryRun: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: Scope;
}

/** All that is counted for requests with the same labels. */
class Series {
  readonly labels: Labels;
  readonly codes = new Map<number, number>();
  readonly durations = new Histogram(DURATIONS);
  readonly sizes = new Histogram(SIZES);
  openCount = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  count(code: number): void {
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }
}

export class RequestMeters implements RequestMetrics {
  readonly #isServed: IsServed;
  readonly #byResource = new Map<string, Series[]>();
  readonly #all: Series[] = [];
  readonly #readOnly = new InFlight();
  readonly #mutating = new InFlight();

  constructor(isServed: IsServed) {
    this.#isServed = isServed;
  }

  begun(request: RoutedRequest): void {
    if (isLongRunning(request.info)) this.#seriesOf(request).openCount += 1;
    else this.#inFlightOf(request).enter(request.receivedAt);
  }

  ended(request: RoutedRequest, { code, sizeBytes }: Outcome, durationMs: number): void {
    const series = this.#seriesOf(request);
    if (isLongRunning(request.info)) series.openCount -= 1;
    else this.#inFlightOf(request).leave(request.receivedAt + durationMs);
    series.count(code);
    series.durations.observe(durationMs / 1_000);
    const { verb } = series.labels;
    if (verb === 'GET' || verb === 'LIST') series.sizes.observe(sizeBytes);
  }

  /** All families in Prometheus' text format. `now` is in milliseconds since 1970. */
  format(now: number): string {
    return (
      this.#formatTotals() +
      this.#formatHistograms(DURATION_FAMILY, true, (series) => series.durations) +
      this.#formatHistograms(SIZE_FAMILY, false, (series) => series.sizes) +
      formatFamily(OPEN_FAMILY, this.#openSamples()) +
      formatFamily(IN_FLIGHT_FAMILY, [
        { labels: 'request_kind="mutating"', value: this.#mutating.peak(now) },
        { labels: 'request_kind="readOnly"', value: this.#readOnly.peak(now) },
      ])
    );
  }

  #inFlightOf({ info: { verb } }: RoutedRequest): InFlight {
    return verb === 'get' || verb === 'list' ? this.#readOnly : this.#mutating;
  }

  #seriesOf(request: RoutedRequest): Series {
    const { info, query } = request;
    const scope = scopeOf(info);
    const verb = reportedVerb(request, scope);
    const dryRun = query === '' ? '' : dryRunOf(query);
    const subresource = info.isResourceRequest ? info.subresource : knownPath(info.path);
    const { apiGroup: group, apiVersion: version, resource } = info;
    const found = this.#find({ verb, dryRun, group, version, resource, subresource, scope });
    if (found !== undefined) return found;

    const labels = { verb, dryRun, group, version, resource, subresource, scope };
    const isKnown =
      !info.isResourceRequest || this.#isServed(group, version, resource, subresource);
    const isFull = this.#all.length >= SERIES_MAX;
    return isKnown && !isFull ? this.#make(labels) : this.#shared(verb, scope);
  }

  #find(labels: Labels): Series | undefined {
    const candidates = this.#byResource.get(labels.resource);
    if (candidates === undefined) return undefined;
    for (const candidate of candidates) {
      if (isSame(candidate.labels, labels)) return candidate;
    }
    return undefined;
  }

  #make(labels: Labels): Series {
    const series = new Series(labels);
    const siblings = this.#byResource.get(labels.resource);
    if (siblings === undefined) this.#byResource.set(labels.resource, [series]);
    else siblings.push(series);
    this.#all.push(series);
    return series;
  }

  /** What resources count towards that nobody serves. There are at most a few dozen of these. */
  #shared(verb: string, scope: Scope): Series {
    const none = { dryRun: '', group: '', version: '', resource: '', subresource: '' };
    const labels = { ...none, verb, scope };
    return this.#find(labels) ?? this.#make(labels);
  }

  #formatTotals(): string {
    let lines = '';
    for (const { labels, codes } of this.#all) {
      const text = formatAll(labels);
      for (const [code, count] of codes) {
        lines += `${TOTAL_FAMILY.name}{${text},code="${String(code)}"} ${String(count)}\n`;
      }
    }
    if (lines === '') return '';
    return formatHead(TOTAL_FAMILY.name, TOTAL_FAMILY.type, TOTAL_FAMILY.help) + lines;
  }

  /** Without the dry run, label sets that differ in nothing else would be written twice. */
  #formatHistograms(
    family: Family,
    withDryRun: boolean,
    histogramOf: (series: Series) => Histogram,
  ): string {
    let lines = '';
    for (const series of this.#all) {
      if (!withDryRun && series.labels.dryRun !== '') continue;
      const labels = withDryRun ? formatAll(series.labels) : formatMost(series.labels);
      lines += histogramOf(series).format(family.name, labels);
    }
    return lines === '' ? '' : formatHead(family.name, family.type, family.help) + lines;
  }

  *#openSamples(): Iterable<Sample> {
    for (const { labels, openCount } of this.#all) {
      if (isLongRunningVerb(labels.verb)) yield { labels: formatMost(labels), value: openCount };
    }
  }
}

function isLongRunningVerb(verb: string): boolean {
  return verb === 'WATCH' || verb === 'CONNECT';
}

function isSame(one: Labels, other: Labels): boolean {
  return (
    one.verb === other.verb &&
    one.scope === other.scope &&
    one.dryRun === other.dryRun &&
    one.subresource === other.subresource &&
    one.version === other.version &&
    one.group === other.group
  );
}

function formatAll({ dryRun, ...labels }: Labels): string {
  const { verb, ...rest } = labels;
  return formatLabels({ verb, dry_run: dryRun, ...rest, component: 'apiserver' });
}

function formatMost({ dryRun: _dryRun, ...labels }: Labels): string {
  return formatLabels({ ...labels, component: 'apiserver' });
}

/** How many requests of a kind are under way, and the most there were in the last second. */
class InFlight {
  #current = 0;
  #peak = 0;
  #second = 0;

  enter(now: number): void {
    this.#moveTo(now);
    this.#current += 1;
    if (this.#current > this.#peak) this.#peak = this.#current;
  }

  leave(now: number): void {
    this.#moveTo(now);
    this.#current -= 1;
  }

  peak(now: number): number {
    // The second that has just ended still counts, or a scrape at its turn would see nothing.
    if (Math.floor(now / 1_000) > this.#second + 1) this.#moveTo(now);
    return this.#peak;
  }

  #moveTo(now: number): void {
    const second = Math.floor(now / 1_000);
    if (second <= this.#second) return;
    this.#second = second;
    this.#peak = this.#current;
  }
}

interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
}

const TOTAL_FAMILY: Family = {
  name: 'apiserver_request_total',
  type: 'counter',
  help: 'Requests answered, by what they asked for and the HTTP status code.',
};

const DURATION_FAMILY: Family = {
  name: 'apiserver_request_duration_seconds',
  type: 'histogram',
  help: 'Time from the first byte of a request to the last byte of its answer.',
};

const SIZE_FAMILY: Family = {
  name: 'apiserver_response_sizes',
  type: 'histogram',
  help: 'Bytes in the answers to GETs and LISTs.',
};

const OPEN_FAMILY: Family = {
  name: 'apiserver_longrunning_requests',
  type: 'gauge',
  help: 'Watches, logs and connections that are open now.',
};

const IN_FLIGHT_FAMILY: Family = {
  name: 'apiserver_current_inflight_requests',
  type: 'gauge',
  help: 'The most requests that were under way at a time in the last second.',
};
