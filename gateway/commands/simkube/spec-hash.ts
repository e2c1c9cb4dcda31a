/**
 * The hash that SimKube has of a JSON value: SipHash-1-3 without a key over what Rust's `Hash` makes of
 * serde_json values whose keys are sorted.
 *
 * In SimKube: HashableJsonValue, sk-core/src/jsonutils.rs. In Rust: DefaultHasher.
 */
import { isJsonObject, type JsonValue } from '../../../api/json/json.ts';

const MASK = (1n << 64n) - 1n;

function rotated(value: bigint, by: bigint): bigint {
  return ((value << by) | (value >> (64n - by))) & MASK;
}

/** Four words of state and the rounds over them. */
class SipHash13 {
  #v0 = 0x736f6d6570736575n;
  #v1 = 0x646f72616e646f6dn;
  #v2 = 0x6c7967656e657261n;
  #v3 = 0x7465646279746573n;

  add(word: bigint): void {
    this.#v3 ^= word;
    this.#round();
    this.#v0 ^= word;
  }

  end(): bigint {
    this.#v2 ^= 0xffn;
    for (let round = 0; round < 3; round += 1) this.#round();
    return this.#v0 ^ this.#v1 ^ this.#v2 ^ this.#v3;
  }

  #round(): void {
    this.#v0 = (this.#v0 + this.#v1) & MASK;
    this.#v1 = rotated(this.#v1, 13n) ^ this.#v0;
    this.#v0 = rotated(this.#v0, 32n);
    this.#v2 = (this.#v2 + this.#v3) & MASK;
    this.#v3 = rotated(this.#v3, 16n) ^ this.#v2;
    this.#v0 = (this.#v0 + this.#v3) & MASK;
    this.#v3 = rotated(this.#v3, 21n) ^ this.#v0;
    this.#v2 = (this.#v2 + this.#v1) & MASK;
    this.#v1 = rotated(this.#v1, 17n) ^ this.#v2;
    this.#v2 = rotated(this.#v2, 32n);
  }
}

/** @param value undefined: the object has no such part. */
export function specHash(value: JsonValue | undefined): bigint {
  const pieces: Buffer[] = [];
  feed(value ?? null, pieces);
  const bytes = Buffer.concat(pieces);
  const whole = bytes.length & ~7;
  const hasher = new SipHash13();
  for (let at = 0; at < whole; at += 8) hasher.add(bytes.readBigUInt64LE(at));
  const tail = Buffer.alloc(8);
  bytes.copy(tail, 0, whole);
  tail[7] = bytes.length & 0xff;
  hasher.add(tail.readBigUInt64LE(0));
  return hasher.end();
}

const NONE = Buffer.alloc(8);
const END_OF_TEXT = Buffer.from([0xff]);

function feed(value: JsonValue, pieces: Buffer[]): void {
  if (Array.isArray(value)) {
    for (const one of value) feed(one, pieces);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value).sort(byBytes)) {
      const one = value[key];
      if (one === undefined) continue;
      pieces.push(Buffer.from(key), END_OF_TEXT);
      feed(one, pieces);
    }
  } else if (value === null) pieces.push(NONE);
  else if (typeof value === 'string') pieces.push(Buffer.from(value), END_OF_TEXT);
  else if (typeof value === 'boolean') pieces.push(Buffer.from([value ? 1 : 0]));
  else pieces.push(numberBytes(value));
}

/** Rust sorts texts by their bytes. */
function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function numberBytes(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  if (typeof value === 'number' && !Number.isInteger(value)) bytes.writeDoubleLE(value);
  else bytes.writeBigInt64LE(BigInt.asIntN(64, BigInt(value)));
  return bytes;
}
