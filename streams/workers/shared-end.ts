/**
 * The end of a log that several processes share, in a file of sixteen bytes without a name: its owner writes it there
 * before it tells any worker of a group, and so before any write of the group is acknowledged. A worker that reads
 * it knows all that was acknowledged until then, without a message and without asking LMDB.
 *
 * The surprise: the last record of LMDB's file tells the same, and cost a read eight times as much: lmdb sets a timer for
 * each transaction that it renews. This costs one system call.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';

/** Where the system has one: a file in it is never written to a disk, so no full disk fails a write. */
const IN_MEMORY = '/dev/shm';
const ONLY_OWNER = 0o600;

export class SharedEnd {
  /** Of the file, by which a process that is started with it has the same. */
  readonly descriptor: number;
  /** The version, twice: where both are not the same, the owner is just writing. */
  readonly #versions = new Float64Array(2);
  readonly #bytes = new Uint8Array(this.#versions.buffer);

  /** @param descriptor of the file that {@link made} made, as this process has it. */
  constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  /**
   * A new one, at version 0.
   *
   * @param directory where its file is made if there is no place in memory; nothing of it stays there.
   */
  static made(directory: string): SharedEnd {
    const end = new SharedEnd(openUnnamed(directory));
    end.write(resourceVersion(0));
    return end;
  }

  /** Tells it to all processes: each read that begins behind this call gives it, or a later one. */
  write(version: ResourceVersion): void {
    this.#versions.fill(version);
    writeSync(this.descriptor, this.#bytes, 0, this.#bytes.length, 0);
  }

  /** The version; undefined: it cannot be told at this moment. */
  read(): ResourceVersion | undefined {
    const read = readSync(this.descriptor, this.#bytes, 0, this.#bytes.length, 0);
    const [version = 0, again] = this.#versions;
    return read === this.#bytes.length && version === again ? resourceVersion(version) : undefined;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

function openUnnamed(directory: string): number {
  try {
    return openUnnamedIn(IN_MEMORY);
  } catch {
    return openUnnamedIn(directory);
  }
}

function openUnnamedIn(directory: string): number {
  const name = join(directory, `everwatch-end-${String(process.pid)}-${randomUUID()}`);
  const descriptor = openSync(name, 'wx+', ONLY_OWNER);
  unlinkSync(name);
  return descriptor;
}
