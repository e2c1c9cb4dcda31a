/**
 * `isSorted`, `sum`, `min`, `max`, `indexOf` and `lastIndexOf` of lists, and `find` and `findAll`
 * of strings.
 *
 * In Kubernetes: apiserver/pkg/cel/library/lists.go and regex.go.
 */
import {
  BOOL,
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
import { valuesOf } from '../containers.ts';
import {
  declare,
  method,
  type FunctionDeclaration,
  type Implementation,
  type Library,
} from '../declarations.ts';
import { areEqual } from '../equality.ts';
import { find, findAll, findAllLimited } from '../regular-expressions.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelUint,
  isError,
  NO_SUCH_OVERLOAD,
  type CelValue,
} from '../value.ts';
import { addValues } from './arithmetic.ts';
import { compareValues } from './comparison.ts';

type Named = readonly [name: string, type: CelType];

const SUMMABLE: readonly (readonly [name: string, type: CelType, zero: CelValue])[] = [
  ['int', INT, 0],
  ['uint', UINT, new CelUint(0n)],
  ['double', DOUBLE, new CelDouble(0)],
  ['duration', DURATION, new CelDuration(0n)],
];

/** Types whose values have an order. */
export const COMPARABLE: readonly Named[] = [
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['duration', DURATION],
  ['timestamp', TIMESTAMP],
  ['string', STRING],
  ['bytes', BYTES],
];

const isSorted: Implementation = (list) => {
  if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
  const values = valuesOf(list);
  return values.every((value, index) => {
    const previous = values[index - 1];
    if (previous === undefined) return true;
    const order = compareValues(previous, value);
    return typeof order !== 'number' || order <= 0;
  });
};

function sumFrom(zero: CelValue): Implementation {
  return (list) => {
    if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
    let sum = zero;
    for (const value of valuesOf(list)) {
      sum = addValues(sum, value);
      if (isError(sum)) return sum;
    }
    return sum;
  };
}

/** The first of those than which no other is smaller, or greater. */
function extreme(name: string, sign: 1 | -1): Implementation {
  return (list) => {
    if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
    let best: CelValue | undefined;
    for (const value of valuesOf(list)) {
      const order = best === undefined ? sign : compareValues(best, value);
      if (typeof order === 'number' && order * sign > 0) best = value;
    }
    return best === undefined ? new CelError(`${name} called on empty list`) : best;
  };
}

function position(find: (values: readonly CelValue[], item: CelValue) => number): Implementation {
  return (list, item) => (list instanceof CelList ? find(valuesOf(list), item) : NO_SUCH_OVERLOAD);
}

function ofComparable(
  name: string,
  id: (type: string) => string,
  run: Implementation,
  result?: CelType,
): FunctionDeclaration {
  const overloads = COMPARABLE.map(([of, type]) =>
    method(id(of), [listOf(type)], result ?? type, run),
  );
  return declare(name, ...overloads);
}

const A = parameter('A');
const LIST = listOf(A);
const FOUND = listOf(STRING);

export const KUBERNETES_LISTS: Library = [
  ofComparable('isSorted', (type) => `list_${type}_is_sorted_bool`, isSorted, BOOL),
  declare(
    'sum',
    ...SUMMABLE.map(([name, type, zero]) =>
      method(`list_${name}_sum_${name}`, [listOf(type)], type, sumFrom(zero)),
    ),
  ),
  ofComparable('max', (type) => `list_${type}_max_${type}`, extreme('max', -1)),
  ofComparable('min', (type) => `list_${type}_min_${type}`, extreme('min', 1)),
  declare(
    'indexOf',
    method(
      'list_a_index_of_int',
      [LIST, A],
      INT,
      position((values, item) => values.findIndex((value) => areEqual(value, item))),
    ),
  ),
  declare(
    'lastIndexOf',
    method(
      'list_a_last_index_of_int',
      [LIST, A],
      INT,
      position((values, item) => values.findLastIndex((value) => areEqual(value, item))),
    ),
  ),
  declare('find', method('string_find_string', [STRING, STRING], STRING, find)),
  declare(
    'findAll',
    method('string_find_all_string', [STRING, STRING], FOUND, findAll),
    method('string_find_all_string_int', [STRING, STRING, INT], FOUND, findAllLimited),
  ),
];
