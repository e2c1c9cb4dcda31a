/**
 * Appends that arrive while one is on its way to the disk wait for it, and then go together:
 * one fsync for all of them. The busier the disk, the larger the group. What an append is besides
 * its frames is the caller's affair.
 *
 * Appends of a chain are in the log only in the order in which they came: where one is refused, those of its chain
 * that wait behind it are.
 */
import { checkAppendSize } from '../append-limits.ts';
import { APPEND_BYTES_MAX, LogUnavailableError } from '../event-log.ts';
import { closedError } from '../log-readers.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';

/** Where a group goes. */
export interface RecordStore {
  /**
   * Writes the frames at `first` and behind it, all or none; resolves when they are durable.
   *
   * @throws {LogUnavailableError} nothing was written; a later call may succeed.
   * @throws {AppendOutcomeUnknownError} no call after this one can be trusted.
   */
  write(first: ResourceVersion, frames: readonly Buffer[]): Promise<void>;
}

/** A part of a group. */
export interface FrameAppend<Payload> {
  /** As they lie in the log, in order. */
  readonly frames: readonly Buffer[];
  /** What the caller gave with them. */
  readonly payload: Payload;
}

interface PendingAppend<Payload> extends FrameAppend<Payload> {
  readonly bytes: number;
  readonly chain: object | undefined;
  resolve(first: ResourceVersion): void;
  reject(error: unknown): void;
}

export class FrameGroups<Payload> {
  readonly #store: RecordStore;
  readonly #published: (first: ResourceVersion, group: readonly FrameAppend<Payload>[]) => void;
  #queue: PendingAppend<Payload>[] = [];
  #newest: ResourceVersion;
  #running: Promise<void> | undefined;
  /** Why no append is taken any more. */
  #refusal: LogUnavailableError | undefined;

  /**
   * @param newest the version of the last record in the store; 0 when it is empty.
   * @param published gets each group as soon as it is durable, before its appends are answered.
   */
  constructor(
    store: RecordStore,
    newest: ResourceVersion,
    published: (first: ResourceVersion, group: readonly FrameAppend<Payload>[]) => void,
  ) {
    this.#store = store;
    this.#newest = newest;
    this.#published = published;
  }

  /** The last durable version. */
  get newest(): ResourceVersion {
    return this.#newest;
  }

  /**
   * See `EventLog.append`.
   *
   * @param chain whose append it is; undefined: it stands for itself.
   */
  append(frames: readonly Buffer[], payload: Payload, chain?: object): Promise<ResourceVersion> {
    return new Promise((resolve, reject) => {
      if (this.#refusal !== undefined) throw this.#refusal;
      const bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
      checkAppendSize({ events: frames.length, bytes });
      this.#queue.push({ frames, payload, bytes, chain, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Takes no more appends; resolves when those under way are answered. */
  async close(): Promise<void> {
    this.#refusal ??= closedError();
    await this.#running;
  }

  async #run(): Promise<void> {
    // The appends of this turn make the first group together.
    await Promise.resolve();
    while (this.#queue.length > 0) await this.#writeGroup(this.#takeGroup());
    this.#running = undefined;
  }

  #takeGroup(): PendingAppend<Payload>[] {
    let bytes = 0;
    const end = this.#queue.findIndex((append) => (bytes += append.bytes) > APPEND_BYTES_MAX);
    if (end >= 0) return this.#queue.splice(0, end);
    const all = this.#queue;
    this.#queue = [];
    return all;
  }

  async #writeGroup(group: readonly PendingAppend<Payload>[]): Promise<void> {
    const first = resourceVersion(this.#newest + 1);
    try {
      const frames = group.flatMap((append) => append.frames);
      await this.#store.write(first, frames);
    } catch (error) {
      this.#fail(group, error);
      return;
    }
    this.#answer(group, first);
  }

  #answer(group: readonly PendingAppend<Payload>[], first: ResourceVersion): void {
    const count = group.reduce((sum, { frames }) => sum + frames.length, 0);
    this.#newest = resourceVersion(first + count - 1);
    this.#published(first, group);
    let version = first;
    for (const append of group) {
      append.resolve(version);
      version = resourceVersion(version + append.frames.length);
    }
  }

  #fail(group: readonly PendingAppend<Payload>[], error: unknown): void {
    for (const append of group) append.reject(error);
    if (error instanceof LogUnavailableError) {
      this.#refuseBehind(group, error);
      return;
    }
    const refusal = new LogUnavailableError(
      'the log takes no more events, because it is unknown whether the last ones were written: ' +
        'see the cause, then start again',
      { cause: error, needsRestart: true },
    );
    this.#refusal ??= refusal;
    for (const append of this.#queue.splice(0)) append.reject(refusal);
  }

  #refuseBehind(refused: readonly PendingAppend<Payload>[], error: LogUnavailableError): void {
    const chains = new Set(refused.map(({ chain }) => chain));
    const isBehind = ({ chain }: PendingAppend<Payload>): boolean =>
      chain !== undefined && chains.has(chain);
    const behind = this.#queue.filter(isBehind);
    this.#queue = this.#queue.filter((append) => !isBehind(append));
    for (const append of behind) append.reject(error);
  }
}
