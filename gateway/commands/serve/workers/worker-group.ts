/** The workers of a primary: as many as are wanted, each in its slot, until the group is stopped. */
import cluster, { type Worker } from 'node:cluster';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../../../actors/request/logger.ts';
import type { Clock } from '../../../../api/meta/clock.ts';
import type { LogOwner } from '../../../../streams/workers/log-owner.ts';
import { closeWhatIsNeverTaken } from './handed-connection.ts';
import {
  LOG_PIPE,
  type NumberedTexts,
  REPLACES,
  type ToldPrimary,
  type ToldWorker,
  WORKER_NUMBER,
} from './worker-words.ts';

/** A worker that ends soon after its start is started again later each time. */
const RESTART_MS = [0, 500, 1_000, 2_000, 4_000, 8_000] as const;
/** A worker that was ready for so long is well again. */
const WELL_AFTER_MS = 60_000;
/** A worker that does not tell its figures in time is left out. */
const FIGURES_MS = 2_000;

export interface WorkerGroupParts {
  readonly count: number;
  readonly owner: Pick<LogOwner, 'serve'>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** A worker's number, and the process that has it now. */
interface WorkerSlot {
  readonly number: number;
  worker: Worker | undefined;
  readyAt: number | undefined;
  /** How often one ended here before it was well. */
  failures: number;
}

interface Question {
  readonly texts: [worker: number, text: string][];
  readonly left: Set<number>;
  readonly answer: () => void;
}

export class WorkerGroup {
  /** The exit code, when all have stopped. */
  readonly ended: Promise<number>;
  readonly #parts: WorkerGroupParts;
  readonly #slots: readonly WorkerSlot[];
  readonly #questions = new Map<number, Question>();
  #end: (code: number) => void = () => undefined;
  #code = 0;
  #lastQuestion = 0;
  #hasServed = false;
  #isStopping = false;

  constructor(parts: WorkerGroupParts) {
    this.#parts = parts;
    this.#slots = Array.from({ length: parts.count }, (_, at) => {
      return { number: at + 1, worker: undefined, readyAt: undefined, failures: 0 };
    });
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  /**
   * Settles when all are ready. The first goes alone: it makes what is made once, as certificates, and when
   * it cannot start the group has ended, with its code.
   */
  async start(): Promise<void> {
    const [first, ...others] = this.#slots;
    if (first === undefined) return;
    await this.#started(first);
    await Promise.all(others.map((slot) => this.#started(slot)));
  }

  /** Stops all as one server is stopped; the second time they are ended at once. */
  stop(): void {
    const isSecond = this.#isStopping;
    this.#isStopping = true;
    for (const { worker } of this.#slots) {
      if (isSecond) worker?.process.kill('SIGKILL');
      else if (worker !== undefined) tell(worker, { type: 'stop' });
    }
    if (isSecond) this.#code = 1;
    this.#endIfAlone();
  }

  #started(slot: WorkerSlot): Promise<void> {
    return new Promise((resolve) => {
      this.#fork(slot, resolve);
    });
  }

  #fork(slot: WorkerSlot, ready: () => void): void {
    const worker = cluster.fork({
      [WORKER_NUMBER]: String(slot.number),
      ...(slot.failures > 0 && { [REPLACES]: 'true' }),
    });
    closeWhatIsNeverTaken(worker.process);
    slot.worker = worker;
    slot.readyAt = undefined;
    const pipe = worker.process.stdio[LOG_PIPE] as Duplex; // As primary.ts sets it up.
    this.#parts.owner.serve(pipe, (error) => {
      this.#parts.logger.error({ worker: slot.number, err: error }, 'a worker is not understood');
      worker.process.kill('SIGKILL');
    });
    worker.on('message', (word: ToldPrimary) => {
      this.#take(slot, worker, word, ready);
    });
    worker.once('exit', (code: number | null, signal: string | null) => {
      this.#gone(slot, { code, signal }, ready);
    });
    // A stop may have come between two forks.
    if (this.#isStopping) tell(worker, { type: 'stop' });
  }

  #take(slot: WorkerSlot, worker: Worker, word: ToldPrimary, ready: () => void): void {
    switch (word.type) {
      case 'ready':
        slot.readyAt = this.#parts.clock.now();
        this.#hasServed = true;
        ready();
        return;
      case 'allFiguresAsked':
        this.#askFigures((texts) => {
          tell(worker, { type: 'allFigures', question: word.question, texts });
        });
        return;
      case 'figures':
        this.#questions.get(word.question)?.texts.push([slot.number, word.text]);
        this.#heard(word.question, slot.number);
        return;
    }
  }

  #gone(
    slot: WorkerSlot,
    { code, signal }: { readonly code: number | null; readonly signal: string | null },
    ready: () => void,
  ): void {
    const { clock, logger } = this.#parts;
    const { number, readyAt } = slot;
    slot.worker = undefined;
    for (const question of this.#questions.keys()) this.#heard(question, number);
    if (this.#isStopping || !this.#hasServed) {
      this.#isStopping = true;
      // One that was still starting beside others ends at once, and nothing was under way in it.
      if (readyAt !== undefined || !this.#hasServed) this.#code = Math.max(this.#code, code ?? 1);
      this.#endIfAlone();
      return;
    }
    const wasWell = readyAt !== undefined && clock.now() - readyAt >= WELL_AFTER_MS;
    slot.failures = wasWell ? 0 : slot.failures;
    const delayMs = RESTART_MS[Math.min(slot.failures, RESTART_MS.length - 1)] ?? 0;
    slot.failures += 1;
    logger.error({ worker: number, code, signal, delayMs }, 'a worker ended and is started again');
    clock.after(delayMs, () => {
      if (!this.#isStopping) this.#fork(slot, ready);
    });
  }

  #endIfAlone(): void {
    if (this.#isStopping && this.#slots.every(({ worker }) => worker === undefined)) {
      this.#end(this.#code);
    }
  }

  #askFigures(told: (texts: NumberedTexts) => void): void {
    this.#lastQuestion += 1;
    const question = this.#lastQuestion;
    const asked = this.#slots.filter(({ worker }) => worker?.isConnected() === true);
    const cancel = this.#parts.clock.after(FIGURES_MS, () => {
      this.#questions.get(question)?.answer();
    });
    const one: Question = {
      texts: [],
      left: new Set(asked.map(({ number }) => number)),
      answer: () => {
        cancel();
        this.#questions.delete(question);
        told(one.texts.sort(([a], [b]) => a - b));
      },
    };
    this.#questions.set(question, one);
    for (const { worker } of asked) {
      if (worker !== undefined) tell(worker, { type: 'figuresAsked', question });
    }
  }

  #heard(number: number, worker: number): void {
    const question = this.#questions.get(number);
    if (question?.left.delete(worker) !== true || question.left.size > 0) return;
    question.answer();
  }
}

/** A worker that is going away is told nothing more. */
function tell(worker: Worker, word: ToldWorker): void {
  if (worker.isConnected()) worker.send(word, () => undefined);
}
