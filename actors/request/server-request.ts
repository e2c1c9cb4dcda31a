/**
 * The request as the server holds it: one object that walks the whole way. A watch holds its own as long as it is open,
 * and of those there are thousands; so one that has begun lets go of all that nothing asks for until its end.
 */
import type { Readable } from 'node:stream';
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { Status } from '../../api/meta/status.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { Answer } from './answer.ts';
import { restOf } from './large-work.ts';
import type { BodyRead, Outcome } from './request-ends.ts';
import { resolveRequestInfo, type RequestInfo, type UserInfo } from './request-info.ts';
import {
  addLayerTime,
  isElsewhere,
  type Layer,
  type LayerTimes,
  type Seating,
} from './request-layers.ts';
import {
  acceptanceOfAll,
  type Acceptance,
  type AcceptedMedia,
  type Connection,
  type GivenSort,
  type RequestLine,
} from './request-line.ts';
import type {
  AnswerGuard,
  AuditRecord,
  AuthenticatedRequest,
  Door,
  Note,
  ReceivedRequest,
  RoutedRequest,
} from './request.ts';

/** Codes of answers where the server is at fault. */
const FAILURE_FROM = 500;
const FOREVER = Number.POSITIVE_INFINITY;

/** Most requests have none. */
const NO_ANNOTATIONS: ReadonlyMap<string, string> = new Map();
const NO_LAYERS: LayerTimes = new Map();
const NO_WARNINGS: readonly string[] = [];
/** Of an answer whose head has gone: one that is said now would be said by all others that wait. */
const SENT_HEADERS: Record<string, string> = Object.freeze({});

/** Of which a watch, or a plain read, mostly has nothing. */
class Rest {
  impersonator: UserInfo | undefined = undefined;
  impersonationConstraint = '';
  moment: ResourceVersion | undefined = undefined;
  momentTime: number | undefined = undefined;
  waitedMs = 0;
  failure: Status | undefined = undefined;
  guard: AnswerGuard | undefined = undefined;
  /** A client may cause tens of thousands. */
  warned: Set<string> | undefined = undefined;
  layers: Map<Layer, number> | undefined = undefined;
}

/** The one implementation: fields first, so that every request has the same shape. */
class ServerRequest implements ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  headers: Record<string, string | string[] | undefined>;
  readonly rawHeaders: readonly string[] | undefined;
  readonly connection: Connection;
  readonly acceptance: Acceptance;
  accepted: AcceptedMedia | undefined;
  readonly isWebSocket: boolean;
  readonly hasCbor: boolean;
  responseHeaders: Record<string, string> = {};
  user: UserInfo | undefined = undefined;
  auditID = '';
  annotations: ReadonlyMap<string, string> = NO_ANNOTATIONS;
  record: AuditRecord | undefined = undefined;
  receivedAt = 0;
  bodySizeBytes = -1;
  seating: Seating | undefined = undefined;
  answered = false;
  readonly #door: Door;
  /** undefined: not known, or made anew where it is asked for while a watch waits. */
  #info: RequestInfo | undefined = undefined;
  #notes: Note[] = [];
  /** Whether its watch waits for changes, with notes that others share. */
  #isWaiting = false;
  #whenInitialized: (() => void) | undefined = undefined;
  /** undefined: the client waits for ever. */
  #deadline: number | undefined = undefined;
  /** What few requests have. */
  #rest: Rest | undefined = undefined;
  /** undefined: all there is is held. */
  #annotations: Map<string, string> | undefined = undefined;

  constructor(line: RequestLine, door: Door) {
    this.method = line.method;
    this.path = line.path;
    this.query = line.query;
    this.headers = line.headers;
    this.rawHeaders = line.rawHeaders;
    this.connection = line.connection;
    this.acceptance = line.acceptance ?? acceptanceOfAll(line.accepted);
    this.accepted = line.accepted;
    this.isWebSocket = line.isWebSocket;
    this.hasCbor = line.hasCbor === true;
    this.#door = door;
  }

  get type(): 'request' {
    return 'request';
  }

  get info(): RequestInfo | undefined {
    if (this.#info !== undefined || !this.#isWaiting) return this.#info;
    return resolveRequestInfo(this.method, this.path, this.query);
  }

  get deadline(): number {
    return this.#deadline ?? FOREVER;
  }

  get layers(): LayerTimes {
    return this.#rest?.layers ?? NO_LAYERS;
  }

  get waitedMs(): number {
    return this.#rest?.waitedMs ?? 0;
  }

  get warnings(): readonly string[] {
    const warned = this.#rest?.warned;
    return warned === undefined ? NO_WARNINGS : [...warned];
  }

  get impersonator(): UserInfo | undefined {
    return this.#rest?.impersonator;
  }

  get impersonationConstraint(): string {
    return this.#rest?.impersonationConstraint ?? '';
  }

  get moment(): ResourceVersion | undefined {
    return this.#rest?.moment;
  }

  get momentTime(): number | undefined {
    return this.#rest?.momentTime;
  }

  get failure(): Status | undefined {
    return this.#rest?.failure;
  }

  received(at: number): void {
    this.receivedAt = at;
  }

  auditedAs(auditID: string): void {
    this.auditID = auditID;
  }

  routedAs(info: RequestInfo): RoutedRequest {
    this.#info = info;
    return this as RoutedRequest; // The line above makes it one.
  }

  identifiedAs(user: UserInfo): AuthenticatedRequest {
    this.user = user;
    return this as AuthenticatedRequest; // Routed before, by the order of the filters.
  }

  answersAs(sort: GivenSort): void {
    this.accepted = this.acceptance[sort];
  }

  impersonating(user: UserInfo, constraint = ''): AuthenticatedRequest {
    const rest = this.#ownRest();
    rest.impersonator = this.user;
    rest.impersonationConstraint = constraint;
    return this.identifiedAs(user);
  }

  forgetHeader(name: string): void {
    this.headers[name] = undefined;
  }

  annotate(key: string, value: string): void {
    if (this.annotations.has(key)) return;
    if (this.#annotations === undefined) {
      const { annotations } = this;
      this.#annotations = annotations.size === 0 ? new Map() : new Map(annotations);
      this.annotations = this.#annotations;
    }
    this.#annotations.set(key, value);
  }

  annotationsAsOfNow(): ReadonlyMap<string, string> {
    this.#annotations = undefined;
    return this.annotations;
  }

  recordedBy(record: AuditRecord): void {
    this.record = record;
  }

  seatedBy(seating: Seating): void {
    this.seating = seating;
  }

  until(deadline: number): void {
    this.#deadline = deadline;
  }

  guardedBy(guard: AnswerGuard): void {
    const rest = this.#ownRest();
    const before = rest.guard;
    rest.guard =
      before === undefined ? guard : (request, answer) => before(request, guard(request, answer));
  }

  readAt(moment: ResourceVersion, time: number): void {
    const rest = this.#ownRest();
    rest.moment = moment;
    rest.momentTime = time;
  }

  took(layer: Layer, ms: number): void {
    // A clock that was put back counts as one that stood still.
    if (ms <= 0) return;
    const rest = this.#ownRest();
    if (isElsewhere(layer)) rest.waitedMs += ms;
    rest.layers ??= new Map();
    addLayerTime(rest.layers, layer, ms);
  }

  warn(sentence: string): void {
    const rest = this.#ownRest();
    rest.warned ??= new Set();
    rest.warned.add(sentence);
  }

  atTheEnd(note: Note): void {
    if (this.#isWaiting) this.#notes = [...this.#notes, note];
    else this.#notes.push(note);
  }

  whenInitialized(callback: () => void): void {
    this.#whenInitialized = callback;
  }

  initialized(): void {
    this.#whenInitialized?.();
    this.#whenInitialized = undefined;
  }

  waits(): void {
    this.initialized();
    // Beside thousands of others, and no record reads what was noted.
    this.#notes = sharedNotes(this.#notes);
    this.#isWaiting = true;
    this.responseHeaders = SENT_HEADERS;
    if (this.record === undefined) {
      this.annotations = NO_ANNOTATIONS;
      this.headers = headersOfLine(this.headers);
    }
    this.#annotations = undefined;
    // What stands in the path as it was sent can be found there again.
    if (this.#info?.path.length === this.path.length) this.#info = undefined;
  }

  readBody(bytesMax: number): MaybePromise<BodyRead> {
    return andThen(this.#door.readBody(bytesMax), (body) => this.#measured(body));
  }

  bodyStream(): Readable | undefined {
    return this.#door.bodyStream?.();
  }

  whenGone(callback: () => void): void {
    this.#door.whenGone?.(callback);
  }

  #measured(body: BodyRead): MaybePromise<BodyRead> {
    if (body.ok) this.bodySizeBytes = body.bytes.length;
    const turn = restOf(this.bodySizeBytes);
    return turn === undefined ? body : turn().then(() => body);
  }

  reply(given: Answer): void {
    if (this.answered) return surplus();
    this.answered = true;
    // A filter that guards answers stands behind the routing.
    const answer = this.#rest?.guard?.(this as RoutedRequest, given) ?? given;
    this.record?.answered(this, answer);
    if (answer.kind === 'Status' && answer.status.code >= FAILURE_FROM)
      this.#ownRest().failure = answer.status;
    this.#door.answer(this, answer);
  }

  #ownRest(): Rest {
    this.#rest ??= new Rest();
    return this.#rest;
  }

  ending(outcome: Outcome): void {
    this.record?.ended(outcome);
  }

  finish(outcome: Outcome): void {
    const notes = this.#notes;
    this.#notes = [];
    for (const note of notes) note(this, outcome);
  }
}

let newestNotes: Note[] = [];

/** The same ones where they are those of the watch before, as they are but for a fork's: never changed. */
function sharedNotes(notes: readonly Note[]): Note[] {
  const areSame =
    notes.length === newestNotes.length && notes.every((note, at) => note === newestNotes[at]);
  if (!areSame) newestNotes = notes.slice();
  return newestNotes;
}

type Headers = Record<string, string | string[] | undefined>;

let newestHeaders: Headers = {};

/** What the line in the log says of them at the end; the same object for all watches of a client. */
function headersOfLine(headers: Headers): Headers {
  const agent = headers[AGENT];
  if (newestHeaders[AGENT] !== agent) newestHeaders = { [AGENT]: agent };
  return newestHeaders;
}

const AGENT = 'user-agent';

let surplusAnswers = 0;
const surplus = () => void (surplusAnswers += 1);

/** How many answers came after the first one of their request. A timeout makes some; other causes are bugs. */
export function surplusAnswerCount(): number {
  return surplusAnswers;
}

/** @param door by which the request is answered, and its body read. */
export function receivedRequest(line: RequestLine, door: Door): ReceivedRequest {
  return new ServerRequest(line, door);
}
