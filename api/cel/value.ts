/**
 * The values of the expression language. What is frequent is what JavaScript has: booleans,
 * strings, null, and numbers for `int`. A double is boxed, because `1` and `1.0` are different
 * things and whole numbers are what objects are full of.
 *
 * An int is a number as long as it is a safe integer and a bigint beyond, never the other way
 * round, so `===` compares ints. Errors are values: `&&` and `||` may still ignore them.
 *
 * In Kubernetes: common/types of cel-go.
 */
import type { CelType } from './cel-type.ts';

/** An int64: a number where a double holds it exactly, else a bigint. */
export type CelInt = number | bigint;

/** Every value of an expression. An error is a value too, because `||` and `&&` may absorb it. */
export type CelValue =
  | boolean
  | string
  | null
  | CelInt
  | CelUint
  | CelDouble
  | CelBytes
  | CelTimestamp
  | CelDuration
  | CelTypeValue
  | CelOptional
  | CelList
  | CelMap
  | CelOpaque
  | CelError;

/** Why an expression has no value. It is given on until it is ignored or is the result. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A uint64; boxed, so that it is told from an int. */
export class CelUint {
  /** 0 … 2^64-1. */
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A double; boxed, so that it is told from an int. */
export class CelDouble {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Bytes; never changed. */
export class CelBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** A moment with nanoseconds. */
export class CelTimestamp {
  /** Since 1970; of the years 1 to 9999. */
  readonly seconds: number;
  /** 0 … 999,999,999, forward in time. */
  readonly nanos: number;
  /** Seconds that the clock it was written by is ahead of UTC. Counts for its text only. */
  readonly ahead: number;

  constructor(seconds: number, nanos: number, ahead = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.ahead = ahead;
  }
}

/** A span of nanoseconds. */
export class CelDuration {
  /** An int64. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A type as a value: what `type(1)` gives and what `int` is. */
export class CelTypeValue {
  readonly type: CelType;

  constructor(type: CelType) {
    this.type = type;
  }
}

/** A value or none: what `optional.of` and `optional.none` give. */
export class CelOptional {
  /** undefined: there is none. */
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** There are lists that expressions make and lists over the data of objects. */
export abstract class CelList {
  abstract readonly size: number;

  /** `index` is in bounds. */
  abstract at(index: number): CelValue;

  abstract contains(value: CelValue): CelValue;

  /** Not symmetric: the lists of an object know more about what is equal than others. */
  abstract equals(other: CelList): boolean;

  abstract plus(other: CelList): CelList;
}

/** A map, whether it was made by an expression or is seen in JSON. */
export abstract class CelMap {
  abstract readonly size: number;

  /** undefined: no such key. */
  abstract find(key: CelValue): CelValue | undefined;

  abstract keys(): readonly CelValue[];

  abstract equals(other: CelMap): boolean;
}

/** A value that only functions look into: an IP address, a quantity, an authorizer. */
export abstract class CelOpaque {
  abstract readonly type: CelType;

  abstract equals(other: CelValue): boolean;

  /** What `size` counts where costs are concerned. */
  get costSize(): number {
    return 1;
  }
}

/** The one optional without a value. */
export const OPTIONAL_NONE = new CelOptional(undefined);

/** What a function gives for arguments of types that it does not take. */
export const NO_SUCH_OVERLOAD = new CelError('no such overload');

/** True for the errors of an evaluation. */
export function isError(value: CelValue): value is CelError {
  return value instanceof CelError;
}

/** True for an int, not for uint or double, which are boxed. */
export function isInt(value: CelValue): value is CelInt {
  return typeof value === 'number' || typeof value === 'bigint';
}

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

/** What arithmetic gives whose result is outside of int64. */
export const INT_OVERFLOW = new CelError('integer overflow');
/** What arithmetic gives whose result is outside of uint64. */
export const UINT_OVERFLOW = new CelError('unsigned integer overflow');

/** The int that `value` is, or the error that it is none. */
export function intOf(value: bigint): CelInt | CelError {
  if (value < INT_MIN || value > INT_MAX) return INT_OVERFLOW;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The uint, or the overflow error outside of 0 … 2^64-1. */
export function uintOf(value: bigint): CelUint | CelError {
  return value < 0n || value > UINT_MAX ? UINT_OVERFLOW : new CelUint(value);
}

/** True for -2^63 … 2^63-1. */
export function isInt64(value: bigint): boolean {
  return value >= INT_MIN && value <= INT_MAX;
}

/** The int of a JSON number without a fraction. */
export function intOfNumber(value: number | bigint): CelInt | CelError {
  if (typeof value === 'bigint') return value;
  return Number.isSafeInteger(value) ? value + 0 : intOf(BigInt(value));
}

/** The number of Unicode characters, which is what sizes of strings count. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const isPair =
      (text.charCodeAt(index) & 0xfc00) === 0xd800 &&
      (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
    if (isPair) {
      count--;
      index++;
    }
  }
  return count;
}
