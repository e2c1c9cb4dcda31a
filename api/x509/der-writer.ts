/** Writes DER, from the inside to the outside: each function gives the bytes of a whole element. */
import { TAG } from './der-reader.ts';

/** An element with what is in it, which is whole elements where the tag is that of a structure. */
export function derElement(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const length = contents.reduce((sum, one) => sum + one.length, 0);
  return Buffer.concat([Buffer.of(tag), lengthOf(length), ...contents]);
}

/** A sequence of whole elements. */
export function derSequence(...elements: readonly Uint8Array[]): Buffer {
  return derElement(TAG.sequence, ...elements);
}

/** @param text as `2.5.4.3`. */
export function derObjectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const groups = [first * 40 + second, ...rest].map(base128);
  return derElement(TAG.objectIdentifier, ...groups);
}

/** UTCTime until the end of 2049, as certificates have to, and GeneralizedTime from then on. */
export function derTime(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replaceAll(/[-:T]|\.\d+Z$/g, '');
  const isShort = digits >= '1950' && digits < '2050';
  return isShort
    ? derElement(TAG.utcTime, Buffer.from(`${digits.slice(2)}Z`))
    : derElement(TAG.generalizedTime, Buffer.from(`${digits}Z`));
}

/** In as few bytes as it takes, as DER demands. */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
}

/** Seven bits a byte, the highest first, where all but the last have their highest bit set. */
function base128(number: number): Buffer {
  const bytes = [number & 0x7f];
  for (let left = number >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return Buffer.from(bytes);
}
