/**
 * Takes writes through their stages. It is the one place that knows what a write waits for: a
 * promise of a stage, its turn at the key, a turn of the event loop, the log. Each of them comes
 * back to the registry as a message, and on the hot path there is nothing to wait for but the log.
 *
 * An attempt that writes nothing is a read: what it refuses, it refuses because of what it saw. So
 * where others write too it is decided again at a moment that began after the request came.
 *
 * An attempt that was overtaken by another writer begins again from the new object until the
 * request's deadline: in a log with many writers that is no failure.
 */
import {
  internalError,
  serviceUnavailable,
  timedOut,
  tooManyRequests,
} from '../../api/meta/status.ts';
import type { Status } from '../../api/meta/status.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { Ref } from '../request/actor.ts';
import { statusAnswer, type Answer } from '../request/answer.ts';
import { LARGE_BYTES, sliced } from '../request/large-work.ts';
import type { Commit } from './commit/committer.ts';
import type { Release } from '../slots/key-slots.ts';
import { noted, type AnyStage, type WritePath, type Writes } from './stage.ts';
import { RunningAttempt } from '../slots/write-attempt.ts';
import { receivedWrite } from './write-state.ts';
import type { HasChange, HasKey, Received } from './write.ts';
import type { WriteContext } from './write-context.ts';

/** A write that is to be taken through the stages of its path. */
export interface WriteRequest {
  readonly type: 'writeRequest';
  readonly path: WritePath;
  /** With the facts that the first stage of the path needs. */
  readonly write: Received;
  readonly context: WriteContext;
  /** For what a stage writes beside it. */
  readonly writes: Writes;
  /** Called once. Must not throw. */
  readonly reply: (answer: Answer) => void;
}

/** What a write has waited for. */
export type WriteProgress =
  | { readonly type: 'stageSettled'; readonly run: WriteRun; readonly result: object }
  | { readonly type: 'stageFailed'; readonly run: WriteRun; readonly error: unknown }
  | { readonly type: 'sliceDue'; readonly run: WriteRun }
  | { readonly type: 'slotGranted'; readonly run: WriteRun; readonly release: Release }
  | { readonly type: 'committed'; readonly run: WriteRun; readonly commit: Commit }
  | {
      readonly type: 'newestKnown';
      readonly run: WriteRun;
      readonly answer: Answer;
      /** What was applied when the answer was decided. */
      readonly seen: ResourceVersion;
      /** What had been written by then; undefined: the log cannot be asked. */
      readonly newest: ResourceVersion | undefined;
    }
  | { readonly type: 'workDone'; readonly run: WriteRun; readonly answer: Answer };

export type WriteMessage = WriteRequest | WriteProgress;

/** One write on its way. Only the functions below look inside. */
export class WriteRun {
  readonly path: WritePath;
  readonly write: Received;
  readonly context: WriteContext;
  readonly writes: Writes;
  readonly reply: (answer: Answer) => void;
  stages: readonly AnyStage[];
  /** The stage that it stands at. */
  index = 0;
  attempt = new RunningAttempt();
  release: Release | undefined = undefined;
  isAttempt = false;
  /** Whether this attempt has given up its turn of the event loop. */
  hasWaited = false;
  /** Whether the stage that it stands at has got its turn of the event loop. */
  hasSlice = false;
  /** Whether all that was acknowledged before the request is applied. */
  isUpToDate = false;
  /** Milliseconds since 1970: when the change was handed in. */
  proposedAt = 0;

  constructor({ path, write, context, writes, reply }: WriteRequest) {
    this.path = path;
    this.write = write;
    this.context = context;
    this.writes = writes;
    this.reply = reply;
    this.stages = path.once;
  }
}

/** Writes that go to this registry, whatever resource they are of. */
export function writesTo(self: Ref<WriteMessage>): Writes {
  const writes: Writes = {
    perform: (context, path, { request, served, facts }) =>
      new Promise((reply) => {
        const write = noted(receivedWrite(request, served), facts);
        self.send({ type: 'writeRequest', path, write, context, writes, reply });
      }),
  };
  return writes;
}

/** Deals with a message about a write. */
export function receiveWrite(self: Ref<WriteMessage>, message: WriteMessage): void {
  switch (message.type) {
    case 'writeRequest':
      begin(self, new WriteRun(message));
      return;
    case 'stageSettled':
      message.run.hasWaited = true;
      if (took(self, message.run, message.result)) go(self, message.run);
      return;
    case 'stageFailed':
      failed(self, message.run, message.error);
      return;
    case 'sliceDue':
      message.run.hasWaited = true;
      message.run.hasSlice = true;
      go(self, message.run);
      return;
    case 'slotGranted':
      attempt(self, message.run, message.release);
      return;
    case 'committed':
      committed(self, message.run, message.commit);
      return;
    case 'newestKnown':
      decided(self, message);
      return;
    case 'workDone':
      message.run.reply(message.answer);
      return;
  }
}

/** A fault of a message itself, as of a bug here: the client is told, and the key given back. */
export function faultOfWrite(message: WriteMessage, error: unknown): void {
  if (message.type === 'writeRequest') {
    message.reply(statusAnswer(internalError(error)));
    return;
  }
  const { run } = message;
  run.attempt.end();
  run.release?.();
  run.reply(statusAnswer(internalError(error)));
}

function begin(self: Ref<WriteMessage>, run: WriteRun): void {
  // What ends with its first stages is admitted in them.
  if (run.path.attempt.length === 0) Object.assign(run.write, { attempt: run.attempt });
  go(self, run);
}

/** From the stage that it stands at, as far as it comes without waiting. */
function go(self: Ref<WriteMessage>, run: WriteRun): void {
  for (;;) {
    const stage = run.stages[run.index];
    if (stage === undefined) {
      ended(self, run);
      return;
    }
    const { sizeBytes } = run.write;
    if (sizeBytes >= LARGE_BYTES && !run.hasSlice) {
      sliced(sizeBytes, () => {
        self.send({ type: 'sliceDue', run });
      });
      return;
    }
    run.hasSlice = false;
    let result: object;
    try {
      result = stage.run(run.write as never, run.context, run.writes); // It fits, as the compiler has checked.
    } catch (error) {
      failed(self, run, error);
      return;
    }
    if (result instanceof Promise) {
      bringBack(self, run, result as Promise<object>); // Of what a stage gives.
      return;
    }
    if (!took(self, run, result)) return;
  }
}

function bringBack(self: Ref<WriteMessage>, run: WriteRun, coming: Promise<object>): void {
  coming.then(
    (result) => {
      self.send({ type: 'stageSettled', run, result });
    },
    (error: unknown) => {
      self.send({ type: 'stageFailed', run, error });
    },
  );
}

/** @returns whether there is a next stage to go to. */
function took(self: Ref<WriteMessage>, run: WriteRun, result: object): boolean {
  if (result !== run.write) {
    answered(self, run, result as Answer); // A stage gives nothing else.
    return false;
  }
  const chosen = run.stages[run.index]?.choose?.(run.write as never);
  run.index += 1;
  if (chosen !== undefined) {
    run.stages = chosen;
    run.index = 0;
  }
  return true;
}

function failed(self: Ref<WriteMessage>, run: WriteRun, error: unknown): void {
  const doing = run.isAttempt ? 'attempting a write' : 'going on with a request';
  run.context.faults.record(doing, error);
  answered(self, run, statusAnswer(internalError(error)));
}

function ended(self: Ref<WriteMessage>, run: WriteRun): void {
  if (run.isAttempt) propose(self, run);
  else if (run.path.attempt.length > 0) takeSlot(self, run);
  else failed(self, run, new Error(`${run.path.name} ended without an answer`));
}

function takeSlot(self: Ref<WriteMessage>, run: WriteRun): void {
  const { key } = run.write as Received & HasKey; // What goes through attempts has one.
  const slot = run.context.slots.take(`${key.resource}\0${key.path}`);
  if (!(slot instanceof Promise)) {
    attempt(self, run, slot);
    return;
  }
  void slot.then((release) => {
    self.send({ type: 'slotGranted', run, release });
  });
}

function attempt(self: Ref<WriteMessage>, run: WriteRun, release?: Release): void {
  if (release !== undefined) run.release = release;
  run.isAttempt = true;
  // A write that waited in the queue until its client was told 504 must not take effect after that.
  if (run.context.clock.now() >= run.write.request.deadline) {
    answered(self, run, statusAnswer(tooLate()));
    return;
  }
  run.attempt = new RunningAttempt();
  Object.assign(run.write, { attempt: run.attempt });
  run.stages = run.path.attempt;
  run.index = 0;
  run.hasWaited = false;
  run.hasSlice = false;
  go(self, run);
}

function propose(self: Ref<WriteMessage>, run: WriteRun): void {
  const now = run.context.clock.now();
  // What was waited for may have taken all the time there was.
  if (run.hasWaited && now >= run.write.request.deadline) {
    answered(self, run, statusAnswer(tooLate()));
    return;
  }
  const { change } = run.write as Received & HasChange; // Its last stage has noted it.
  run.proposedAt = now;
  run.context.committer.commit(change, (commit) => {
    self.send({ type: 'committed', run, commit });
  });
}

function committed(self: Ref<WriteMessage>, run: WriteRun, commit: Commit): void {
  const { context, write } = run;
  write.request.took('etcd', context.clock.now() - run.proposedAt);
  run.attempt.end();
  if (commit.kind === 'overtaken') {
    // The event was in the log behind all that came before the request, and it is folded.
    run.isUpToDate = true;
    attempt(self, run);
    return;
  }
  run.release?.();
  if (commit.kind !== 'committed') {
    run.reply(statusAnswer(notCommitted(commit)));
    return;
  }
  annotateVersion(run, commit.event.resourceVersion);
  const behind = run.attempt.committed();
  const answer = (): Answer => outcome(run, commit);
  if (behind === undefined) run.reply(answer());
  else answerBehind(self, run, behind, answer);
}

/** As upstream waits for the evaluation of quotas; the object is there, so waiting longer helps no client. */
const BEHIND_MS = 10_000;

/** When the work is done, and at the latest when half of the time is over that the client still has. */
function answerBehind(
  self: Ref<WriteMessage>,
  run: WriteRun,
  behind: Promise<unknown>,
  answer: () => Answer,
): void {
  const { clock } = run.context;
  const waitMs = Math.max(0, Math.min(BEHIND_MS, (run.write.request.deadline - clock.now()) / 2));
  let isAnswered = false;
  const answerOnce = (): void => {
    if (isAnswered) return;
    isAnswered = true;
    cancel();
    self.send({ type: 'workDone', run, answer: answer() });
  };
  const cancel = clock.after(waitMs, answerOnce);
  void behind.then(answerOnce);
}

/** Joins the audit with the log: under this version the log tells what became of the object. */
const VERSION_ANNOTATION = 'everwatch.dev/resource-version';

function annotateVersion({ write: { request } }: WriteRun, version: ResourceVersion): void {
  // Of a whole collection each object has a version of its own.
  if (request.info.verb === 'deletecollection') return;
  request.annotate(VERSION_ANNOTATION, String(version));
}

/** A stage has given an answer: it stands unless the attempt may have seen too little. */
function answered(self: Ref<WriteMessage>, run: WriteRun, answer: Answer): void {
  run.attempt.end();
  if (!run.isAttempt) {
    run.reply(answer);
    return;
  }
  if (run.isUpToDate) {
    finish(self, run, answer);
    return;
  }
  const seen = run.context.applied.current;
  run.context.moment.newest((newest) => {
    self.send({ type: 'newestKnown', run, answer, seen, newest });
  });
}

function decided(
  self: Ref<WriteMessage>,
  { run, answer, seen, newest }: Extract<WriteProgress, { readonly type: 'newestKnown' }>,
): void {
  if (newest === undefined) finish(self, run, statusAnswer(notCommitted({ kind: 'unavailable' })));
  else if (newest === seen) finish(self, run, answer);
  else {
    run.isUpToDate = true;
    attempt(self, run);
  }
}

function finish(self: Ref<WriteMessage>, run: WriteRun, answer: Answer): void {
  run.release?.();
  if (run.path.again?.(run.write as never, answer, run.context) !== true) {
    run.reply(answer);
    return;
  }
  run.isUpToDate = false;
  takeSlot(self, run);
}

function outcome(
  run: WriteRun,
  { event }: Extract<Commit, { readonly kind: 'committed' }>,
): Answer {
  const { answerOf } = run.write as Received & HasChange; // It was committed.
  try {
    return answerOf(event);
  } catch (error) {
    run.context.faults.record('answering for a write', error);
    return statusAnswer(internalError(error));
  }
}

function tooLate(): Status {
  return timedOut('request did not complete within requested timeout', 0);
}

function notCommitted(commit: Exclude<Commit, { readonly kind: 'committed' }>): Status {
  switch (commit.kind) {
    case 'refused':
      return internalError(commit.why);
    case 'overloaded':
      return tooManyRequests('too many writes are waiting for the log', 1);
    case 'unavailable':
      return serviceUnavailable('the log cannot be written at the moment', 1);
    case 'overtaken':
    case 'unknown':
      return timedOut(
        'request did not complete within requested timeout - the outcome is unknown',
        0,
      );
  }
}
