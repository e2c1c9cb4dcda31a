/**
 * Takes a read or a write forward through the stages of its path. It is the one place that knows
 * what a stage waits for: a promise, or a turn of the event loop where the request is large. Both
 * come back to the registry as a message. A request that need not wait crosses all its stages on
 * one stack, and the caller is told how far it has come.
 */
import { internalError, timedOut, type Status } from '../../api/meta/status.ts';
import type { Ref } from '../request/actor.ts';
import { type Answer, statusAnswer } from '../request/answer.ts';
import { LARGE_BYTES, sliced } from '../request/large-work.ts';
import type { AnyStage, ReadPath, Writes } from './stage.ts';
import type { Received } from './write.ts';
import type { WriteContext } from './write-context.ts';

/** What a stage has waited for. */
export type StageProgress =
  | { readonly type: 'stageSettled'; readonly run: StageRun; readonly result: object }
  | { readonly type: 'stageFailed'; readonly run: StageRun; readonly error: unknown }
  | { readonly type: 'sliceDue'; readonly run: StageRun };

/** What a run needs of its request, its registry and its control plane. */
export interface RunParts {
  /** With the facts that the first stage of the path needs. */
  readonly write: Received;
  readonly context: WriteContext;
  /** For the writes that a stage makes beside this one. */
  readonly writes: Writes;
  /** Called once. Must not throw. */
  readonly reply: (answer: Answer) => void;
}

/** How far a run has come: behind its last stage, or to its answer; else a message will go on with it. */
export type Reached = 'ended' | 'waiting' | Answer;

/** One read or write on its way. Only the functions below look at the stages. */
export abstract class StageRun {
  readonly write: Received;
  readonly context: WriteContext;
  readonly writes: Writes;
  readonly reply: (answer: Answer) => void;
  stages: readonly AnyStage[];
  /** The stage that it stands at. */
  index = 0;
  /** Whether it has given up its turn of the event loop. */
  hasWaited = false;
  /** Whether the stage that it stands at has got its turn of the event loop. */
  hasSlice = false;

  constructor({ write, context, writes, reply }: RunParts, stages: readonly AnyStage[]) {
    this.write = write;
    this.context = context;
    this.writes = writes;
    this.reply = reply;
    this.stages = stages;
  }

  /** What goes on, for the log of faults. */
  abstract readonly doing: string;
  /** Deals with what it has come to. */
  abstract reached(self: Ref<StageProgress>, reached: Reached): void;

  /** A fault of a message itself, as of a bug here: the client is told. */
  abandon(error: unknown): void {
    this.reply(statusAnswer(internalError(error)));
  }
}

/** A read: its last stage gives the answer. */
export class ReadRun extends StageRun {
  readonly doing = 'reading';
  readonly #path: ReadPath;

  constructor(path: ReadPath, parts: RunParts) {
    super(parts, path.stages);
    this.#path = path;
  }

  reached(_self: Ref<StageProgress>, reached: Reached): void {
    if (reached === 'ended') this.reply(endedWithout(this, this.#path.name));
    else if (reached !== 'waiting') this.reply(reached);
  }
}

/** Goes on with what a stage has waited for. */
export function goOnWith(self: Ref<StageProgress>, message: StageProgress): Reached {
  const { run } = message;
  switch (message.type) {
    case 'stageSettled':
      run.hasWaited = true;
      return answerIn(run, message.result) ?? goOn(self, run);
    case 'stageFailed':
      return faultAnswer(run, message.error);
    case 'sliceDue':
      run.hasWaited = true;
      run.hasSlice = true;
      // Of a large request much may be left to do, for a client that has been told 504.
      return isTooLate(run) ? statusAnswer(tooLate()) : goOn(self, run);
  }
}

/** Whether the client does not wait for the answer any more. */
export function isTooLate({ context, write }: StageRun): boolean {
  return context.clock.now() >= write.request.deadline;
}

export function tooLate(): Status {
  return timedOut('request did not complete within requested timeout', 0);
}

/** From the stage that it stands at, as far as it comes without waiting. */
export function goOn(self: Ref<StageProgress>, run: StageRun): Reached {
  for (;;) {
    const stage = run.stages[run.index];
    if (stage === undefined) return 'ended';
    const { sizeBytes } = run.write;
    if (sizeBytes >= LARGE_BYTES && !run.hasSlice) {
      sliced(sizeBytes, () => {
        self.send({ type: 'sliceDue', run });
      });
      return 'waiting';
    }
    run.hasSlice = false;
    let result: object;
    try {
      result = stage.run(run.write as never, run.context, run.writes); // It fits, as the compiler has checked.
    } catch (error) {
      return faultAnswer(run, error);
    }
    if (result instanceof Promise) {
      bringBack(self, run, result as Promise<object>); // Of what a stage gives.
      return 'waiting';
    }
    const answer = answerIn(run, result);
    if (answer !== undefined) return answer;
  }
}

/** A stage has thrown, or its promise was rejected: the client is answered 500. */
function faultAnswer(run: StageRun, error: unknown): Answer {
  run.context.faults.record(run.doing, error);
  return statusAnswer(internalError(error));
}

/** A path that leads nowhere is a fault of the server. */
export function endedWithout(run: StageRun, path: string): Answer {
  return faultAnswer(run, new Error(`${path} ended without an answer`));
}

function bringBack(self: Ref<StageProgress>, run: StageRun, coming: Promise<object>): void {
  coming.then(
    (result) => {
      self.send({ type: 'stageSettled', run, result });
    },
    (error: unknown) => {
      self.send({ type: 'stageFailed', run, error });
    },
  );
}

/** undefined: the stage has given the write, and the run stands at the next one. */
function answerIn(run: StageRun, result: object): Answer | undefined {
  if (result !== run.write) return result as Answer; // A stage gives nothing else.
  const chosen = run.stages[run.index]?.choose?.(run.write as never);
  run.index += 1;
  if (chosen !== undefined) {
    run.stages = chosen;
    run.index = 0;
  }
  return undefined;
}
