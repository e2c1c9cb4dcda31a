/**
 * `== != < <= > >=`, `in`, the logical operators, and what indexes are declared as: what those do
 * is in plan.ts, because they do not just take values.
 *
 * In Kubernetes: common/stdlib/standard.go of cel-go.
 */
import { compareGoStrings } from '../../json/go-format.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  mapOf,
  parameter,
  STRING,
  TIMESTAMP,
  UINT,
  type CelType,
} from '../cel-type.ts';
import {
  declare,
  declareSingle,
  overload,
  type FunctionDeclaration,
  type Implementation,
  type Library,
} from '../declarations.ts';
import { compareNumbers, isNumeric } from '../equality.ts';
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  NO_SUCH_OVERLOAD,
  type CelValue,
} from '../value.ts';

/** Negative, zero or positive, or why there is no order. */
export function compareValues(left: CelValue, right: CelValue): number | CelError {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (isNumeric(left)) {
    if (!isNumeric(right)) return NO_SUCH_OVERLOAD;
    return isNaNValue(left) || isNaNValue(right) ? UNORDERED : compareNumbers(left, right);
  }
  if (typeof left === 'string') {
    return typeof right === 'string' ? compareStrings(left, right) : NO_SUCH_OVERLOAD;
  }
  if (typeof left === 'boolean') {
    return typeof right === 'boolean' ? Number(left) - Number(right) : NO_SUCH_OVERLOAD;
  }
  return compareOthers(left, right);
}

const UNORDERED = new CelError('NaN values cannot be ordered');

function isNaNValue(value: CelValue): boolean {
  return value instanceof CelDouble && Number.isNaN(value.value);
}

function compareStrings(left: string, right: string): number {
  return left === right ? 0 : compareGoStrings(left, right);
}

function compareOthers(left: CelValue, right: CelValue): number | CelError {
  if (left instanceof CelTimestamp) {
    if (!(right instanceof CelTimestamp)) return NO_SUCH_OVERLOAD;
    return left.seconds - right.seconds || left.nanos - right.nanos;
  }
  if (left instanceof CelDuration) {
    if (!(right instanceof CelDuration)) return NO_SUCH_OVERLOAD;
    return left.nanos < right.nanos ? -1 : Number(left.nanos > right.nanos);
  }
  if (left instanceof CelBytes && right instanceof CelBytes) {
    return Buffer.compare(left.bytes, right.bytes);
  }
  return NO_SUCH_OVERLOAD;
}

function ordering(holds: (order: number) => boolean): Implementation {
  return (left, right) => {
    const order = compareValues(left, right);
    return typeof order === 'number' ? holds(order) : order;
  };
}

const NUMBERS: readonly (readonly [name: string, type: CelType])[] = [
  ['int64', INT],
  ['uint64', UINT],
  ['double', DOUBLE],
];

/** In the order of upstream's declarations. */
function comparison(sign: string, word: string, run: Implementation): FunctionDeclaration {
  const ofNumbers = NUMBERS.flatMap(([name, left]) =>
    [[name, left] as const, ...NUMBERS.filter(([other]) => other !== name)].map(([other, right]) =>
      overload(
        other === name ? `${word}_${name}` : `${word}_${name}_${other}`,
        [left, right],
        BOOL,
      ),
    ),
  );
  const alike = (name: string, type: CelType) => overload(`${word}_${name}`, [type, type], BOOL);
  return declareSingle(
    `_${sign}_`,
    run,
    alike('bool', BOOL),
    ...ofNumbers,
    alike('string', STRING),
    alike('bytes', BYTES),
    alike('timestamp', TIMESTAMP),
    alike('duration', DURATION),
  );
}

const contains: Implementation = (value, container) => {
  if (container instanceof CelList) return container.contains(value);
  if (!(container instanceof CelMap)) return NO_SUCH_OVERLOAD;
  const found = container.find(value);
  return found instanceof CelError ? found : found !== undefined;
};

const not: Implementation = (value) =>
  typeof value === 'boolean' ? !value : new CelError('no such overload: !_');

/** Errors do not end a loop. */
const notStrictlyFalse: Implementation = (value) => value !== false;

const A = parameter('A');
const B = parameter('B');
const LIST_OF_A = listOf(A);
const MAP_OF_A_B = mapOf(A, B);

export const COMPARISON: Library = [
  declare('_?_:_', overload('conditional', [BOOL, A, A], A)),
  declare('_&&_', overload('logical_and', [BOOL, BOOL], BOOL)),
  declare('_||_', overload('logical_or', [BOOL, BOOL], BOOL)),
  declareSingle('!_', not, overload('logical_not', [BOOL], BOOL)),
  {
    ...declareSingle(
      '@not_strictly_false',
      notStrictlyFalse,
      overload('not_strictly_false', [BOOL], BOOL),
    ),
    isLenient: true,
  },
  declare('_==_', overload('equals', [A, A], BOOL)),
  declare('_!=_', overload('not_equals', [A, A], BOOL)),
  comparison(
    '<',
    'less',
    ordering((order) => order < 0),
  ),
  comparison(
    '<=',
    'less_equals',
    ordering((order) => order <= 0),
  ),
  comparison(
    '>',
    'greater',
    ordering((order) => order > 0),
  ),
  comparison(
    '>=',
    'greater_equals',
    ordering((order) => order >= 0),
  ),
  declare(
    '_[_]',
    overload('index_list', [LIST_OF_A, INT], A),
    overload('index_map', [MAP_OF_A_B, A], B),
  ),
  declareSingle(
    '@in',
    contains,
    overload('in_list', [A, LIST_OF_A], BOOL),
    overload('in_map', [A, MAP_OF_A_B], BOOL),
  ),
];
