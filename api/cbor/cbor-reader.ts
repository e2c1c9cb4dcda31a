/**
 * Reads CBOR into the values that JSON has, as Kubernetes does: a byte string is a text like others, integers have
 * 64 bits, keys are texts and stand in their map once, and what JSON cannot say is refused.
 *
 * The surprise: bytes that are expected to become base64 later, as fields of Go's `[]byte` are sent, become it here.
 *
 * In Kubernetes: apimachinery/pkg/runtime/serializer/cbor/internal/modes/decode.go; in the RFCs: RFC 8949.
 */
import { allOf, type Parts } from '../json/json-parts.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { setOwn } from '../json/own-property.ts';
import { trimEnd } from '../meta/trim-end.ts';
import { MAJOR, TAG } from './cbor-heads.ts';

/** As of JSON. */
const DEPTH_MAX = 10_000;
/** So many items are read before others have their turn. */
const PART_ITEMS = 8_192;
const BREAK = 0xff;
const INDEFINITE = 31;
const INT64_MAX = 2n ** 63n - 1n;

/** Why bytes are no CBOR that can be taken. */
export class CborError extends Error {
  override readonly name = 'CborError';

  constructor(why: string, before = 'cbor: ') {
    super(before + why);
  }
}

/** What is read before it is known what it stands in. */
type Item = JsonValue | Uint8Array;

/** A list, a map or a tag whose end has not come. */
type Open =
  | { readonly kind: 'list'; readonly list: JsonValue[]; left: number }
  | { readonly kind: 'map'; readonly map: JsonObject; left: number; key: string | undefined }
  | { readonly kind: 'tag'; readonly tag: number };

/** One item that is all of the bytes. @throws CborError */
export function readCbor(bytes: Uint8Array): JsonValue {
  return allOf(readCborInParts(bytes));
}

/** The same with others having their turn in between. @throws CborError */
export function* readCborInParts(bytes: Uint8Array): Parts<JsonValue> {
  const reader = new Reader(bytes);
  for (;;) {
    for (let count = 0; count < PART_ITEMS; count += 1) {
      if (reader.goOn()) return reader.value;
    }
    yield;
  }
}

class Reader {
  value: JsonValue = null;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #open: Open[] = [];
  #at = 0;
  /** How bytes within are to be written, of the innermost tag that says it. */
  readonly #encodings: BufferEncoding[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads an item, or the head of one. @returns whether all is read. */
  goOn(): boolean {
    const top = this.#open.at(-1);
    if (top !== undefined && top.kind !== 'tag' && top.left < 0 && this.#peek() === BREAK) {
      if (top.kind === 'map' && top.key !== undefined) throw new CborError('a key has no value');
      this.#at += 1;
      this.#open.pop();
      return this.#closed(top.kind === 'list' ? top.list : top.map);
    }
    const item = this.#item();
    return item !== undefined && this.#closed(item);
  }

  /** undefined: it is the head of a list, a map or a tag. */
  #item(): Item | undefined {
    const head = this.#byte();
    const [major, info] = [head >> 5, head & 0x1f];
    switch (major) {
      case MAJOR.unsigned:
        return whole(this.#argument(info));
      case MAJOR.negative:
        return whole(-1n - BigInt(this.#argument(info)));
      case MAJOR.bytes:
      case MAJOR.text:
        return this.#string(major, info);
      case MAJOR.simple:
        return this.#simple(info);
      default:
        return this.#begin(major, info);
    }
  }

  #begin(major: number, info: number): JsonValue | undefined {
    if (this.#open.length >= DEPTH_MAX) {
      throw new CborError(`exceeded max nested level ${String(DEPTH_MAX)}`);
    }
    if (major === MAJOR.tag) {
      const tag = Number(this.#argument(info));
      if (tag === TAG.bignum || tag === TAG.negativeBignum) {
        throw new CborError('bignums cannot be kept');
      }
      const encoding = LATER.get(tag);
      if (encoding !== undefined) this.#encodings.push(encoding);
      this.#open.push({ kind: 'tag', tag });
      return undefined;
    }
    const left = info === INDEFINITE ? -1 : this.#count(info, major === MAJOR.map ? 2 : 1);
    if (major === MAJOR.list) {
      if (left === 0) return [];
      this.#open.push({ kind: 'list', list: [], left });
    } else {
      if (left === 0) return {};
      this.#open.push({ kind: 'map', map: {}, left, key: undefined });
    }
    return undefined;
  }

  /** Each item takes a byte at least, so that a number alone makes nothing large. */
  #count(info: number, bytesEach: number): number {
    const count = Number(this.#argument(info));
    if (count * bytesEach > this.#bytes.length - this.#at) throw this.#cutOff();
    return count;
  }

  /** The item is whole; so may be what it stands in. @returns whether all is read. */
  #closed(item: Item): boolean {
    let closed = item;
    for (;;) {
      const top = this.#open.at(-1);
      if (top === undefined) return this.#ended(this.#shown(closed));
      if (top.kind === 'tag') {
        closed = this.#tagged(top.tag, this.#shown(closed));
        this.#open.pop();
        continue;
      }
      if (top.kind === 'map' && top.key === undefined) {
        top.key = keyIn(top.map, closed);
        return false;
      }
      const value = this.#shown(closed);
      if (top.kind === 'list') top.list.push(value);
      else {
        setOwn(top.map, top.key ?? '', value);
        top.key = undefined;
      }
      if (top.left < 0) return false;
      top.left -= 1;
      if (top.left > 0) return false;
      this.#open.pop();
      closed = top.kind === 'list' ? top.list : top.map;
    }
  }

  #ended(value: JsonValue): true {
    const left = this.#bytes.length - this.#at;
    if (left > 0) {
      throw new CborError(
        `${String(left)} bytes of extraneous data starting at index ${String(this.#at)}`,
      );
    }
    this.value = value;
    return true;
  }

  #shown(item: Item): JsonValue {
    if (!(item instanceof Uint8Array)) return item;
    return bufferOf(item).toString(this.#encodings.at(-1) ?? 'utf8');
  }

  #tagged(tag: number, value: JsonValue): JsonValue {
    if (LATER.has(tag)) {
      this.#encodings.pop();
      return value;
    }
    return tag === TAG.time || tag === TAG.epoch ? timeOf(tag, value) : value;
  }

  #string(major: number, info: number): Item {
    if (info !== INDEFINITE) return this.#definite(major, info);
    const chunks: Buffer[] = [];
    while (this.#peek() !== BREAK) {
      const head = this.#byte();
      if (head >> 5 !== major || (head & 0x1f) === INDEFINITE) {
        throw new CborError('a string of pieces has a piece that is none');
      }
      const piece = this.#definite(major, head & 0x1f);
      chunks.push(typeof piece === 'string' ? Buffer.from(piece) : bufferOf(piece));
    }
    this.#at += 1;
    const all = Buffer.concat(chunks);
    return major === MAJOR.text ? all.toString() : all;
  }

  #definite(major: number, info: number): string | Uint8Array {
    const length = this.#count(info, 1);
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    if (major === MAJOR.bytes) return bytes;
    try {
      return TEXTS.decode(bytes);
    } catch {
      throw new CborError('invalid UTF-8 string');
    }
  }

  #simple(info: number): JsonValue {
    if (info === 20 || info === 21) return info === 21;
    if (info === 22) return null;
    if (info < 25 || info > 27) {
      throw new CborError(`simple value ${String(info)} is not recognized`);
    }
    const width = 2 ** (info - 24);
    this.#room(width);
    const view = this.#view;
    const at = this.#at;
    this.#at += width;
    const number =
      width === 2 ? halfAt(view, at) : width === 4 ? view.getFloat32(at) : view.getFloat64(at);
    if (!Number.isFinite(number)) throw new CborError('floating-point NaN or infinity');
    return number;
  }

  #argument(info: number): number | bigint {
    if (info < 24) return info;
    if (info > 27) throw new CborError(`invalid additional information ${String(info)}`);
    const width = 2 ** (info - 24);
    this.#room(width);
    const at = this.#at;
    this.#at += width;
    if (width === 1) return this.#view.getUint8(at);
    if (width === 2) return this.#view.getUint16(at);
    return width === 4 ? this.#view.getUint32(at) : this.#view.getBigUint64(at);
  }

  #byte(): number {
    this.#room(1);
    this.#at += 1;
    return this.#bytes[this.#at - 1] ?? 0;
  }

  #peek(): number {
    this.#room(1);
    return this.#bytes[this.#at] ?? 0;
  }

  #room(bytes: number): void {
    if (this.#at + bytes > this.#bytes.length) throw this.#cutOff();
  }

  #cutOff(): Error {
    return new CborError(this.#bytes.length === 0 ? 'EOF' : 'unexpected EOF', '');
  }
}

const TEXTS = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** In which letters bytes are expected later. */
const LATER: ReadonlyMap<number, BufferEncoding> = new Map([
  [TAG.laterBase64Url, 'base64url'],
  [TAG.laterBase64, 'base64'],
  [TAG.laterHex, 'hex'],
]);

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function whole(number: number | bigint): JsonValue {
  if (typeof number === 'bigint' && (number > INT64_MAX || -number - 1n > INT64_MAX)) {
    throw new CborError(`${String(number)} overflows Go's int64`);
  }
  const small = Number(number);
  return Number.isSafeInteger(small) ? small : BigInt(number);
}

function keyIn(map: JsonObject, item: Item): string {
  const key = item instanceof Uint8Array ? bufferOf(item).toString() : item;
  if (typeof key !== 'string') throw new CborError('a key of a map is no string');
  if (Object.hasOwn(map, key)) throw new CborError(`found duplicate map key "${key}"`);
  return key;
}

const MS_PER_SECOND = 1_000;

function timeOf(tag: number, value: JsonValue): JsonValue {
  const ms =
    tag === TAG.time && typeof value === 'string'
      ? Date.parse(value)
      : tag === TAG.epoch && typeof value === 'number'
        ? value * MS_PER_SECOND
        : NaN;
  const time = new Date(ms);
  if (Number.isNaN(time.getTime())) throw new CborError('a time is none');
  if (tag === TAG.time) return value;
  const [seconds = '', fraction = ''] = time.toISOString().slice(0, -1).split('.');
  const kept = trimEnd(fraction, '0');
  return kept === '' ? `${seconds}Z` : `${seconds}.${kept}Z`;
}

const HALF_EXPONENT_MAX = 31;

function halfAt(view: DataView, at: number): number {
  const bits = view.getUint16(at);
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === HALF_EXPONENT_MAX) return NaN;
  return exponent === 0
    ? sign * fraction * 2 ** -24
    : sign * (fraction + 1_024) * 2 ** (exponent - 25);
}
