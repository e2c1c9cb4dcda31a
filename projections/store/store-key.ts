/**
 * The keys of the object store. They sort as bytes: first the resource, then the path as UTF-8,
 * then the version, which is how etcd orders the same objects under /registry.
 *
 *     name     resource 0x00 path 0x00
 *     history  name, version in 8 bytes, type in 1
 *     change   resource 0x00, version in 8 bytes
 *
 * A zero byte inside a text becomes 0x00 0xFF. No version begins with 0xFF, so the ends of
 * texts can be told, and the order stays that of the texts.
 */
import type { EventType } from '../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';

export interface ObjectName {
  readonly resource: string;
  readonly path: string;
}

/** What a store key can be made from. A key that lacks its last parts sorts before all that have them. */
export interface StoreKey extends Partial<ObjectName> {
  readonly resource: string;
  /** Set: the key ends right behind the path's bytes, as the beginning of paths that are longer. */
  readonly isPathOpen?: boolean;
  /** Set: behind all keys of the resource. */
  readonly isResourceEnd?: boolean;
  readonly version?: ResourceVersion;
  readonly type?: number;
}

export interface HistoryEntry {
  /** The same value for entries of the same object that are read one after the other. */
  readonly name: ObjectName;
  readonly version: ResourceVersion;
  readonly type: number;
}

export const TYPE_CODES: Readonly<Record<EventType, number>> = {
  added: 1,
  modified: 2,
  deleted: 3,
};
const TYPES = new Map(Object.entries(TYPE_CODES).map(([type, code]) => [code, type as EventType]));

export function typeOfCode(code: number): EventType {
  const type = TYPES.get(code);
  if (type === undefined)
    throw new Error(`the store holds a type that is unknown: ${String(code)}`);
  return type;
}

/** Sorts behind the entries of every type. */
export const TYPE_AFTER_ALL = 255;

/** The LMDB limit, less the version and the type. */
const NAME_BYTES_MAX = 1_978 - 9;
const VERSION_SIZE = 8;
const HIGH_WORD = 2 ** 32;

/** For lmdb's `keyEncoder`: writes into its buffer, so that no key costs an allocation. */
export function writeStoreKey(key: StoreKey, target: Buffer, start: number): number {
  let end = writeText(key.resource, target, start);
  target[end++] = 0;
  // Behind the zero, neither UTF-8 nor a version begins with this byte.
  if (key.isResourceEnd === true) target[end++] = 255;
  if (key.path !== undefined) {
    end = writeText(key.path, target, end);
    if (key.isPathOpen !== true) target[end++] = 0;
  }
  if (key.version !== undefined) {
    target.writeUInt32BE(Math.floor(key.version / HIGH_WORD), end);
    target.writeUInt32BE(key.version % HIGH_WORD, end + 4);
    end += VERSION_SIZE;
  }
  if (key.type !== undefined) target[end++] = key.type;
  return end;
}

/** @throws {RangeError} the name is too long for a key. */
export function checkName(name: ObjectName): void {
  // Nearly always short, and then nothing has to be counted.
  if ((name.resource.length + name.path.length) * 3 + 2 <= NAME_BYTES_MAX) return;
  const size = escaped(name.resource).length + escaped(name.path).length + 2;
  if (size > NAME_BYTES_MAX) {
    throw new RangeError(`the path of an object is too long: ${name.path.slice(0, 100)}…`);
  }
}

/** Reads names as a walk meets them. All of one resource share one text for it: a start meets a million of them. */
export class NameReader {
  #resourceBytes = Buffer.from([0]);
  #resource = '';

  readonly read = (source: Buffer, start: number, end: number): ObjectName => {
    const known = this.#resourceBytes;
    const from = start + known.length;
    // A zero in the text goes on with this byte.
    const isSame = source[from] !== 255 && known.equals(source.subarray(start, from));
    if (!isSame) {
      const resourceEnd = textEnd(source, start, end);
      this.#resource = readText(source, start, resourceEnd);
      this.#resourceBytes = Buffer.from(source.subarray(start, resourceEnd + 1));
    }
    const pathAt = start + this.#resourceBytes.length;
    return { resource: this.#resource, path: readText(source, pathAt, end - 1) };
  };
}

/** Reads entries as lmdb's cursor meets them, and decodes a name only when it changes. */
export class HistoryEntryReader {
  #nameBytes = Buffer.alloc(0);
  #name: ObjectName = { resource: '', path: '' };
  readonly #names = new NameReader();

  readonly read = (source: Buffer, start: number, end: number): HistoryEntry => {
    const type = source[end - 1] ?? 0;
    const versionAt = end - 1 - VERSION_SIZE;
    if (!this.#isSameName(source, start, versionAt)) {
      this.#nameBytes = Buffer.from(source.subarray(start, versionAt));
      this.#name = this.#names.read(source, start, versionAt);
    }
    return { name: this.#name, version: readVersion(source, versionAt), type };
  };

  #isSameName(source: Buffer, start: number, end: number): boolean {
    const known = this.#nameBytes;
    if (known.length !== end - start) return false;
    // Names that follow each other differ at their ends.
    for (let index = known.length - 1; index >= 0; index -= 1) {
      if (known[index] !== source[start + index]) return false;
    }
    return true;
  }
}

export function readChangeVersion(source: Buffer, _start: number, end: number): ResourceVersion {
  return readVersion(source, end - VERSION_SIZE);
}

/** The order of paths in the store, for what keeps paths elsewhere. */
export function comparePaths(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function readVersion(source: Buffer, at: number): ResourceVersion {
  return resourceVersion(source.readUInt32BE(at) * HIGH_WORD + source.readUInt32BE(at + 4));
}

function writeText(text: string, target: Buffer, start: number): number {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0 || code >= 0x80) return start + escaped(text).copy(target, start);
    target[start + index] = code;
  }
  return start + text.length;
}

function escaped(text: string): Buffer {
  const parts = text.split('\0').map((part) => Buffer.from(part));
  const zero = Buffer.from([0, 255]);
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [zero, part])));
}

function textEnd(source: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && (source[at] !== 0 || source[at + 1] === 255)) at += 1;
  return at;
}

function readText(source: Buffer, start: number, end: number): string {
  const text = source.toString('utf8', start, end);
  if (!text.includes('\0')) return text;
  const bytes = source.subarray(start, end);
  return Buffer.from(bytes.filter((byte, at) => byte !== 255 || bytes[at - 1] !== 0)).toString();
}
