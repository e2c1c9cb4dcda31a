/**
 * `+ - * / %` and the unary minus. Whole numbers never wrap round: what does not fit is an error.
 *
 * In Kubernetes: common/types of cel-go, the operators of its standard library.
 */
import {
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  parameter,
  STRING,
  TIMESTAMP,
  UINT,
  type CelType,
} from '../cel-type.ts';
import {
  declareSingle,
  overload,
  type FunctionDeclaration,
  type Implementation,
  type Library,
} from '../declarations.ts';
import { timestampOf, timestampNanos } from '../timestamps.ts';
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelTimestamp,
  CelUint,
  intOf,
  INT_OVERFLOW,
  isInt,
  isInt64,
  NO_SUCH_OVERLOAD,
  uintOf,
  type CelInt,
  type CelValue,
} from '../value.ts';

interface Operation {
  readonly sign: string;
  /** Exact where the result is a safe integer. */
  readonly small: (left: number, right: number) => number;
  readonly whole: (left: bigint, right: bigint) => bigint;
  readonly double: ((left: number, right: number) => number) | undefined;
  /** Between values that are no numbers. */
  readonly other: (left: CelValue, right: CelValue) => CelValue;
}

function operator(operation: Operation): Implementation {
  const { sign, small, double, other } = operation;
  const isDivision = sign === '/' || sign === '%';
  return (left, right) => {
    if (typeof left === 'number' && typeof right === 'number') {
      if (isDivision && right === 0) return divisionByZero(sign);
      const result = small(left, right);
      return Number.isSafeInteger(result) ? result + 0 : wholeOf(operation, left, right);
    }
    if (isInt(left) && isInt(right)) return wholeOf(operation, left, right);
    if (left instanceof CelUint && right instanceof CelUint)
      return unsigned(operation, left, right);
    if (double !== undefined && left instanceof CelDouble && right instanceof CelDouble) {
      return new CelDouble(double(left.value, right.value));
    }
    if (HAS_NO_SIGNS.has(typeof left) || left === null) {
      return new CelError(`no such overload: _${sign}_`);
    }
    return other(left, right);
  };
}

const HAS_NO_SIGNS: ReadonlySet<string> = new Set(['boolean']);

function divisionByZero(sign: string): CelError {
  return new CelError(sign === '/' ? 'division by zero' : 'modulus by zero');
}

function wholeOf({ sign, whole }: Operation, left: CelInt, right: CelInt): CelValue {
  if ((sign === '/' || sign === '%') && right === 0) return divisionByZero(sign);
  const [one, other] = [BigInt(left), BigInt(right)];
  if (sign === '%' && other === -1n && one === -(2n ** 63n)) return INT_OVERFLOW;
  return intOf(whole(one, other));
}

function unsigned({ sign, whole }: Operation, left: CelUint, right: CelUint): CelValue {
  const divides = sign === '/' || sign === '%';
  return divides && right.value === 0n
    ? divisionByZero(sign)
    : uintOf(whole(left.value, right.value));
}

const none = (): CelValue => NO_SUCH_OVERLOAD;

function addOther(left: CelValue, right: CelValue): CelValue {
  if (typeof left === 'string') return typeof right === 'string' ? left + right : NO_SUCH_OVERLOAD;
  if (left instanceof CelList)
    return right instanceof CelList ? left.plus(right) : NO_SUCH_OVERLOAD;
  if (left instanceof CelBytes && right instanceof CelBytes) {
    return new CelBytes(Buffer.concat([left.bytes, right.bytes]));
  }
  if (left instanceof CelDuration) {
    if (right instanceof CelDuration) return checkedDuration(left.nanos + right.nanos);
    return right instanceof CelTimestamp ? moved(right, left.nanos) : NO_SUCH_OVERLOAD;
  }
  if (left instanceof CelTimestamp && right instanceof CelDuration) return moved(left, right.nanos);
  return NO_SUCH_OVERLOAD;
}

function subtractOther(left: CelValue, right: CelValue): CelValue {
  if (left instanceof CelDuration) {
    return right instanceof CelDuration
      ? checkedDuration(left.nanos - right.nanos)
      : NO_SUCH_OVERLOAD;
  }
  if (!(left instanceof CelTimestamp)) return NO_SUCH_OVERLOAD;
  if (right instanceof CelDuration) return moved(left, -right.nanos);
  if (!(right instanceof CelTimestamp)) return NO_SUCH_OVERLOAD;
  return checkedDuration(timestampNanos(left) - timestampNanos(right));
}

function moved(timestamp: CelTimestamp, nanos: bigint): CelValue {
  return timestampOf(timestampNanos(timestamp) + nanos, timestamp.ahead);
}

function checkedDuration(nanos: bigint): CelValue {
  return isInt64(nanos) ? new CelDuration(nanos) : INT_OVERFLOW;
}

const add = operator({
  sign: '+',
  small: (left, right) => left + right,
  whole: (left, right) => left + right,
  double: (left, right) => left + right,
  other: addOther,
});

/** `left + right`. */
export function addValues(left: CelValue, right: CelValue): CelValue {
  return add(left, right, null, null);
}

const subtract = operator({
  sign: '-',
  small: (left, right) => left - right,
  whole: (left, right) => left - right,
  double: (left, right) => left - right,
  other: subtractOther,
});

const multiply = operator({
  sign: '*',
  small: (left, right) => left * right,
  whole: (left, right) => left * right,
  double: (left, right) => left * right,
  other: none,
});

const divide = operator({
  sign: '/',
  small: (left, right) => Math.trunc(left / right),
  whole: (left, right) => left / right,
  double: (left, right) => left / right,
  other: none,
});

const modulo = operator({
  sign: '%',
  small: (left, right) => left % right,
  whole: (left, right) => left % right,
  double: undefined,
  other: none,
});

const negate: Implementation = (value) => {
  if (typeof value === 'number') return 0 - value;
  if (typeof value === 'bigint') return intOf(-value);
  if (value instanceof CelDouble) return new CelDouble(-value.value);
  if (value instanceof CelDuration) return checkedDuration(-value.nanos);
  return typeof value === 'boolean' ? NO_SUCH_OVERLOAD : new CelError('no such overload: -_');
};

const LIST_OF_A = listOf(parameter('A'));

function arithmetic(
  sign: string,
  word: string,
  run: Implementation,
  types: readonly (readonly [name: string, left: CelType, right?: CelType, result?: CelType])[],
): FunctionDeclaration {
  const overloads = types.map(([name, left, right = left, result = left]) =>
    overload(`${word}_${name}`, [left, right], result),
  );
  return declareSingle(`_${sign}_`, run, ...overloads);
}

export const ARITHMETIC: Library = [
  arithmetic('+', 'add', add, [
    ['bytes', BYTES],
    ['double', DOUBLE],
    ['duration_duration', DURATION],
    ['duration_timestamp', DURATION, TIMESTAMP, TIMESTAMP],
    ['timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP],
    ['int64', INT],
    ['list', LIST_OF_A],
    ['string', STRING],
    ['uint64', UINT],
  ]),
  arithmetic('-', 'subtract', subtract, [
    ['double', DOUBLE],
    ['duration_duration', DURATION],
    ['int64', INT],
    ['timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP],
    ['timestamp_timestamp', TIMESTAMP, TIMESTAMP, DURATION],
    ['uint64', UINT],
  ]),
  arithmetic('*', 'multiply', multiply, [
    ['double', DOUBLE],
    ['int64', INT],
    ['uint64', UINT],
  ]),
  arithmetic('/', 'divide', divide, [
    ['double', DOUBLE],
    ['int64', INT],
    ['uint64', UINT],
  ]),
  arithmetic('%', 'modulo', modulo, [
    ['int64', INT],
    ['uint64', UINT],
  ]),
  declareSingle(
    '-_',
    negate,
    overload('negate_double', [DOUBLE], DOUBLE),
    overload('negate_int64', [INT], INT),
  ),
];
