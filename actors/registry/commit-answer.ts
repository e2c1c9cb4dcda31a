/**
 * What an attempt to write ends in, and how the client is told.
 *
 * An attempt that writes nothing is a read: what it refuses, it refuses because of what it saw. So
 * where others write too it is decided again at a moment that began after the request came.
 *
 * An attempt that was overtaken by another writer begins again from the new object until the
 * request's deadline: in a log with many writers that is no failure, it is somebody else's turn.
 */
import { formatJsonInParts } from '../../api/meta/json-text-parts.ts';
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import {
  internalError,
  requestEntityTooLarge,
  serviceUnavailable,
  timedOut,
  tooManyRequests,
  type Status,
} from '../../api/meta/status.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import type { CommittedEvent } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { statusAnswer, type Answer } from '../answer.ts';
import { inSlices, LARGE_BYTES } from '../large-work.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { jsonOf } from './candidate.ts';
import type { Change, Commit, Origin } from './committer.ts';
import type { Release } from './key-slots.ts';
import { AttemptTurn, type Turn } from './turn.ts';
import { isApply } from './read-configuration.ts';
import {
  BODY_BYTES_MAX,
  type LoggedForm,
  type WriteConversion,
  type WriteRoom,
} from './write-room.ts';

/** One attempt: what to do, decided on the object as it is now. */
export type Attempt =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | {
      readonly kind: 'commit';
      readonly change: Change;
      readonly answerOf: (event: CommittedEvent) => Answer;
    };

export function refusal(status: Status): Attempt {
  return { kind: 'answer', answer: statusAnswer(status) };
}

/** Runs attempts on one object, behind whoever writes it just now, until one is decided. */
export function writeObject(
  room: WriteRoom,
  write: ObjectWrite,
  done: (answer: Answer) => void,
): void {
  const { key, deadline, request, attempt } = write;
  room.slots.take(`${key.resource}\0${key.path}`, (release) => {
    // Key by key: Node 20 copies a spread, and what is added behind one, by calls of about 1 µs.
    run(room, { key, deadline, request, attempt, done, release, isUpToDate: false });
  });
}

export interface ObjectWrite {
  readonly key: { readonly resource: string; readonly path: string };
  /** Milliseconds since 1970. */
  readonly deadline: number;
  /** Whose record of audit is to say which version came of it; undefined: nobody's. */
  readonly request?: AuthenticatedRequest | undefined;
  /** Not at once where it takes somebody else's answer, as that of a webhook. */
  readonly attempt: (turn: Turn) => MaybePromise<Attempt>;
}

interface Run extends ObjectWrite {
  readonly done: (answer: Answer) => void;
  readonly release: Release;
  /** Whether all that was acknowledged before the request is applied. */
  readonly isUpToDate: boolean;
}

function run(room: WriteRoom, one: Run): void {
  // Whoever waited in the queue until its client was told 504 must not take effect after that.
  if (room.clock.now() >= one.deadline) {
    answerAtMoment(room, one, statusAnswer(tooLate()));
    return;
  }
  const turn = new AttemptTurn();
  const decided = decide(room, one, turn);
  if (!(decided instanceof Promise)) {
    follow(room, one, turn, decided);
    return;
  }
  void decided
    .catch((error: unknown) => fault(room, error))
    .then((attempt) => {
      // Somebody was waited for, who may have taken all the time there was.
      const isLate = attempt.kind === 'commit' && room.clock.now() >= one.deadline;
      follow(room, one, turn, isLate ? refusal(tooLate()) : attempt);
    });
}

function follow(room: WriteRoom, one: Run, turn: AttemptTurn, decided: Attempt): void {
  if (decided.kind === 'answer') {
    turn.end();
    answerAtMoment(room, one, decided.answer);
    return;
  }
  const startedAt = room.clock.now();
  room.committer.commit(decided.change, (commit) => {
    one.request?.took('etcd', room.clock.now() - startedAt);
    turn.end();
    if (commit.kind === 'overtaken') {
      // The event was in the log behind all that came before the request, and it is folded.
      run(room, { ...one, isUpToDate: true });
      return;
    }
    one.release();
    const answer = (): void => {
      one.done(outcome(room, commit, decided.answerOf));
    };
    if (commit.kind !== 'committed') {
      answer();
      return;
    }
    annotateVersion(one.request, commit.event.resourceVersion);
    const behind = turn.committed();
    if (behind === undefined) answer();
    else answerBehind(room, one, { behind, answer });
  });
}

/** As upstream waits for the evaluation of quotas; the object is there, so waiting longer helps no client. */
const BEHIND_MS = 10_000;

/** When the work is done, and at the latest when half of the time is over that the client still has. */
function answerBehind(
  { clock }: WriteRoom,
  { deadline }: Run,
  { behind, answer }: { readonly behind: Promise<unknown>; readonly answer: () => void },
): void {
  const waitMs = Math.max(0, Math.min(BEHIND_MS, (deadline - clock.now()) / 2));
  let isAnswered = false;
  const answerOnce = (): void => {
    if (isAnswered) return;
    isAnswered = true;
    cancel();
    answer();
  };
  const cancel = clock.after(waitMs, answerOnce);
  void behind.then(answerOnce);
}

/** Joins the audit with the log: under this version the log tells what became of the object. */
const VERSION_ANNOTATION = 'everwatch.dev/resource-version';

function annotateVersion(
  request: AuthenticatedRequest | undefined,
  version: ResourceVersion,
): void {
  // Of a whole collection each object has a version of its own.
  if (request === undefined || request.info.verb === 'deletecollection') return;
  request.annotate(VERSION_ANNOTATION, String(version));
}

function answerAtMoment(room: WriteRoom, one: Run, answer: Answer): void {
  const end = (last: Answer): void => {
    one.release();
    one.done(last);
  };
  if (one.isUpToDate) {
    end(answer);
    return;
  }
  const seen = room.applied.current;
  room.moment.newest((version) => {
    if (version === undefined) end(statusAnswer(failed({ kind: 'unavailable' })));
    else if (version === seen) end(answer);
    else run(room, { ...one, isUpToDate: true });
  });
}

/** A fault in one attempt must neither keep the slot nor leave the client waiting. */
function decide(room: WriteRoom, one: Run, turn: Turn): Attempt | Promise<Attempt> {
  try {
    return room.conversion === undefined
      ? one.attempt(turn)
      : converting(room.conversion, one, turn);
  } catch (error) {
    return fault(room, error);
  }
}

/** What is read is converted before the attempt, and what it decides to write behind it. */
function converting(conversion: WriteConversion, one: Run, turn: Turn): Attempt | Promise<Attempt> {
  const ready = conversion.ready(one.key);
  if (ready instanceof Promise) {
    // Meanwhile somebody may have written the object, which then is to be converted as well.
    return ready.then((problem) =>
      problem === undefined ? converting(conversion, one, turn) : refusal(problem),
    );
  }
  if (ready !== undefined) return refusal(ready);
  const decided = one.attempt(turn);
  return decided instanceof Promise
    ? decided.then((attempt) => toLog(conversion, attempt))
    : toLog(conversion, decided);
}

function toLog(conversion: WriteConversion, attempt: Attempt): Attempt | Promise<Attempt> {
  if (attempt.kind === 'answer') return attempt;
  const logged = conversion.toLog(attempt.change);
  return logged instanceof Promise
    ? logged.then((form) => loggedAttempt(attempt, form))
    : loggedAttempt(attempt, logged);
}

function loggedAttempt(
  { answerOf }: Extract<Attempt, { kind: 'commit' }>,
  form: LoggedForm,
): Attempt {
  if (form.kind === 'refused') return refusal(form.status);
  if (form.kind === 'change') {
    const { change, shown } = form;
    return {
      kind: 'commit',
      change,
      answerOf: (event) => answerOf({ ...event, object: shown(event.object) }),
    };
  }
  const { object } = form;
  const { resource, path, resourceVersion } = object;
  // As if it had been written a moment ago, as indeed it was.
  const event = {
    type: 'modified' as const,
    resource,
    path,
    resourceVersion,
    object,
    previous: object,
  };
  return { kind: 'answer', answer: answerOf(event) };
}

function fault({ faults }: WriteRoom, error: unknown): Attempt {
  faults.record('attempting a write', error);
  return refusal(internalError(error));
}

/** The fold tells of commits, so nothing may be thrown here: it would end the fold. */
function outcome(
  { faults }: WriteRoom,
  commit: Commit,
  answerOf: (event: CommittedEvent) => Answer,
): Answer {
  if (commit.kind !== 'committed') return statusAnswer(failed(commit));
  try {
    return answerOf(commit.event);
  } catch (error) {
    faults.record('answering for a write', error);
    return statusAnswer(internalError(error));
  }
}

/**
 * What says that an object has grown too large for the log, patch by patch or by its defaults; what
 * a delete adds to an object always fits. In Kubernetes it is etcd that refuses.
 */
export function sizeProblem(json: Uint8Array): Status | undefined {
  if (json.length <= BODY_BYTES_MAX) return undefined;
  return requestEntityTooLarge(`limit is ${String(BODY_BYTES_MAX)}`);
}

/**
 * The bytes of the object; if they are too many, without its managers, unless this is all about them.
 * What says that they still are too many is up to {@link sizeProblem}.
 *
 * In Kubernetes: isTooLargeError, apiserver/pkg/endpoints/handlers/rest.go.
 */
export function fittingJson(
  request: AuthenticatedRequest,
  canonical: KubeObject,
  sizeBytes: number,
): MaybePromise<Buffer> {
  return andThen(bytesOf(canonical, sizeBytes), (json) => {
    const { metadata } = canonical;
    const mayForget = metadata['managedFields'] !== undefined && !isApply(request);
    if (sizeProblem(json) === undefined || !mayForget) return json;
    delete metadata['managedFields'];
    return bytesOf(canonical, json.length);
  });
}

/** In slices where the object is about so large. */
function bytesOf(canonical: KubeObject, sizeBytes: number): MaybePromise<Buffer> {
  return sizeBytes < LARGE_BYTES ? jsonOf(canonical) : inSlices(formatJsonInParts(canonical));
}

function tooLate(): Status {
  return timedOut('request did not complete within requested timeout', 0);
}

function failed(commit: Commit): Status {
  if (commit.kind === 'refused') return internalError(commit.why);
  const { kind } = commit;
  if (kind === 'overloaded') return tooManyRequests('too many writes are waiting for the log', 1);
  if (kind === 'unavailable')
    return serviceUnavailable('the log cannot be written at the moment', 1);
  return timedOut('request did not complete within requested timeout - the outcome is unknown', 0);
}

export function objectAnswer(served: ServedResource, code: number) {
  return ({ object }: CommittedEvent): Answer => ({ kind: 'Object', code, served, object });
}

/** Who wants the change, for the record. */
export function originOf(request: AuthenticatedRequest, fieldManager: string): Origin {
  const { user, info, auditID, deadline } = request;
  return { user: user.name, verb: info.verb, auditID, fieldManager, deadline };
}
