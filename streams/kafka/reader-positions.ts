/**
 * How far the readers of the log have come. The topic is read no faster than the fastest of them,
 * so that what they want next is still in memory; the slower ones read from disk, and hold up no other.
 */
import type { LoggedEvent } from '../event.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';

type Batch = readonly LoggedEvent[];

interface Position {
  next: ResourceVersion;
  /** It has asked for more and did not get it yet. */
  isWaiting: boolean;
}

export class ReaderPositions {
  readonly #positions = new Set<Position>();
  readonly #isTooFarAhead: (fastest: ResourceVersion) => boolean;
  #fold: Position | undefined;
  #whenMoved: (() => void)[] = [];

  /** @param isTooFarAhead whether reading should pause while this is the next that a reader wants. */
  constructor(isTooFarAhead: (fastest: ResourceVersion) => boolean) {
    this.#isTooFarAhead = isTooFarAhead;
  }

  /** A fold that reads no batches is at `next`. @param isWaiting for it, as it is not here yet. */
  folds(next: ResourceVersion, isWaiting: boolean): void {
    this.#fold = { next, isWaiting };
    this.#moved();
  }

  /** It reads batches from now on, or nothing. */
  foldEnds(): void {
    this.#fold = undefined;
    this.#moved();
  }

  /** The same batches, of which is noted how far they went. */
  follow(
    from: ResourceVersion,
    signal: AbortSignal,
    batches: AsyncIterable<Batch>,
  ): AsyncIterable<Batch> {
    return { [Symbol.asyncIterator]: () => this.#follow(from, signal, batches) };
  }

  /** Resolves when a reader will soon want more than is in memory, or there is no reader. */
  async mayRead(): Promise<void> {
    while (this.#isPaused()) {
      await new Promise<void>((resolve) => {
        this.#whenMoved.push(resolve);
      });
    }
  }

  /** Ends the waiting in {@link mayRead}. */
  release(): void {
    this.#positions.clear();
    this.foldEnds();
  }

  #isPaused(): boolean {
    if (this.#fold?.isWaiting === true) return false;
    let fastest: number = this.#fold?.next ?? -1;
    for (const { next, isWaiting } of this.#positions) {
      if (isWaiting) return false;
      if (next > fastest) fastest = next;
    }
    return fastest >= 0 && this.#isTooFarAhead(resourceVersion(fastest));
  }

  #moved(): void {
    if (this.#whenMoved.length === 0) return;
    for (const tell of this.#whenMoved.splice(0)) tell();
  }

  #follow(
    from: ResourceVersion,
    signal: AbortSignal,
    batches: AsyncIterable<Batch>,
  ): AsyncIterator<Batch, undefined> {
    const iterator = batches[Symbol.asyncIterator]();
    const position: Position = { next: from, isWaiting: false };
    const leave = (): void => {
      this.#positions.delete(position);
      this.#moved();
    };
    signal.addEventListener('abort', leave, { once: true });
    return {
      next: async () => {
        // A reader that asks for the next batch is done with the last one.
        if (!signal.aborted) this.#positions.add(position);
        position.isWaiting = true;
        this.#moved();
        try {
          const result = await iterator.next();
          position.isWaiting = false;
          if (result.done === true) {
            leave();
            return { done: true, value: undefined };
          }
          const last = result.value.at(-1)?.resourceVersion ?? position.next;
          position.next = resourceVersion(last + 1);
          return result;
        } catch (error) {
          leave();
          throw error;
        }
      },
      return: async () => {
        signal.removeEventListener('abort', leave);
        leave();
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    };
  }
}
