/**
 * What is written down of one request, from where it is met to the last byte of its answer.
 *
 * Filters and registries leave here what they know anyway: the object they decoded, the answer they
 * gave. Nothing is read a second time for it, and at the level Metadata no object becomes text.
 * Objects lose their managed fields where the policy says so.
 *
 * In Kubernetes: AuditContext, copyWithoutManagedFields and maybeTruncateUserAgent, apiserver/pkg/audit.
 */
import type { Connection } from '../request/request-line.ts';
import { firstOfHeader, sourceAddresses } from '../request/source-addresses.ts';
import type { AuditRecord, Outcome, ReceivedRequest, RoutedRequest } from '../request/request.ts';
import {
  auditedRequest,
  type AuditedRequest,
  type AuditEvent,
  auditObjectRef,
  type AuditObjectRef,
  auditOrigin,
  type AuditOrigin,
  type AuditStatus,
} from './audit-event.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  stringAt,
} from '../../api/json/json.ts';
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { formatGoDuration } from '../../api/meta/go-duration.ts';
import type { Faults } from '../request/faults.ts';
import type { Answer } from '../request/answer.ts';
import type { AuditDecision, AuditStage } from './audit-policy.ts';
import type { AuditCounts, AuditSink } from './audit-sink.ts';

const USER_AGENT_MAX = 1_024;
const TRUNCATED = '...TRUNCATED';

/** Clients say the same of themselves with every request of a connection. */
const LAST = new WeakMap<Connection, AuditOrigin & { readonly said: string }>();

function originOfRequest({ headers, connection }: ReceivedRequest): AuditOrigin {
  const said = firstOfHeader(headers, 'user-agent');
  const isDirect = headers['x-forwarded-for'] === undefined && headers['x-real-ip'] === undefined;
  const last = isDirect ? LAST.get(connection) : undefined;
  if (last?.said === said) return last;
  const origin = auditOrigin(sourceAddresses(headers, connection.remoteAddress), truncated(said));
  if (isDirect) LAST.set(connection, { ...origin, said });
  return origin;
}

function truncated(userAgent: string): string {
  if (userAgent.length <= USER_AGENT_MAX) return userAgent;
  return userAgent.slice(0, USER_AGENT_MAX) + TRUNCATED;
}

/** An object, a list or a table; shares with what it was given all that is not changed. */
function withoutManagedFields(object: JsonObject): JsonObject {
  const plain = ownOmitted(object);
  if (object['kind'] === 'Table') {
    return { ...plain, rows: listAt(object, 'rows').map(rowOmitted) };
  }
  const { items } = object;
  return Array.isArray(items) ? { ...plain, items: items.map(itemOmitted) } : plain;
}

function ownOmitted(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata) || metadata['managedFields'] === undefined) return object;
  return { ...object, metadata: { ...metadata, managedFields: undefined } };
}

function itemOmitted(item: JsonValue): JsonValue {
  return isJsonObject(item) ? ownOmitted(item) : item;
}

function rowOmitted(row: JsonValue): JsonValue {
  if (!isJsonObject(row) || !isJsonObject(row['object'])) return row;
  return { ...row, object: ownOmitted(row['object']) };
}

/** The answer as JSON in one line, in the form in which it is given; undefined where it is no object. */
export type ResponseJson = (request: ReceivedRequest, answer: Answer) => string | undefined;

export interface AuditTrailParts {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly sink: AuditSink;
  readonly counts: AuditCounts;
  readonly responseJson: ResponseJson;
}

const LATENCY = 'apiserver.latency.k8s.io/';
const LATENCY_WORTH_TELLING_MS = 500;

const CLOSED_EARLY: AuditStatus = {
  status: 'Success',
  message: 'Connection closed early',
  code: 200,
};

/** Which stages there are besides the first. */
export interface ToldEnds {
  /** Whether the beginning of the answer is one of its own. */
  readonly ofStart: boolean;
  /** Whether its end is one. */
  readonly ofEnd: boolean;
}

export class AuditTrail implements AuditRecord {
  readonly #parts: AuditTrailParts;
  readonly #request: RoutedRequest;
  readonly #decision: AuditDecision;
  readonly #tells: ToldEnds;
  /** As it came, before the user acted as another. */
  readonly #came: AuditedRequest;
  #objectRef: AuditObjectRef | undefined;
  #responseStatus: AuditStatus | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  #hasPanicked = false;
  #isOver = false;
  #answeredAt: number | undefined;

  constructor(
    parts: AuditTrailParts,
    request: RoutedRequest,
    decision: AuditDecision,
    tells: ToldEnds,
  ) {
    this.#parts = parts;
    this.#request = request;
    this.#decision = decision;
    this.#tells = tells;
    const { info } = request;
    this.#came = auditedRequest(decision.level, request, originOfRequest(request));
    this.#objectRef = info.isResourceRequest ? auditObjectRef(info, this.#came) : undefined;
  }

  requested(object: JsonObject): void {
    const metadata = objectAt(object, 'metadata');
    if (this.#objectRef !== undefined && metadata !== undefined) {
      this.#objectRef = auditObjectRef(this.#request.info, this.#came, metadata);
    }
    if (!this.keepsRequests) return;
    const { omitManagedFields } = this.#decision;
    this.#requestObject = formatJson(omitManagedFields ? withoutManagedFields(object) : object);
  }

  patched(patch: JsonValue): void {
    if (this.keepsRequests) this.#requestObject = formatJson(patch);
  }

  /** Called where the answer goes out, so it must not throw. */
  answered(request: ReceivedRequest, answer: Answer): void {
    if (this.#hasPanicked) return;
    this.#responseStatus = statusOf(request, answer);
    try {
      if (this.#decision.level === 'RequestResponse') this.#keepResponse(request, answer);
    } catch (error) {
      this.#parts.faults.record('keeping an answer for the audit', error);
    }
    if (this.#tells.ofStart) void this.tell('ResponseStarted');
    else this.#answeredAt = this.#parts.clock.now();
  }

  panicked(error: unknown): void {
    const message = `APIServer panic'd: ${error instanceof Error ? error.message : String(error)}`;
    this.#hasPanicked = true;
    this.#responseStatus = { status: 'Failure', message, reason: 'InternalError', code: 500 };
  }

  ended({ code }: Outcome): void {
    if (this.#isOver || !this.#tells.ofEnd) return;
    this.#isOver = true;
    if (this.#hasPanicked) {
      void this.tell('Panic');
      return;
    }
    if (this.#responseStatus === undefined) {
      this.#responseStatus = CLOSED_EARLY;
      if (this.#tells.ofStart) void this.tell('ResponseStarted');
    } else if (this.#responseStatus.code !== code && !this.#request.isWebSocket) {
      // The door could not give what it was handed.
      this.#responseStatus = { code };
      this.#responseObject = undefined;
    }
    const now = this.#parts.clock.now();
    // What is long-running takes as long as its client likes.
    if (!this.#tells.ofStart) this.#tellLatency(now);
    void this.tell('ResponseComplete', now);
  }

  /** In Kubernetes: writeLatencyToAnnotation, apiserver/pkg/endpoints/filters. */
  #tellLatency(now: number): void {
    const request = this.#request;
    const total = now - request.receivedAt;
    if (total <= LATENCY_WORTH_TELLING_MS) return;
    request.took('response-write', now - (this.#answeredAt ?? now));
    for (const [layer, ms] of request.layers) {
      request.annotate(`${LATENCY}${layer}`, formatGoDuration(ms));
    }
    request.annotate(`${LATENCY}total`, formatGoDuration(total));
  }

  /**
   * @param at milliseconds since 1970; now unless said.
   * @returns as {@link AuditSink.process}.
   */
  tell(stage: AuditStage, at?: number): boolean | Promise<boolean> {
    if (this.#decision.omitStages.has(stage)) return true;
    this.#parts.counts.events += 1;
    return this.#parts.sink.process([this.#event(stage, at)]);
  }

  get keepsRequests(): boolean {
    const { level } = this.#decision;
    return level === 'Request' || level === 'RequestResponse';
  }

  #keepResponse(request: ReceivedRequest, answer: Answer): void {
    const json = this.#parts.responseJson(request, answer);
    if (json === undefined) return;
    const isToBeCut = this.#decision.omitManagedFields && json.includes('"managedFields"');
    this.#responseObject = isToBeCut
      ? formatJson(withoutManagedFields(parseJson(json) as JsonObject)) // Of an object.
      : json;
  }

  #event(stage: AuditStage, at: number | undefined): AuditEvent {
    const request = this.#request;
    return {
      request: this.#came,
      stage,
      impersonatedUser: request.impersonator === undefined ? undefined : request.user,
      impersonationConstraint: request.impersonationConstraint,
      objectRef: this.#objectRef,
      responseStatus: this.#responseStatus,
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      stageTimestamp: at ?? this.#parts.clock.now(),
      annotations: request.annotationsAsOfNow(),
    };
  }
}

const SWITCHING_PROTOCOLS = 101;

function statusOf({ isWebSocket }: ReceivedRequest, answer: Answer): AuditStatus {
  switch (answer.kind) {
    case 'Status':
      return bounded(answer.status, answer.status.code);
    case 'Value':
      return stringAt(answer.value, 'kind') === 'Status'
        ? bounded(answer.value, answer.code)
        : { code: answer.code };
    case 'Object':
    case 'Document':
      return { code: answer.code };
    case 'Watch':
      return { code: isWebSocket ? SWITCHING_PROTOCOLS : 200 };
    case 'List':
      return { code: 200 };
    case 'Stream':
      return { code: answer.code ?? 200 };
    case 'Upgrade':
      return { code: SWITCHING_PROTOCOLS };
  }
}

function bounded(status: JsonObject, code: number): AuditStatus {
  return {
    status: status['status'] as AuditStatus['status'], // A Status, as its kind says.
    message: stringAt(status, 'message') || undefined,
    reason: stringAt(status, 'reason') || undefined,
    details: objectAt(status, 'details'),
    code,
  };
}
