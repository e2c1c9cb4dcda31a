/**
 * One event of the audit: what is known of a request at one stage of its way, and its JSON.
 *
 * The JSON is put together from parts. Those that are the same for many requests (who asks, from
 * where, with what program) are written once and handed in as text, because this runs twice for
 * every request that is audited.
 *
 * In Kubernetes: Event of audit.k8s.io/v1, apiserver/pkg/apis/audit/v1.
 */
import { formatTime } from '../../api/meta/clock.ts';
import type { Status, StatusDetails } from '../../api/meta/status.ts';
import type { UserInfo } from '../request.ts';
import type { AuditLevel, AuditStage } from './audit-policy.ts';

export interface AuditEvent {
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly request: AuditedRequest;
  readonly impersonatedUser: UserInfo | undefined;
  /** The verb that allowed to act as somebody else, where it was a constrained one; else ''. */
  readonly impersonationConstraint: string;
  readonly origin: AuditOrigin;
  /** undefined: the request is about no resource. */
  readonly objectRef: AuditObjectRef | undefined;
  /** undefined: nothing was answered yet. */
  readonly responseStatus: AuditStatus | undefined;
  /** JSON in one line; undefined: none, or not to be written down. */
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  /** Milliseconds since 1970, as {@link stageTimestamp}. */
  readonly requestReceivedTimestamp: number;
  readonly stageTimestamp: number;
  readonly annotations: ReadonlyMap<string, string>;
}

/** What is known of a request when it comes, the same in all its events. */
export interface AuditedRequest {
  readonly requestURI: string;
  readonly verb: string;
  /** undefined: nobody knows who it is. */
  readonly user: UserInfo | undefined;
  /** All three as they stand in an event, with a comma behind them. */
  readonly json: string;
}

/** Where a request comes from, and by what program. */
export interface AuditOrigin {
  /** The last one is that of the connection; the others a client may have made up. */
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  /** Both as they stand in an event, each with a comma behind it. */
  readonly json: string;
}

export interface AuditObjectRef extends AuditedObject {
  /** As it stands in an event: it is in two of most requests. */
  readonly json: string;
}

interface AuditedObject {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly subresource: string;
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
  const { impersonatedUser, impersonationConstraint: constraint, objectRef } = event;
  const { requestObject, responseObject, responseStatus } = event;
  let json = `"level":"${event.level}","auditID":${quoted(event.auditID)},"stage":"`;
  json += `${event.stage}",${event.request.json}`;
  if (impersonatedUser !== undefined) {
    json += `"impersonatedUser":${userJson(impersonatedUser)},`;
  }
  if (constraint !== '') {
    const metadata = { impersonationConstraint: constraint };
    json += `"authenticationMetadata":${JSON.stringify(metadata)},`;
  }
  json += event.origin.json;
  if (objectRef !== undefined) json += `"objectRef":${objectRef.json},`;
  if (responseStatus !== undefined) json += `"responseStatus":${statusJson(responseStatus)},`;
  if (requestObject !== undefined) json += `"requestObject":${requestObject},`;
  if (responseObject !== undefined) json += `"responseObject":${responseObject},`;
  json += `"requestReceivedTimestamp":"${formatMicroTime(event.requestReceivedTimestamp)}",`;
  json += `"stageTimestamp":"${formatMicroTime(event.stageTimestamp)}"`;
  return json + annotationsJson(event.annotations);
}

export function auditedRequest(
  requestURI: string,
  verb: string,
  user: UserInfo | undefined,
): AuditedRequest {
  const json = `"requestURI":${quoted(requestURI)},"verb":${quoted(verb)},"user":${userJson(user)},`;
  return { requestURI, verb, user, json };
}

export function auditOrigin(sourceIPs: readonly string[], userAgent: string): AuditOrigin {
  const ips = sourceIPs.length === 0 ? '' : `"sourceIPs":${JSON.stringify(sourceIPs)},`;
  const agent = userAgent === '' ? '' : `"userAgent":${JSON.stringify(userAgent)},`;
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
  const json = JSON.stringify({
    username: name === '' ? undefined : name,
    uid: uid === '' ? undefined : uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: keys.length === 0 ? undefined : Object.fromEntries(keys.map((key) => [key, extra[key]])),
  });
  USERS.set(user, json);
  return json;
}

export function auditObjectRef(ref: AuditedObject): AuditObjectRef {
  const { resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource } =
    ref;
  let json = field('resource', resource) + field('namespace', namespace) + field('name', name);
  json += field('uid', uid) + field('apiGroup', apiGroup) + field('apiVersion', apiVersion);
  json += field('resourceVersion', resourceVersion) + field('subresource', subresource);
  json = `{${json.slice(1)}}`;
  // Spreading it would cost more than is saved.
  return {
    resource,
    namespace,
    name,
    uid,
    apiGroup,
    apiVersion,
    resourceVersion,
    subresource,
    json,
  };
}

/** With a comma before it; '' where there is nothing to say. */
function field(name: string, value: string): string {
  return value === '' ? '' : `,"${name}":${quoted(value)}`;
}

/** What cannot stand in a string of JSON as it is; also what may be half a character. */
const TO_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Most texts need no escaping, and to find that out is several times faster than to look for it. */
function quoted(text: string): string {
  return TO_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Upstream's Status has metadata, which is always empty here. */
function statusJson({ status, message, reason, details, code }: AuditStatus): string {
  if (status === undefined && message === undefined) {
    return `{"metadata":{},"code":${String(code)}}`;
  }
  return JSON.stringify({ metadata: {}, status, message, reason, details, code });
}

function annotationsJson(annotations: ReadonlyMap<string, string>): string {
  if (annotations.size === 0) return '';
  let json = '';
  let last = '';
  for (const [key, value] of annotations) {
    // Rooms mostly leave them in their order already; to sort costs more than all the rest.
    if (key < last) return annotationsJson(new Map([...annotations].sort(byKey)));
    last = key;
    json += `,${quoted(key)}:${quoted(value)}`;
  }
  return `,"annotations":{${json.slice(1)}}`;
}

function byKey([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}
