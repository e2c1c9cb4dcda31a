/**
 * A request on its way through the server. One object, made by the listener with all its fields
 * present, walks the whole way; each filter sets what it found out, and the types say how far it got.
 *
 * Requests are not actors: they are the messages.
 */
import type { Acceptance, AcceptedMedia, GivenSort, RequestLine } from './request-line.ts';
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { Readable } from 'node:stream';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import type { Status } from '../../api/meta/status.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { Answer } from './answer.ts';
import type { BodyRead, Outcome } from './request-ends.ts';
import type { RequestInfo, UserInfo } from './request-info.ts';
import type { Layer, LayerTimes, Seating } from './request-layers.ts';

export type { BodyRead, Outcome } from './request-ends.ts';
export type { RequestInfo, UserInfo } from './request-info.ts';

/** What the request needs of the door it came in by. */
export interface Door {
  /** Reads the whole body once; too long a body, or one that breaks off, is not ok. Must not reject. */
  readBody(bytesMax: number): MaybePromise<BodyRead>;
  /** The body as it comes, to be passed on; undefined: there is none. A door without this has none. */
  bodyStream?(): Readable | undefined;
  /** Calls back once when the client has gone, answered or not. */
  whenGone?(callback: () => void): void;
  /** Writes the answer out. Calls `request.finish` when the last byte has gone or the client has. */
  answer(request: ReceivedRequest, answer: Answer): void;
}

/** Left at the beginning by a filter that has to do something at the end. Must not throw. */
export type Note = (request: ReceivedRequest, outcome: Outcome) => void;

/** What is written down of a request that is audited; actors/audit has the one that there is. */
export interface AuditRecord {
  /** Whether it shows what was sent: else no contents of objects may be left in it. */
  readonly keepsRequests: boolean;
  /** The object that was read from the body, before a plug-in changes it. */
  requested(object: JsonObject): void;
  /** The patch that was read from the body. */
  patched(patch: JsonValue): void;
  /** The answer goes out. Must not throw. */
  answered(request: ReceivedRequest, answer: Answer): void;
  /** A filter threw; the answer comes behind this. Must not throw. */
  panicked(error: unknown): void;
  /** Nothing more is to be sent but the last bytes, or nothing is sent any more; the first call counts. Must not throw. */
  ended(outcome: Outcome): void;
}

/** A request that no filter has looked at yet; its facts have the values that mean: not known. */
export interface ReceivedRequest extends RequestLine {
  readonly type: 'request';
  /** The form of the object that is answered, as far as is known of which sort it is. */
  readonly accepted: AcceptedMedia | undefined;
  /** What the client can read, and which of it the server chose. */
  readonly acceptance: Acceptance;
  /** undefined until the filter request-info. */
  readonly info: RequestInfo | undefined;
  /** undefined until the filter authentication. */
  readonly user: UserInfo | undefined;
  /** The user that came to the door, where the request is that of another; see {@link impersonating}. */
  readonly impersonator: UserInfo | undefined;
  /** The verb that let him, as `impersonate:user-info`; '' for the plain one. */
  readonly impersonationConstraint: string;
  /** '' until the filter audit-init. */
  readonly auditID: string;
  /** What filters and plug-ins have to say about the request for the record of audit, by keys as `authorization.k8s.io/decision`. */
  readonly annotations: ReadonlyMap<string, string>;
  /** undefined: nothing is written down of it. */
  readonly record: AuditRecord | undefined;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Milliseconds since 1970, after which the client does not wait for the answer any more. */
  readonly deadline: number;
  /** The version as of which everything is read; undefined: now. */
  readonly moment: ResourceVersion | undefined;
  /** When that was, in milliseconds since 1970: what ages are told from. */
  readonly momentTime: number | undefined;
  /** What it spent waiting for a seat and for webhooks, in milliseconds: that is not the server's own time. */
  readonly waitedMs: number;
  /** Where it spent a millisecond or more. */
  readonly layers: LayerTimes;
  /** Of the body, where it was read whole; -1: it was not. */
  readonly bodySizeBytes: number;
  /** undefined: it needed no seat, or has none yet. */
  readonly seating: Seating | undefined;
  /** What was answered, where the server is at fault (500 and more) and says so in a Status. */
  readonly failure: Status | undefined;
  /** Sent with whatever answer comes. */
  readonly responseHeaders: Record<string, string>;
  /** In the order in which they were given; each becomes a header of the answer. */
  readonly warnings: readonly string[];
  /** Whether an answer is under way; later ones are dropped. */
  readonly answered: boolean;

  /** Notes when the request came. @param at milliseconds since 1970. */
  received(at: number): void;
  /** Notes the identifier of its audit events. */
  auditedAs(auditID: string): void;
  /** Gives the same request, from now on with its verb and its resource. */
  routedAs(info: RequestInfo): RoutedRequest;
  /** Gives the same request, from now on with its user. */
  identifiedAs(user: UserInfo): AuthenticatedRequest;
  /** From here on the answer's form is one that things of this sort can have. */
  answersAs(sort: GivenSort): void;
  /** From here on the request is that of `user`. */
  impersonating(user: UserInfo, constraint?: string): AuthenticatedRequest;
  /** From here on the request is as if it had come without this header; the name in lower case. */
  forgetHeader(name: string): void;
  /** The first that says something under a key is right: it is written down once. */
  annotate(key: string, value: string): void;
  /** What is left later is not in it. */
  annotationsAsOfNow(): ReadonlyMap<string, string>;
  /** From now on the record is told what the request does. */
  recordedBy(record: AuditRecord): void;
  /** Notes the seat that fairness gave it, which is released at the end. */
  seatedBy(seating: Seating): void;
  /** Notes its deadline. @param deadline milliseconds since 1970. */
  until(deadline: number): void;
  /** From here on `guard` sees the answer before those that were there, and may change it. */
  guardedBy(guard: AnswerGuard): void;
  /** From here on the request is about the control plane as it was at this version. */
  readAt(moment: ResourceVersion, time: number): void;
  /** It spent so many milliseconds there. */
  took(layer: Layer, ms: number): void;
  /** A sentence for a `Warning: 299` header. */
  warn(sentence: string): void;
  /** Has the note run when the last byte has gone, or the client has. */
  atTheEnd(note: Note): void;
  /** Calls back when a watch has sent what it begins with; never of one that does not get so far. */
  whenInitialized(callback: () => void): void;
  /** Called by what shows the watch, once it has sent what it begins with. */
  initialized(): void;
  /** The same, of a watch whose answer has begun: from now on it only waits for changes. */
  waits(): void;
  /** The whole body; of a large one in a turn of its own. Never rejects. */
  readBody(bytesMax: number): MaybePromise<BodyRead>;
  /** The body as it comes, in place of {@link readBody}; undefined: there is none. */
  bodyStream(): Readable | undefined;
  /** Calls back once when the client has gone, answered or not. */
  whenGone(callback: () => void): void;
  /** Sends the answer to the connection. The first one counts; a second is a bug, and is counted as one. */
  reply(answer: Answer): void;
  /** Called by the door before the last bytes go: what must be in the record when the client has them. */
  ending(outcome: Outcome): void;
  /** Called by the door, once, when the last byte has gone. */
  finish(outcome: Outcome): void;
}

/** Behind the filter request-info: it is known what is asked. */
export interface RoutedRequest extends ReceivedRequest {
  readonly info: RequestInfo;
}

/** Behind the filter authentication: it is known which user asks. */
export interface AuthenticatedRequest extends RoutedRequest {
  readonly user: UserInfo;
}

/** Gives the answer that is sent instead, or the same. */
export type AnswerGuard = (request: RoutedRequest, answer: Answer) => Answer;
