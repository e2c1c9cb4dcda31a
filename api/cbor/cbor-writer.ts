/**
 * Writes values as CBOR, as Kubernetes does: texts and keys as byte strings, numbers in as few bytes as they need, and
 * in front of all what tells CBOR from other forms. Keys stand in the order that the object has: upstream answers in
 * no order either.
 *
 * In Kubernetes: apimachinery/pkg/runtime/serializer/cbor/internal/modes/encode.go.
 */
import { allOf, type Parts } from '../json/json-parts.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { ownKeys } from '../json/own-property.ts';
import { MAJOR, SELF_DESCRIBED } from './cbor-heads.ts';

/** So many values are written before others have their turn. */
const PART_VALUES = 8_192;
const FIRST_BYTES = 1_024;
/** A head and the number behind it. */
const HEAD_BYTES = 9;
const FALSE = 0xf4;
const TRUE = 0xf5;
const NULL = 0xf6;
const HALF = 0xf9;
const SINGLE = 0xfa;
const DOUBLE = 0xfb;

/** The value as one item. */
export function writeCbor(value: JsonValue): Buffer {
  return allOf(writeCborInParts(value));
}

/** The same with others having their turn in between. */
export function* writeCborInParts(value: JsonValue): Parts<Buffer> {
  const writer = new Writer(value);
  for (;;) {
    for (let count = 0; count < PART_VALUES; count += 1) {
      if (writer.goOn()) return writer.bytes();
    }
    yield;
  }
}

/** What is left of a list or of an object. */
interface Open {
  readonly list?: readonly JsonValue[];
  readonly object?: JsonObject;
  readonly keys?: readonly string[];
  next: number;
}

class Writer {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #at = 0;
  readonly #open: Open[] = [];

  constructor(value: JsonValue) {
    this.#copy(SELF_DESCRIBED);
    this.#begin(value);
  }

  /** The next value. @returns whether there is none. */
  goOn(): boolean {
    const top = this.#open.at(-1);
    if (top === undefined) return true;
    const { list, object, keys, next } = top;
    if (next === (list ?? keys)?.length) {
      this.#open.pop();
      return false;
    }
    top.next += 1;
    if (list !== undefined) this.#begin(list[next] ?? null);
    else {
      const key = keys?.[next] ?? '';
      this.#text(key);
      this.#begin(object?.[key] ?? null);
    }
    return false;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  #begin(value: JsonValue): void {
    if (typeof value === 'string') this.#text(value);
    else if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'bigint') this.#whole(value);
    else if (Array.isArray(value)) {
      this.#head(MAJOR.list, value.length);
      this.#open.push({ list: value, next: 0 });
    } else if (isJsonObject(value)) {
      const keys = ownKeys(value);
      this.#head(MAJOR.map, keys.length);
      this.#open.push({ object: value, keys, next: 0 });
    } else this.#byte(value === null ? NULL : value ? TRUE : FALSE);
  }

  #text(text: string): void {
    const length = Buffer.byteLength(text);
    this.#head(MAJOR.bytes, length);
    this.#room(length);
    this.#at += this.#buffer.write(text, this.#at);
  }

  #number(value: number): void {
    // Go has no other zero that is an integer.
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
      this.#whole(value);
      return;
    }
    this.#room(HEAD_BYTES);
    const half = halfOf(value);
    if (half !== undefined) {
      this.#byte(HALF);
      this.#at = this.#buffer.writeUInt16BE(half, this.#at);
    } else if (Math.fround(value) === value) {
      this.#byte(SINGLE);
      this.#at = this.#buffer.writeFloatBE(value, this.#at);
    } else {
      this.#byte(DOUBLE);
      this.#at = this.#buffer.writeDoubleBE(value, this.#at);
    }
  }

  #whole(value: number | bigint): void {
    if (value >= 0) this.#head(MAJOR.unsigned, value);
    else this.#head(MAJOR.negative, typeof value === 'bigint' ? -1n - value : -1 - value);
  }

  #head(major: number, argument: number | bigint): void {
    this.#room(HEAD_BYTES);
    const first = major << 5;
    const buffer = this.#buffer;
    if (argument < 24) {
      this.#byte(first | Number(argument));
    } else if (argument <= 0xff) {
      this.#byte(first | 24);
      this.#byte(Number(argument));
    } else if (argument <= 0xffff) {
      this.#byte(first | 25);
      this.#at = buffer.writeUInt16BE(Number(argument), this.#at);
    } else if (argument <= 0xffff_ffff) {
      this.#byte(first | 26);
      this.#at = buffer.writeUInt32BE(Number(argument), this.#at);
    } else {
      this.#byte(first | 27);
      this.#at = buffer.writeBigUInt64BE(BigInt(argument), this.#at);
    }
  }

  #byte(byte: number): void {
    this.#room(1);
    this.#buffer[this.#at] = byte;
    this.#at += 1;
  }

  #copy(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #room(bytes: number): void {
    const wanted = this.#at + bytes;
    if (wanted <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(wanted, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}

const SINGLES = new DataView(new ArrayBuffer(4));

/** The bits of a number that two bytes keep; undefined: they do not. */
function halfOf(value: number): number | undefined {
  if (Math.fround(value) !== value) return undefined;
  SINGLES.setFloat32(0, value);
  const bits = SINGLES.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = ((bits >>> 23) & 0xff) - 127;
  const fraction = bits & 0x7f_ffff;
  if (exponent === -127 && fraction === 0) return sign;
  if (exponent > 15 || exponent < -24) return undefined;
  if (exponent >= -14) {
    return (fraction & 0x1fff) === 0
      ? sign | ((exponent + 15) << 10) | (fraction >>> 13)
      : undefined;
  }
  const shift = -exponent - 1;
  const full = fraction | 0x80_0000;
  return full % 2 ** shift === 0 ? sign | (full >>> shift) : undefined;
}
