/**
 * A stretch of a log as it is kept while a store is filled: which events took effect, by numbers, the paths that were
 * new in it, and how far the fold had come with each batch. Bytes of one part need those of the parts before it.
 *
 *     length of the head in 4 bytes, the head, and of each resource the versions (8 bytes each) and the codes (4)
 *
 * The head is JSON: all texts one behind the other, and all numbers.
 */
import { resourceVersion } from '../../streams/resource-version.ts';
import type { RecordedBatch } from './pending-records.ts';

/** What the part has of one resource. */
export interface PartOfResource {
  readonly resource: string;
  /** Those that no part before it has. Their numbers go on behind those of the parts before. */
  readonly paths: readonly string[];
  readonly versions: Float64Array;
  /** See StoreFilling. */
  readonly codes: Uint32Array;
}

/** One behind the other they are all that was folded. */
export interface FillingPart {
  readonly resources: readonly PartOfResource[];
  /** Of the batches that these events came in; their changes are left out. */
  readonly batches: readonly RecordedBatch[];
}

/** null: a time before all, or a writer that is forgotten. */
type Head = readonly [texts: readonly string[], numbers: readonly (number | null)[]];

const HEAD_AT = 4;
const VERSION_BYTES = 8;
const CODE_BYTES = 4;

/** The part as bytes, some twelve for each event, and each path once. */
export function encodePart({ resources, batches }: FillingPart): Buffer {
  const texts: string[] = [];
  const numbers: (number | null)[] = [resources.length];
  for (const { resource, paths, versions } of resources) {
    numbers.push(paths.length, versions.length);
    texts.push(resource);
    for (const path of paths) texts.push(path);
  }
  numbers.push(batches.length);
  for (const { applied, time, writers } of batches) {
    numbers.push(applied, Number.isFinite(time) ? time : null, writers.size);
    for (const [writer, sequence] of writers) {
      texts.push(writer);
      numbers.push(sequence ?? null);
    }
  }
  const head: Head = [texts, numbers];
  const pieces: Buffer[] = [Buffer.alloc(HEAD_AT), Buffer.from(JSON.stringify(head))];
  pieces[0]?.writeUInt32LE(pieces[1]?.length ?? 0);
  for (const { versions, codes } of resources) {
    for (const { buffer, byteOffset, byteLength } of [versions, codes]) {
      pieces.push(Buffer.from(buffer, byteOffset, byteLength));
    }
  }
  return Buffer.concat(pieces);
}

/** @throws Error it is no part. */
export function decodePart(bytes: Buffer): FillingPart {
  const reader = new PartReader(bytes);
  const counts = reader.times(() => {
    const [paths, versions] = [reader.number(), reader.number()];
    return { versions, resource: reader.text(), paths: reader.texts(paths) };
  });
  const batches = reader.times((): RecordedBatch => {
    const applied = resourceVersion(reader.number());
    const time = reader.numberOrNull() ?? Number.NEGATIVE_INFINITY;
    const writers = reader.times(
      () => [reader.text(), reader.numberOrNull() ?? undefined] as const,
    );
    return { changes: [], applied, time, writers: new Map(writers) };
  });
  const resources = counts.map(({ resource, paths, versions }) => ({
    resource,
    paths,
    versions: new Float64Array(reader.bytes(versions * VERSION_BYTES)),
    codes: new Uint32Array(reader.bytes(versions * CODE_BYTES)),
  }));
  return { resources, batches };
}

class PartReader {
  readonly #bytes: Buffer;
  readonly #head: Head;
  #at: number;
  #textAt = 0;
  #numberAt = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#at = HEAD_AT + bytes.readUInt32LE(0);
    // The store's file gives back what it was given, or nothing.
    this.#head = JSON.parse(bytes.toString('utf8', HEAD_AT, this.#at)) as Head;
  }

  /** As often as the next number says. */
  times<One>(read: () => One): One[] {
    return Array.from({ length: this.number() }, read);
  }

  number(): number {
    return this.numberOrNull() ?? 0;
  }

  numberOrNull(): number | null {
    this.#numberAt += 1;
    return this.#head[1][this.#numberAt - 1] ?? null;
  }

  text(): string {
    return this.texts(1)[0] ?? '';
  }

  texts(count: number): readonly string[] {
    this.#textAt += count;
    return this.#head[0].slice(this.#textAt - count, this.#textAt);
  }

  bytes(length: number): ArrayBuffer {
    const taken = new Uint8Array(length);
    const copied = this.#bytes.copy(taken, 0, this.#at, this.#at + length);
    if (copied < length) throw new Error('a part is cut off');
    this.#at += length;
    return taken.buffer;
  }
}
