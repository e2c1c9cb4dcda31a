/**
 * When two values are equal. Numbers are, whatever sort they are of, when they are the same number;
 * values of different sorts are not equal, and comparing them is no error.
 *
 * In Kubernetes: types.Equal of cel-go.
 */
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelInt,
  type CelValue,
} from './value.ts';

/**
 * Equality of the language: numbers across their types, lists and maps by content; values of
 * different types are unequal, never an error.
 */
export function areEqual(left: CelValue, right: CelValue): boolean {
  if (left === right) return true;
  if (typeof left === 'object' && left !== null && !isBoxedNumber(left)) {
    return right !== null && typeof right === 'object' && areObjectsEqual(left, right);
  }
  return isNumeric(left) && isNumeric(right) && compareNumbers(left, right) === 0;
}

function areObjectsEqual(left: CelValue & object, right: CelValue & object): boolean {
  if (left instanceof CelList) return right instanceof CelList && left.equals(right);
  if (left instanceof CelMap) return right instanceof CelMap && left.equals(right);
  if (left instanceof CelOptional) return right instanceof CelOptional && sameOptional(left, right);
  if (left instanceof CelOpaque) return left.equals(right);
  if (left instanceof CelBytes) {
    return right instanceof CelBytes && Buffer.compare(left.bytes, right.bytes) === 0;
  }
  if (left instanceof CelTimestamp) {
    return (
      right instanceof CelTimestamp && left.seconds === right.seconds && left.nanos === right.nanos
    );
  }
  if (left instanceof CelDuration)
    return right instanceof CelDuration && left.nanos === right.nanos;
  // Types as values know nothing of their parameters: type([1]) == list.
  return (
    left instanceof CelTypeValue &&
    right instanceof CelTypeValue &&
    left.type.name === right.type.name
  );
}

function sameOptional(left: CelOptional, right: CelOptional): boolean {
  if (left.value === undefined || right.value === undefined) return left.value === right.value;
  return areEqual(left.value, right.value);
}

export type CelNumber = CelInt | CelUint | CelDouble;

/** True for int, uint and double. */
export function isNumeric(value: CelValue): value is CelNumber {
  return typeof value === 'number' || typeof value === 'bigint' || isBoxedNumber(value);
}

function isBoxedNumber(value: CelValue): value is CelDouble | CelUint {
  return value instanceof CelDouble || value instanceof CelUint;
}

/** Negative, zero or positive; NaN when a NaN is among them, which is not in any order. */
export function compareNumbers(left: CelNumber, right: CelNumber): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (left instanceof CelDouble || right instanceof CelDouble) {
    const [one, other] = [asDouble(left), asDouble(right)];
    // Infinity minus itself is no number.
    return one === other ? 0 : one - other;
  }
  const [one, other] = [asWhole(left), asWhole(right)];
  return one < other ? -1 : Number(one > other);
}

function asDouble(value: CelNumber): number {
  return typeof value === 'object' ? Number(value.value) : Number(value);
}

function asWhole(value: CelInt | CelUint): number | bigint {
  return typeof value === 'object' ? value.value : value;
}
