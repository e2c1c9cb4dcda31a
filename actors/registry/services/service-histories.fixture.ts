/**
 * Random histories of services, told to a server: in unit tests to one in this process, whose answers
 * are compared with what a kube-apiserver is on record to have answered, and by
 * `npm run parity:services` to both, side by side. That command also writes the record.
 */
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { formatJson } from '../../../api/json/json-text.ts';
import { recordedAnswers, sortedKeys } from '../../../tools/recorded-answers.fixture.ts';
import {
  SERVICE_NAMES,
  serviceStep,
  type ServiceStep,
  type StepStyle,
} from './service-steps.fixture.ts';

/** What one server is told. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: string;
  readonly contentType: string;
  /** undefined: it has none. */
  readonly body: JsonObject | JsonObject[] | undefined;
}

/** What it answers, with its object or Status. */
export interface ServiceAnswer {
  /** 0: it broke the connection off. */
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

/** A server that services are told to. */
export type ServiceSide = (request: ServiceRequest) => Promise<ServiceAnswer>;

/** Where histories are told: servers with these ranges. */
export const SERVICE_RANGES = {
  'IPv4 and IPv6': '10.0.0.0/24,fd00::/112',
  'IPv6 and IPv4': 'fd00::/112,10.0.0.0/24',
  'IPv4 alone': '10.0.0.0/24',
  // And another one, made by a client.
  'two of IPv4': '10.0.0.0/24',
} as const;

/** The name of ranges that a server has. */
export type RangesName = keyof typeof SERVICE_RANGES;

/** Which writes, in which cluster. */
export interface ServiceHistory {
  readonly ranges: RangesName;
  readonly style: StepStyle;
  readonly seed: number;
  readonly steps: number;
}

/** Those that the record has the answers of. */
export const RECORDED_HISTORIES: readonly ServiceHistory[] = [
  // Its steps 61 and 268 say None and ask for a second family.
  { ranges: 'IPv4 and IPv6', style: 'fields', seed: 644_301, steps: 600 },
  { ranges: 'IPv4 and IPv6', style: 'moves', seed: 11, steps: 600 },
  { ranges: 'IPv6 and IPv4', style: 'moves', seed: 12, steps: 600 },
  { ranges: 'IPv4 alone', style: 'moves', seed: 13, steps: 600 },
  { ranges: 'two of IPv4', style: 'moves', seed: 14, steps: 600 },
];

/**
 * What stands in the record where kube-apiserver broke the connection off: in a cluster of one family it
 * fails by a service that says None and asks for both.
 */
const UNANSWERED = 'unanswered';

/** Where a recorded history was answered otherwise by kube-apiserver. */
export function unlikeRecorded(section: number, answers: readonly string[]): readonly number[] {
  const answered = new Set(
    serviceAnswers.differing(
      section,
      answers.map(() => UNANSWERED),
    ),
  );
  return serviceAnswers.differing(section, answers).filter((place) => answered.has(place));
}

/** The answers of kube-apiserver to them, a section each. */
export const serviceAnswers = recordedAnswers(
  join(import.meta.dirname, 'service-histories.answers.txt'),
);

const URL = '/api/v1/namespaces/default/services';
const MORE_RANGE = '/apis/networking.k8s.io/v1/servicecidrs';
const PATCH = /-patch$/;

/** Makes the ranges of the history that no flag names. */
export async function addRanges(side: ServiceSide, ranges: RangesName): Promise<void> {
  if (ranges !== 'two of IPv4') return;
  const kind = { kind: 'ServiceCIDR', apiVersion: 'networking.k8s.io/v1' };
  const body = { ...kind, metadata: { name: 'more' }, spec: { cidrs: ['10.9.8.0/24'] } };
  await side({ method: 'POST', url: MORE_RANGE, contentType: 'application/json', body });
}

/** Tells the whole history to a server that has none of its services. @returns the answers as they are compared. */
export async function toldHistory(side: ServiceSide, history: ServiceHistory): Promise<string[]> {
  const answers: string[] = [];
  for (let nth = 0; nth < history.steps; nth += 1) {
    answers.push(shownAnswer(await toldStep(side, stepOfHistory(history, nth))));
  }
  return answers;
}

/** The step of that number. Dry runs look at one of several ranges, whichever comes first. */
export function stepOfHistory({ ranges, style, seed }: ServiceHistory, nth: number): ServiceStep {
  const step = serviceStep(style, seed, nth);
  if (ranges !== 'two of IPv4') return step;
  return { ...step, query: step.query.replace('dryRun=All', 'fieldValidation=Strict') };
}

/** Ends a history, so that another may begin. */
export async function removeServices(side: ServiceSide, names = SERVICE_NAMES): Promise<void> {
  const contentType = 'application/json';
  for (const name of names)
    await side({ method: 'DELETE', url: `${URL}/${name}`, contentType, body: undefined });
}

/** Tells one step, which may have to look first at what is there. */
export async function toldStep(side: ServiceSide, step: ServiceStep): Promise<ServiceAnswer> {
  const { verb, name, query, spec, operations } = step;
  const object = { kind: 'Service', apiVersion: 'v1', metadata: { name }, spec };
  const at = `${URL}/${name}`;
  const send = (method: string, url: string, body?: JsonObject | JsonObject[], as = 'json') =>
    side({ method, url: url + query, contentType: `application/${as}`, body });
  if (verb === 'create') return send('POST', URL, object);
  if (verb === 'replace') return send('PUT', at, object);
  if (verb === 'remove') return send('DELETE', at);
  if (verb === 'json-patch') return send('PATCH', at, operations, 'json-patch+json');
  if (verb === 'apply-patch') return send('PATCH', at, object, 'apply-patch+yaml');
  if (PATCH.test(verb)) return send('PATCH', at, { spec }, `${verb}+json`);
  const ingress = [{ ip: '192.0.2.7' }];
  const status = { loadBalancer: { ingress } };
  if (verb === 'status') return send('PATCH', `${at}/status`, { status, spec }, 'merge-patch+json');
  return send('PUT', at, await overFound(side, at, object));
}

/** What a client sends that has read the service, and changes these fields. */
async function overFound(
  side: ServiceSide,
  url: string,
  object: { readonly spec: JsonObject } & JsonObject,
): Promise<JsonObject> {
  const asked = { method: 'GET', url, contentType: 'application/json', body: undefined };
  const { body: found } = await side(asked);
  if (found['kind'] !== 'Service') return object;
  const merged = Object.entries({ ...(found['spec'] as JsonObject), ...object.spec });
  return { ...found, spec: Object.fromEntries(merged.filter(([, value]) => value !== null)) };
}

/** Addresses and ports that a step names, or that dry runs show. */
const NAMED_V4 = new Set(['0', '2', '3', '255']);
const NAMED_V6 = new Set(['', '2', '3']);
/** Below are the ports that steps name; servers choose from 30086 on. */
const CHOSEN_PORTS_FROM = 30_012;

/** Conflicts of managers come in no order from kube-apiserver. */
function withSortedCauses(body: JsonObject): JsonObject {
  if (body['reason'] !== 'Conflict') return body;
  const details = body['details'] as JsonObject; // Each Status of a conflict has some.
  const causes = ((details['causes'] ?? []) as JsonObject[]).map((cause) => formatJson(cause));
  return { ...body, details: { ...details, causes: causes.sort() } };
}

/** An answer without what no two servers have in common: metadata, and what is chosen at random. */
export function shownAnswer({ status, body, warnings }: ServiceAnswer): string {
  if (status === 0) return UNANSWERED;
  const { metadata, ...rest } = body;
  const name = (metadata as JsonObject | undefined)?.['name'] ?? '';
  const all = { status, name, ...withSortedCauses(rest), warnings: [...warnings].sort() };
  return (
    formatJson(sortedKeys(all) as JsonValue)
      .replace(/(?<![.\d])10\.0\.0\.(\d+)/g, (text, last: string) =>
        NAMED_V4.has(last) ? text : 'IPv4',
      )
      .replace(/(?<![.\d])10\.9\.8\.(\d+)/g, (text, last: string) => (last === '2' ? text : 'IPv4'))
      // Of two that are taken, kube-apiserver names either.
      .replace(/failed to allocate IP \S+: /g, 'failed to allocate IP: ')
      .replace(/fd00::([0-9a-f]*)/g, (text, last: string) => (NAMED_V6.has(last) ? text : 'IPv6'))
      .replace(/\b3\d{4}\b/g, (port) => (Number(port) < CHOSEN_PORTS_FROM ? port : 'PORT'))
      .replace(/(?<= at )\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
      .replace(/"uid":"[^"]*"/g, '"uid":"UID"')
  );
}
