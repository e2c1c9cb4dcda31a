/**
 * What a write waits for beside its stages: its turn at the key, the log, and where other servers
 * write too what "now" is. Each of them comes back to the registry as a message, and on the hot path
 * there is nothing to wait for but the log. Stages are run by stage-run.ts.
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
import { type Ref, wait } from '../request/actor.ts';
import { type Answer, statusAnswer } from '../request/answer.ts';
import type { Commit } from './commit/committer.ts';
import { type Release, RunningAttempt } from '../slots/key-slots.ts';
import type { WritePath, Writes } from './stage.ts';
import {
  endedWithout,
  goOn,
  goOnWith,
  isTooLate,
  type Reached,
  type RunParts,
  type StageProgress,
  StageRun,
  tooLate,
} from './stage-run.ts';
import { type HasChange, type HasKey, noted, type Received, receivedWrite } from './write.ts';

/** A write that is to be taken through the stages of its path. */
export interface WriteRequest extends RunParts {
  readonly type: 'writeRequest';
  readonly path: WritePath;
}

/** What a write has waited for. */
export type WriteProgress =
  | StageProgress
  | { readonly type: 'slotGranted'; readonly run: WriteRun; readonly release: Release }
  | { readonly type: 'committed'; readonly run: WriteRun; readonly commit: Commit }
  | NewestKnown
  | { readonly type: 'workDone'; readonly run: WriteRun; readonly answer: Answer };

interface NewestKnown {
  readonly type: 'newestKnown';
  readonly run: WriteRun;
  readonly answer: Answer;
  /** What was applied when the answer was decided. */
  readonly seen: ResourceVersion;
  /** What had been written by then; undefined: the log cannot be asked. */
  readonly newest: ResourceVersion | undefined;
}

export type WriteMessage = WriteRequest | WriteProgress;

/** One write on its way. Only the functions below look inside. */
export class WriteRun extends StageRun {
  readonly path: WritePath;
  attempt = new RunningAttempt();
  release: Release | undefined = undefined;
  isAttempt = false;
  /** Whether all that was acknowledged before the request is applied. */
  isUpToDate = false;
  /** Milliseconds since 1970: when the change was handed in. */
  proposedAt = 0;

  constructor(request: WriteRequest) {
    super(request, request.path.once);
    this.path = request.path;
  }

  get doing(): string {
    return this.isAttempt ? 'attempting a write' : 'going on with a request';
  }

  reached(self: Ref<WriteMessage>, how: Reached): void {
    reached(self, this, how);
  }

  /** The key is given back, too. */
  override abandon(error: unknown): void {
    this.attempt.end();
    this.release?.();
    super.abandon(error);
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
    default:
      message.run.reached(self, goOnWith(self, message));
  }
}

/** Answers for a message whose handling threw. */
export function faultOfWrite(message: WriteMessage, error: unknown): void {
  if (message.type === 'writeRequest') message.reply(statusAnswer(internalError(error)));
  else message.run.abandon(error);
}

function begin(self: Ref<WriteMessage>, run: WriteRun): void {
  // What ends with its first stages is admitted in them.
  if (run.path.attempt.length === 0) Object.assign(run.write, { attempt: run.attempt });
  reached(self, run, goOn(self, run));
}

function reached(self: Ref<WriteMessage>, run: WriteRun, how: Reached): void {
  if (how === 'waiting') return;
  if (how !== 'ended') answered(self, run, how);
  else if (run.isAttempt) propose(self, run);
  else if (run.path.attempt.length > 0) takeSlot(self, run);
  else answered(self, run, endedWithout(run, run.path.name));
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
  if (isTooLate(run)) {
    answered(self, run, statusAnswer(tooLate()));
    return;
  }
  run.attempt = new RunningAttempt();
  Object.assign(run.write, { attempt: run.attempt });
  run.stages = run.path.attempt;
  run.index = 0;
  run.hasWaited = false;
  run.hasSlice = false;
  reached(self, run, goOn(self, run));
}

function propose(self: Ref<WriteMessage>, run: WriteRun): void {
  // What was waited for may have taken all the time there was.
  if (run.hasWaited && isTooLate(run)) {
    answered(self, run, statusAnswer(tooLate()));
    return;
  }
  const { change } = run.write as Received & HasChange; // Its last stage has noted it.
  run.proposedAt = run.context.clock.now();
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
  const { goesOn } = write as Received & HasChange; // It was proposed.
  if (commit.kind === 'committed' && goesOn !== undefined) {
    run.isUpToDate = true;
    goesOn(commit.event);
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
  const known = (newest: ResourceVersion | undefined): NewestKnown => {
    return { type: 'newestKnown', run, answer, seen, newest };
  };
  const newest = run.context.moment.newest();
  if (newest instanceof Promise) wait(self, newest.then(known));
  else decided(self, known(newest));
}

function decided(self: Ref<WriteMessage>, { run, answer, seen, newest }: NewestKnown): void {
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
