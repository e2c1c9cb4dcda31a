/**
 * Heads of a long log that another thread reads ahead of the fold: what is most of the work, to read the bytes of the
 * records and to look whether they are whole, is done on another core, and a tenth of the bytes comes here.
 *
 * It may tell less than it was asked for, and never anything else: a thread that cannot begin, or that finds what it does not
 * expect, is one that tells no more, and the log reads on by itself, and says what is wrong.
 *
 * @see docs/decisions/0101-a-long-log-is-written-at-once.md
 */
import { Worker } from 'node:worker_threads';
import type { ResourceVersion } from '../resource-version.ts';
import { HeadBlocks, type HeadBlock } from './head-blocks.ts';
import type { HeadsTask } from './heads-thread.ts';

/** What it keeps is little; a heap of the usual size would grow before anything is collected. */
const LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 };

export class HeadsAhead {
  /** Where the header of the record lies that was found last. */
  start = 0;
  /** Where it ends. */
  end = 0;
  readonly #blocks = new HeadBlocks();
  readonly #thread: Worker;
  /** How many headers each block has that is filled, and was not read to its end. */
  readonly #counts: number[] = [];
  #isOver = false;
  #wake: () => void = () => undefined;
  /** The block that is read. */
  #block: HeadBlock;
  #nth = 0;
  /** The version of its first header. */
  #from: number;
  /** The first version that is in no block yet. */
  #behind: number;

  /**
   * @param program the built thread.
   * @throws {Error} there can be no thread.
   */
  constructor(program: string, task: Omit<HeadsTask, 'memory'>) {
    [this.#from, this.#behind] = [task.from, task.from];
    this.#block = this.#blocks.at(0);
    const workerData: HeadsTask = { memory: this.#blocks.memory, ...task };
    this.#thread = new Worker(program, { workerData, execArgv: [], resourceLimits: LIMITS });
    this.#thread.unref();
    this.#thread.on('message', (count: number) => {
      this.#counts.push(count);
      this.#behind += count;
      this.#wake();
    });
    this.#thread.on('error', () => {
      this.#end();
    });
    this.#thread.on('exit', () => {
      this.#end();
    });
  }

  /** In which the header lies that was found last. */
  get bytes(): Buffer {
    return this.#block.bytes;
  }

  /** Whether the record's header is going to be here, as far as is known. */
  isAwaited(version: ResourceVersion): boolean {
    return !this.#isOver && version >= this.#behind;
  }

  /** Resolves when the header is here, or is not going to be. */
  async whenHere(version: ResourceVersion, signal: AbortSignal): Promise<void> {
    const giveUp = (): void => {
      this.#wake();
    };
    signal.addEventListener('abort', giveUp);
    while (this.isAwaited(version) && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    signal.removeEventListener('abort', giveUp);
  }

  /** Versions are to be asked for in order. @returns false: it is not here. */
  find(version: ResourceVersion): boolean {
    let [count = 0] = this.#counts;
    while (count > 0 && version >= this.#from + count) {
      this.#next(count);
      [count = 0] = this.#counts;
    }
    const place = version - this.#from;
    if (place < 0 || place >= count) return false;
    this.start = this.#block.startOf(place);
    this.end = this.#block.endOf(place);
    return true;
  }

  /** Nothing is awaited of it any more. Resolves when the thread has let go of the file. */
  async close(): Promise<void> {
    this.#end();
    await this.#thread.terminate();
  }

  #next(count: number): void {
    this.#counts.shift();
    this.#from += count;
    this.#nth += 1;
    this.#block = this.#blocks.at(this.#nth);
    this.#blocks.giveBack();
  }

  #end(): void {
    this.#isOver = true;
    this.#wake();
  }
}
