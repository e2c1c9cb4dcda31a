/**
 * The log of a server of several processes, in the process that owns it. Workers append through it, and it
 * tells each of them every group that is durable: of its own appends by their number, of all others by the
 * bytes that lie in the log. So what a worker appended it need not decode, and no byte goes back to where it
 * came from.
 *
 * A worker that does not take what it is told is told only how many records there are, and reads them from
 * the log: a worker that stands still costs the owner some bytes for each group.
 */
import type { Duplex } from 'node:stream';
import { AppendOutcomeUnknownError, LogUnavailableError } from '../event-log.ts';
import { encodeRecords } from '../event-codec.ts';
import type { ProposedEvent } from '../event.ts';
import { cutsOfText } from '../embedded/cut-records.ts';
import { type FrameAppend, FrameGroups } from '../embedded/frame-groups.ts';
import { LmdbRecords } from '../embedded/lmdb-records.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import type { TrimStep } from '../trimmable-log.ts';
import { type Message, MESSAGE, MessageReader, MessageWriter, PART } from './messages.ts';
import { SharedEnd } from './shared-end.ts';
import type { TrimText } from './trim-text.ts';

/** More than this a worker is not told ahead of what it takes: 8 MiB. */
const AHEAD_BYTES_MAX = 8 * 1024 * 1024;

/** By which worker a block was appended, and how that worker numbers it; undefined: by the owner. */
interface Source {
  readonly worker: ConnectedWorker | undefined;
  readonly number: number;
}

type SourcedAppend = FrameAppend<Source>;

interface LogOwnerOptions {
  readonly isSynced?: boolean;
  readonly mappedBytesMax?: number;
}

export class LogOwner {
  /** What workers are given besides their pipe. */
  readonly end: SharedEnd;
  readonly #records: LmdbRecords;
  readonly #groups: FrameGroups<Source>;
  readonly #workers = new Set<ConnectedWorker>();
  #closing: Promise<void> | undefined;

  /**
   * @param path the log's own directory, whose file only this process opens with LMDB.
   * @param options isSynced: whether an append outlives a power cut. mappedBytesMax: see FileOpening.
   */
  constructor(path: string, { isSynced = true, mappedBytesMax }: LogOwnerOptions = {}) {
    this.#records = new LmdbRecords(path, { mappedBytesMax, isSynced });
    const newest = this.#records.last() ?? resourceVersion(0);
    this.end = SharedEnd.made(path);
    this.end.write(newest);
    this.#groups = new FrameGroups(this.#records, newest, (first, group) => {
      this.#publish(first, group);
    });
  }

  /** The last durable version. */
  newest(): Promise<ResourceVersion> {
    return Promise.resolve(this.#groups.newest);
  }

  /** What the owner itself has to write. See `EventLog.append`. */
  append(events: readonly ProposedEvent[]): Promise<ResourceVersion> {
    return this.#groups.append(encodeRecords(events), { worker: undefined, number: 0 });
  }

  /**
   * Serves the worker at the other end of the pipe, until that is closed.
   *
   * @param failed is told when the worker is not understood: its pipe is closed then.
   */
  serve(pipe: Duplex, failed: (error: unknown) => void): void {
    const worker = new ConnectedWorker(pipe, (message) => {
      this.#take(worker, message);
    });
    this.#workers.add(worker);
    worker.send(new MessageWriter(MESSAGE.hello).version(this.#groups.newest));
    worker.whenGone((error) => {
      this.#workers.delete(worker);
      if (error !== undefined) failed(error);
    });
  }

  /** Finishes what is under way, then lets go of the log. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#groups.close();
    for (const worker of this.#workers) worker.end();
    await this.#records.close();
    this.end.close();
  }

  #take(worker: ConnectedWorker, message: Message): void {
    const number = message.number();
    switch (message.kind) {
      case MESSAGE.append:
        this.#append(worker, number, message);
        return;
      case MESSAGE.trim:
        void this.#trim(worker, number, message.json() as TrimText);
        return;
      default:
        throw new RangeError(`a worker does not say ${String(message.kind)}`);
    }
  }

  #append(worker: ConnectedWorker, number: number, message: Message): void {
    const front = worker.refusalOf(message.number());
    if (front !== undefined) {
      worker.refuse(number, refusedBehind(front));
      return;
    }
    const source = { worker, number };
    this.#groups.append(message.frames(), source, worker).catch((error: unknown) => {
      worker.refuse(number, error);
    });
  }

  async #trim(worker: ConnectedWorker, number: number, text: TrimText): Promise<void> {
    try {
      const writers = text.writers === null ? this.#records.cuts.writers : new Map(text.writers);
      const cuts = { ...cutsOfText(text.cuts), writers };
      await this.#trimTo({ cuts, gone: text.gone });
      worker.send(new MessageWriter(MESSAGE.trimmed).number(number));
    } catch (error) {
      worker.send(refusal(number, error));
    }
  }

  async #trimTo(step: TrimStep): Promise<void> {
    if (step.cuts.settled >= this.#groups.newest) {
      throw new LogUnavailableError(`a cut at ${String(step.cuts.settled)} would leave no record`);
    }
    await this.#records.trim(step);
    for (const one of this.#workers) one.send(new MessageWriter(MESSAGE.cut).number(0));
  }

  #publish(first: ResourceVersion, group: readonly SourcedAppend[]): void {
    const count = group.reduce((sum, { frames }) => sum + frames.length, 0);
    // Before any worker can acknowledge a write of the group.
    this.end.write(resourceVersion(first + count - 1));
    for (const worker of this.#workers) worker.send(groupFor(worker, first, group));
  }
}

function groupFor(
  worker: ConnectedWorker,
  first: ResourceVersion,
  group: readonly SourcedAppend[],
): MessageWriter {
  const { isFarBehind } = worker;
  const message = new MessageWriter(MESSAGE.group).number(0).version(first);
  for (const { frames, payload } of group) {
    if (payload.worker === worker) message.number(PART.own).number(payload.number);
    else if (isFarBehind) message.number(PART.inLog).number(frames.length);
    else message.number(PART.block).frames(frames);
  }
  return message;
}

/** Why an append is refused that came behind one that was: of itself nothing was written, whatever became of that. */
function refusedBehind(front: unknown): LogUnavailableError {
  if (front instanceof LogUnavailableError) return front;
  return new LogUnavailableError('the append in front of it failed', { cause: front });
}

/** Why, in the form of the error that the worker throws. */
function refusal(number: number, error: unknown): MessageWriter {
  const why = error instanceof Error ? error.message : String(error);
  const { isPassing = false, needsRestart = false } =
    error instanceof LogUnavailableError ? error : {};
  const isUnknown = error instanceof AppendOutcomeUnknownError;
  const flags = { why, isUnknown, isPassing, needsRestart };
  return new MessageWriter(MESSAGE.refused).number(number).json(flags);
}

/** The other end of a worker's pipe. */
class ConnectedWorker {
  readonly #pipe: Duplex;
  #error: unknown;
  /** Its append that was refused last. */
  #refused: { readonly number: number; readonly error: unknown } | undefined;

  constructor(pipe: Duplex, take: (message: Message) => void) {
    this.#pipe = pipe;
    const reader = new MessageReader(take);
    pipe.on('data', (piece: Buffer) => {
      try {
        reader.read(piece);
      } catch (error) {
        this.#error = error;
        pipe.destroy();
      }
    });
    // A worker that is killed closes its end in any way; what it sent before is appended.
    pipe.on('error', () => undefined);
    pipe.once('end', () => pipe.end());
  }

  /** Whether it has not taken much of what it was told. */
  get isFarBehind(): boolean {
    return this.#pipe.writableLength > AHEAD_BYTES_MAX;
  }

  send(message: MessageWriter): void {
    if (!this.#pipe.destroyed && !this.#pipe.writableEnded) this.#pipe.write(message.finish());
  }

  /** Tells it that its append failed. */
  refuse(number: number, error: unknown): void {
    this.#refused = { number, error };
    this.send(refusal(number, error));
  }

  /** Why the append of this number was refused; undefined where it was not, or another one has been since. */
  refusalOf(number: number): unknown {
    return this.#refused?.number === number ? this.#refused.error : undefined;
  }

  end(): void {
    this.#pipe.end();
  }

  whenGone(told: (error: unknown) => void): void {
    this.#pipe.once('close', () => {
      told(this.#error);
    });
  }
}
