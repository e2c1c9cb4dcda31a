/**
 * Rows of events. The two groups that serve events spell the same fields differently; both forms
 * give the same row.
 *
 * In Kubernetes: printEvent, pkg/printers/internalversion.
 */
import { type JsonObject, objectAt, stringAt } from '../../../api/json/json.ts';
import { type Cell, millisecondsOf, nameOf, nonEmpty, countAt, since } from '../cells.ts';

/** Where the fields of an event are found. */
interface Spelling {
  readonly about: string;
  readonly message: string;
  readonly firstTime: string;
  readonly lastTime: string;
  readonly count: string;
  readonly source: string;
  readonly reporter: string;
}

const ofCore: Spelling = {
  about: 'involvedObject',
  message: 'message',
  firstTime: 'firstTimestamp',
  lastTime: 'lastTimestamp',
  count: 'count',
  source: 'source',
  reporter: 'reportingComponent',
};

const ofEvents: Spelling = {
  about: 'regarding',
  message: 'note',
  firstTime: 'deprecatedFirstTimestamp',
  lastTime: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  source: 'deprecatedSource',
  reporter: 'reportingController',
};

/** An event of the legacy group or of events.k8s.io. */
export function eventCells(event: JsonObject, now: number): Cell[] {
  const spelling = event['apiVersion'] === 'events.k8s.io/v1' ? ofEvents : ofCore;
  const about = objectAt(event, spelling.about);
  const first = sinceFirst(event, spelling, now);
  return [
    sinceLast(event, spelling, now) ?? first,
    stringAt(event, 'type'),
    stringAt(event, 'reason'),
    targetOf(about),
    stringAt(about, 'fieldPath'),
    sourceOf(event, spelling),
    stringAt(event, spelling.message).trim(),
    first,
    countOf(event, spelling),
    nameOf(event),
  ];
}

function sinceFirst(event: JsonObject, spelling: Spelling, now: number): string {
  const first = event[spelling.firstTime];
  return since(millisecondsOf(first) === undefined ? event['eventTime'] : first, now);
}

/** undefined: it was seen once, so the last time is the first. */
function sinceLast(event: JsonObject, spelling: Spelling, now: number): string | undefined {
  const series = objectAt(event, 'series');
  if (series !== undefined) return since(series['lastObservedTime'], now);
  const last = event[spelling.lastTime];
  return millisecondsOf(last) === undefined ? undefined : since(last, now);
}

function countOf(event: JsonObject, spelling: Spelling): number {
  const series = objectAt(event, 'series');
  if (series !== undefined) return countAt(series, 'count');
  const count = countAt(event, spelling.count);
  return count === 0 ? 1 : count;
}

/** `pod/web-1`, or the kind alone. */
function targetOf(about: JsonObject | undefined): string {
  const kind = stringAt(about, 'kind').toLowerCase();
  const name = stringAt(about, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function sourceOf(event: JsonObject, spelling: Spelling): string {
  const source = objectAt(event, spelling.source);
  const component = nonEmpty(stringAt(source, 'component'), stringAt(event, spelling.reporter));
  const host = nonEmpty(stringAt(source, 'host'), stringAt(event, 'reportingInstance'));
  return host === '' ? component : `${component}, ${host}`;
}
