/** An LMDB file as bytes that are read by position, and its two meta pages. */
import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import type { DiskUsage } from '../lmdb-usage.ts';
import {
  isStateOf,
  type Meta,
  META_BYTES,
  metaOf,
  STATE_AT,
  STATE_BYTES,
  usageOf,
} from './lmdb-pages.ts';

/** A state of the file. */
export interface Snapshot extends Meta {
  /** Where its meta page lies. */
  readonly at: number;
}

export class PageFile {
  #file: number | undefined;
  readonly #meta = Buffer.alloc(META_BYTES);
  readonly #state = Buffer.alloc(STATE_BYTES);

  /** @param path of the directory of the file. Where it is not there, or in another order of bytes, each read fails. */
  constructor(path: string) {
    this.#file = endianness() === 'LE' ? opened(join(path, 'data.mdb')) : undefined;
  }

  /** Whether it can be read. */
  get isThere(): boolean {
    return this.#file !== undefined;
  }

  /** As it was made with; undefined: it is another file. */
  pageSize(): number | undefined {
    this.fill(this.#meta, 0);
    return metaOf(this.#meta)?.pageSize;
  }

  /** The newest of its states; undefined: its pages are of another size, or it is another file. */
  newest(pageSize: number): Snapshot | undefined {
    const [first, second] = [this.#snapshotAt(0, pageSize), this.#snapshotAt(pageSize, pageSize)];
    if (first === undefined || second === undefined) return undefined;
    return first.transaction > second.transaction ? first : second;
  }

  #snapshotAt(at: number, pageSize: number): Snapshot | undefined {
    this.fill(this.#meta, at);
    const meta = metaOf(this.#meta);
    if (meta?.pageSize !== pageSize) return undefined;
    return { root: meta.root, transaction: meta.transaction, at };
  }

  /** Whether the meta page of the state is still there. */
  has(state: Snapshot): boolean {
    this.fill(this.#state, state.at + STATE_AT);
    return isStateOf(this.#state, state);
  }

  /** How much of it is used in the state whose meta page lies there. */
  diskUsage(at: number, pageSize: number): DiskUsage {
    this.fill(this.#meta, at);
    return usageOf(this.#meta, pageSize);
  }

  /** Reads all of the target. @throws {RangeError} the file ends before. */
  fill(target: Buffer, from: number): void {
    if (this.read(target, from) !== target.length) throw new RangeError('the file ends there');
  }

  /** @returns how many bytes were read. */
  read(target: Buffer, from: number): number {
    return this.#file === undefined ? 0 : readSync(this.#file, target, 0, target.length, from);
  }

  /** Each read fails from now on. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function opened(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined;
  }
}
