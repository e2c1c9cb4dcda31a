/**
 * Counts and measures requests, for the families `apiserver_request_*` and their kin.
 *
 * A request costs one look-up among the label sets of its resource and a few additions; all
 * text is made when the figures are read.
 *
 * In Kubernetes: MonitorRequest, apiserver/pkg/endpoints/metrics.
 */
import {
  dryRunOf,
  isLongRunning,
  knownPath,
  reportedVerb,
  type RequestMetrics,
  type Scope,
  scopeOf,
} from '../../actors/request/request-labels.ts';
import { isPassedOn } from '../../actors/request/passed-requests.ts';
import { isForDeprecated } from '../../actors/request/deprecation.ts';
import type {
  Outcome,
  ReceivedRequest,
  RequestInfo,
  RoutedRequest,
} from '../../actors/request/request.ts';
import { DeprecatedRequests } from './deprecated-requests.ts';
import { formatFamily, formatHead, formatLabels, type Sample } from './exposition.ts';
import { Histogram } from './histogram.ts';
import {
  ABORTS_FAMILY,
  BODY_FAMILY,
  BODY_SIZES,
  DURATION_FAMILY,
  DURATIONS,
  IN_FLIGHT_FAMILY,
  OPEN_FAMILY,
  SIZE_FAMILY,
  SIZES,
  SLI_DURATIONS,
  SLI_FAMILY,
  TERMINATIONS_FAMILY,
  TOTAL_FAMILY,
  type Family,
} from './request-families.ts';
import { SelfRequests } from './self-requests.ts';

/** Whether the server has such a resource; asked only for label sets not seen before. */
export type IsServed = (
  group: string,
  version: string,
  resource: string,
  /** '' for the resource itself. */
  subresource: string,
) => boolean;

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
  readonly ownDurations = new Histogram(SLI_DURATIONS);
  readonly sizes = new Histogram(SIZES);
  /** Shared with all series of the resource and verb; undefined: such requests have no bodies. */
  readonly bodies: Histogram | undefined;
  /** By code. */
  readonly terminations = new Map<number, number>();
  aborts = 0;
  openCount = 0;

  constructor(labels: Labels, bodies: Histogram | undefined) {
    this.labels = labels;
    this.bodies = bodies;
  }

  count(code: number): void {
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }
}

export class RequestMeters implements RequestMetrics {
  readonly #isServed: IsServed;
  readonly #byResource = new Map<string, Series[]>();
  readonly #all: Series[] = [];
  /** What {@link #shared} gave, by scope and verb. */
  readonly #sharedBy = new Map<Scope, Map<string, Series>>();
  readonly #readOnly = new InFlight();
  readonly #mutating = new InFlight();
  readonly #bodies = new Map<string, Histogram>();
  readonly #self = new SelfRequests();
  readonly #deprecated = new DeprecatedRequests();

  constructor(isServed: IsServed) {
    this.#isServed = isServed;
  }

  /** How many requests have ended since the start, by verb. */
  totals(): Readonly<Record<string, number>> {
    const totals = new Map<string, number>();
    for (const { labels, codes } of this.#all) {
      let count = totals.get(labels.verb) ?? 0;
      for (const ofCode of codes.values()) count += ofCode;
      totals.set(labels.verb, count);
    }
    return Object.fromEntries(totals);
  }

  begun(request: RoutedRequest): void {
    if (isLongRunning(request.info)) this.#seriesOf(request).openCount += 1;
    else this.#inFlightOf(request).enter(request.receivedAt);
  }

  ended(request: RoutedRequest, { code, sizeBytes }: Outcome, durationMs: number): void {
    const series = this.#seriesOf(request);
    if (isLongRunning(request.info)) series.openCount -= 1;
    else this.#inFlightOf(request).leave(request.receivedAt + durationMs);
    if (isPassedOn(request)) return;
    series.count(code);
    if (isForDeprecated(request)) this.#deprecated.asked(request.info);
    series.durations.observe(durationMs / 1_000);
    const { verb, dryRun } = series.labels;
    if (dryRun === '') series.ownDurations.observe((durationMs - request.waitedMs) / 1_000);
    if (request.bodySizeBytes >= 0) series.bodies?.observe(request.bodySizeBytes);
    if (verb === 'GET' || verb === 'LIST') series.sizes.observe(sizeBytes);
  }

  terminated(request: RoutedRequest, code: number): void {
    const { terminations } = this.#seriesOf(request);
    terminations.set(code, (terminations.get(code) ?? 0) + 1);
  }

  /** Its client was too slow, and was let go of. */
  aborted(request: ReceivedRequest): void {
    // Where it was not known what it asks for, it was not counted at all.
    if (request.info !== undefined) this.#seriesOf(request as RoutedRequest).aborts += 1;
  }

  /** The server asks itself. */
  selfAsked(info: RequestInfo): void {
    this.#self.asked(info);
  }

  /** All families in Prometheus' text format. `now` is in milliseconds since 1970. */
  format(now: number): string {
    return (
      this.#formatTotals() +
      this.#formatHistograms(DURATION_FAMILY, true, (series) => series.durations) +
      this.#formatHistograms(SLI_FAMILY, false, (series) => series.ownDurations) +
      this.#formatHistograms(SIZE_FAMILY, false, (series) => series.sizes) +
      this.#formatBodies() +
      formatFamily(TERMINATIONS_FAMILY, this.#terminationSamples()) +
      formatFamily(ABORTS_FAMILY, this.#abortSamples()) +
      this.#self.format() +
      this.#deprecated.format() +
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
    const series = new Series(labels, this.#bodiesOf(labels));
    const siblings = this.#byResource.get(labels.resource);
    if (siblings === undefined) this.#byResource.set(labels.resource, [series]);
    else siblings.push(series);
    this.#all.push(series);
    return series;
  }

  /** What resources count towards that are not served. There are at most a few dozen of these. */
  #shared(verb: string, scope: Scope): Series {
    const byVerb = this.#sharedBy.get(scope) ?? new Map<string, Series>();
    const known = byVerb.get(verb);
    if (known !== undefined) return known;
    const none = { dryRun: '', group: '', version: '', resource: '', subresource: '' };
    const labels = { ...none, verb, scope };
    const series = this.#find(labels) ?? this.#make(labels);
    this.#sharedBy.set(scope, byVerb.set(verb, series));
    return series;
  }

  #bodiesOf({ verb, group, resource }: Labels): Histogram | undefined {
    const named = BODY_VERBS.get(verb);
    if (named === undefined || resource === '') return undefined;
    const labels = formatLabels({ group, resource, verb: named });
    const bodies = this.#bodies.get(labels) ?? new Histogram(BODY_SIZES);
    this.#bodies.set(labels, bodies);
    return bodies;
  }

  #formatBodies(): string {
    const { name, type, help } = BODY_FAMILY;
    const lines = [...this.#bodies].map(([labels, bodies]) => bodies.format(name, labels)).join('');
    return lines === '' ? '' : formatHead(name, type, help) + lines;
  }

  /** Without the dry run, which others are told by, the same labels may come twice. */
  *#terminationSamples(): Iterable<Sample> {
    const counts = new Map<string, number>();
    for (const { labels, terminations } of this.#all) {
      for (const [code, count] of terminations) {
        // The name "code" comes before those of all other labels.
        const text = `code="${String(code)}",${formatMost(labels)}`;
        counts.set(text, (counts.get(text) ?? 0) + count);
      }
    }
    for (const [labels, value] of counts) yield { labels, value };
  }

  *#abortSamples(): Iterable<Sample> {
    const counts = new Map<string, number>();
    for (const { labels, aborts } of this.#all) {
      if (aborts === 0) continue;
      const { dryRun: _dryRun, ...rest } = labels;
      const text = formatLabels(rest);
      counts.set(text, (counts.get(text) ?? 0) + aborts);
    }
    for (const [labels, value] of counts) yield { labels, value };
  }

  #formatTotals(): string {
    let lines = '';
    for (const { labels, codes } of this.#all) {
      const text = formatAll(labels);
      for (const [code, count] of codes) {
        lines += `${TOTAL_FAMILY.name}{code="${String(code)}",${text}} ${String(count)}\n`;
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

  /** Those of resources that are not served here were passed on, which counts as nothing, or are about to be refused. */
  *#openSamples(): Iterable<Sample> {
    for (const { labels, openCount } of this.#all) {
      if (!isLongRunningVerb(labels.verb) || labels.resource === '') continue;
      yield { labels: formatMost(labels), value: openCount };
    }
  }
}

/** Verbs of requests with bodies, as they stand in the label. */
const BODY_VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['APPLY', 'patch'],
  ['DELETE', 'delete'],
]);

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
