/**
 * One event of the audit: what is known of a request at one stage of its way, and its JSON.
 *
 * The JSON is put together from parts. Those that are the same for many requests (the user, from
 * where, with what program) are written once and handed in as text, because this runs twice for
 * every request that is audited.
 *
 * In Kubernetes: Event of audit.k8s.io/v1, apiserver/pkg/apis/audit/v1.
 */
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import { formatJson } from '../../api/json/json-text.ts';
import { formatTime } from '../../api/meta/clock.ts';
import { stringAt, type JsonObject } from '../../api/json/json.ts';
import type { Status, StatusDetails } from '../../api/meta/status.ts';
import type { RequestInfo, RoutedRequest, UserInfo } from '../request/request.ts';
import type { AuditLevel, AuditStage } from './audit-policy.ts';

export interface AuditEvent {
  /** The request as far as it was known at the stage. */
  readonly request: AuditedRequest;
  /** When it was written: `RequestReceived`, `ResponseComplete` and so on. */
  readonly stage: AuditStage;
  /** undefined: the request is its own user's. */
  readonly impersonatedUser: UserInfo | undefined;
  /** The verb that allowed to act as another user, where it was a constrained one; else ''. */
  readonly impersonationConstraint: string;
  /** undefined: the request is about no resource. */
  readonly objectRef: AuditObjectRef | undefined;
  /** undefined: nothing was answered yet. */
  readonly responseStatus: AuditStatus | undefined;
  /** JSON in one line; undefined: none, or not to be written down. */
  readonly requestObject: string | undefined;
  /** JSON of the answer; undefined where the level does not ask for it. */
  readonly responseObject: string | undefined;
  /** Milliseconds since 1970. */
  readonly stageTimestamp: number;
  /** By key, as authorization and admission have left them. */
  readonly annotations: ReadonlyMap<string, string>;
}

/** What is known of a request when it comes, the same in all its events. */
export interface AuditedRequest {
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly requestURI: string;
  readonly verb: string;
  /** undefined: the user is not known. */
  readonly user: UserInfo | undefined;
  readonly origin: AuditOrigin;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Whether nothing of its path needs escaping, as it is or decoded. */
  readonly isPlain: boolean;
  /** Level and audit id as they stand in an event, up to the quotation mark before the stage. */
  readonly head: string;
  /** URI, verb and user as they stand in an event, from the quotation mark behind the stage. */
  readonly asked: string;
  /** When it came as it stands in an event, up to the quotation mark before the time of the stage. */
  readonly times: string;
}

/** Where a request comes from, and by what program. */
export interface AuditOrigin {
  /** The last one is that of the connection; the others a client may have made up. */
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  /** Both as they stand in an event, each with a comma behind it. */
  readonly json: string;
}

export interface AuditObjectRef {
  readonly namespace: string;
  /** As it stands in an event: it is in two of most requests. */
  readonly json: string;
}

/** What is kept of a Status: nothing that has no bounds. */
export interface AuditStatus {
  readonly status?: Status['status'] | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: StatusDetails | undefined;
  readonly code: number;
}

/** One line, without its end; keys in upstream's order. */
export function auditEventJson(event: AuditEvent): string {
  return `{"kind":"Event","apiVersion":"audit.k8s.io/v1",${fieldsJson(event)}}`;
}

/** The same as one of a list, which says what they are. */
export function auditEventItemJson(event: AuditEvent): string {
  return `{${fieldsJson(event)}}`;
}

function fieldsJson(event: AuditEvent): string {
  const { request, impersonatedUser, impersonationConstraint: constraint, objectRef } = event;
  const { requestObject, responseObject, responseStatus } = event;
  let json = request.head + event.stage + request.asked;
  if (impersonatedUser !== undefined) {
    json += `"impersonatedUser":${userJson(impersonatedUser)},`;
  }
  if (constraint !== '') {
    const metadata = { impersonationConstraint: constraint };
    json += `"authenticationMetadata":${formatJson(metadata)},`;
  }
  json += request.origin.json;
  if (objectRef !== undefined) json += objectRef.json;
  if (responseStatus !== undefined) json += statusJson(responseStatus);
  if (requestObject !== undefined) json += `"requestObject":${requestObject},`;
  if (responseObject !== undefined) json += `"responseObject":${responseObject},`;
  json += request.times + formatMicroTime(event.stageTimestamp);
  return json + annotationsJson(event.annotations);
}

export type RequestToAudit = Pick<
  RoutedRequest,
  'auditID' | 'path' | 'query' | 'info' | 'user' | 'receivedAt'
>;

export function auditedRequest(
  level: AuditLevel,
  request: RequestToAudit,
  origin: AuditOrigin,
): AuditedRequest {
  const { auditID, path, query, info, user, receivedAt } = request;
  const { verb } = info;
  const requestURI = query === '' ? path : `${path}?${query}`;
  // One look instead of one for each text that stands in the events.
  const isPlain = !NOT_PLAIN.test(`${auditID} ${verb} ${requestURI}`);
  const text = isPlain ? asItIs : escaped;
  const head = `"level":"${level}","auditID":"${text(auditID)}","stage":"`;
  const by = userJson(user);
  const asked = `","requestURI":"${text(requestURI)}","verb":"${text(verb)}","user":${by},`;
  const came = formatMicroTime(receivedAt);
  const times = `"requestReceivedTimestamp":"${came}","stageTimestamp":"`;
  return {
    level,
    auditID,
    requestURI,
    verb,
    user,
    origin,
    receivedAt,
    isPlain,
    head,
    asked,
    times,
  };
}

export function auditOrigin(sourceIPs: readonly string[], userAgent: string): AuditOrigin {
  const ips = sourceIPs.length === 0 ? '' : `"sourceIPs":${formatJson(sourceIPs)},`;
  const agent = userAgent === '' ? '' : `"userAgent":${formatJson(userAgent)},`;
  return { sourceIPs, userAgent, json: ips + agent };
}

/** As metav1.MicroTime; our clock knows milliseconds. */
export function formatMicroTime(ms: number): string {
  if (ms === lastMs) return lastMicroTime;
  const fraction = String(Math.floor(ms % 1_000)).padStart(3, '0');
  lastMicroTime = `${formatTime(ms).slice(0, -1)}.${fraction}000Z`;
  lastMs = ms;
  return lastMicroTime;
}

// Many events tell of the same moment, and most tell of one twice.
let lastMs = -1;
let lastMicroTime = '';

/** Users of a token, a certificate or a cache are the same object, request after request. */
const USERS = new WeakMap<UserInfo, string>();

function userJson(user: UserInfo | undefined): string {
  if (user === undefined) return '{}';
  const known = USERS.get(user);
  if (known !== undefined) return known;
  const { name, uid, groups, extra } = user;
  const keys = Object.keys(extra).sort();
  const json = formatJson({
    username: name === '' ? undefined : name,
    uid: uid === '' ? undefined : uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: keys.length === 0 ? undefined : Object.fromEntries(keys.map((key) => [key, extra[key]])),
  });
  USERS.set(user, json);
  return json;
}

/** @param metadata of the object that is sent, if one is: it may know more than the path. */
export function auditObjectRef(
  info: RequestInfo,
  { isPlain }: AuditedRequest,
  metadata?: JsonObject,
): AuditObjectRef {
  const text = isPlain && metadata === undefined ? asItIs : escaped;
  const { resource, apiGroup, apiVersion, subresource } = info;
  const namespace = info.namespace || stringAt(metadata, 'namespace');
  const name = info.name || stringAt(metadata, 'name');
  const uid = stringAt(metadata, 'uid');
  const version = stringAt(metadata, 'resourceVersion');
  let json = '';
  if (resource !== '') json += `,"resource":"${text(resource)}"`;
  if (namespace !== '') json += `,"namespace":"${text(namespace)}"`;
  if (name !== '') json += `,"name":"${text(name)}"`;
  if (uid !== '') json += `,"uid":"${text(uid)}"`;
  if (apiGroup !== '') json += `,"apiGroup":"${text(apiGroup)}"`;
  if (apiVersion !== '') json += `,"apiVersion":"${text(apiVersion)}"`;
  if (version !== '') json += `,"resourceVersion":"${text(version)}"`;
  if (subresource !== '') json += `,"subresource":"${text(subresource)}"`;
  return { namespace, json: `"objectRef":{${json.slice(1)}},` };
}

/** What cannot stand in a string of JSON as it is; also what may be half a character. */
const TO_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** The same, and where a path is decoded. */
const NOT_PLAIN = /["\\%\u0000-\u001f\ud800-\udfff]/;

function asItIs(text: string): string {
  return text;
}

/** Most texts need no escaping, and to find that out is several times faster than to look for it. */
function escaped(text: string): string {
  return TO_ESCAPE.test(text) ? formatJson(text).slice(1, -1) : text;
}

/** Most answers have nothing but a code. */
const CODES = new Map<number, string>();

/** Upstream's Status has metadata, which is always empty here. */
function statusJson({ status, message, reason, details, code }: AuditStatus): string {
  if (status !== undefined || message !== undefined) {
    const json = formatJson({ metadata: {}, status, message, reason, details, code });
    return `"responseStatus":${json},`;
  }
  const known = CODES.get(code);
  if (known !== undefined) return known;
  const json = `"responseStatus":{"metadata":{},"code":${String(code)}},`;
  CODES.set(code, json);
  return json;
}

/** From the quotation mark behind the time of the stage. */
function annotationsJson(annotations: ReadonlyMap<string, string>): string {
  if (annotations.size === 0) return '"';
  let json = '';
  let last = '';
  for (const [key, value] of annotations) {
    // Filters mostly leave them in their order already; to sort costs more than all the rest.
    if (key < last) return annotationsJson(new Map([...annotations].sort(byKey)));
    last = key;
    json += annotationJson(key, value);
  }
  return `","annotations":{${json.slice(1)}}`;
}

/** Of each key, what was said last: most requests are allowed for the same reason. */
const SAID_MAX = 1_000;
/** Webhooks may name as many keys as they like. */
const SAID = new BoundedMap<string, { readonly value: string; readonly json: string }>(SAID_MAX);
const SAID_LENGTH_MAX = 1_000;

/** With a comma before it. */
function annotationJson(key: string, value: string): string {
  const said = SAID.peek(key);
  if (said?.value === value) return said.json;
  const json = `,"${escaped(key)}":"${escaped(value)}"`;
  if (json.length > SAID_LENGTH_MAX) return json;
  SAID.set(key, { value, json });
  return json;
}

function byKey([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}
