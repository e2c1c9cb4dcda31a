/**
 * Values that may not be there. `or` and `orValue` are in plan.ts, for they look at their argument
 * only when they need it.
 *
 * In Kubernetes: OptionalTypes of cel/library.go of cel-go.
 */
import { BOOL, DYN, INT, listOf, mapOf, optionalOf, parameter, STRING } from '../cel-type.ts';
import { ValueList, valuesOf } from '../containers.ts';
import { declare, method, overload, type Implementation, type Library } from '../declarations.ts';
import { goText } from '../go-text.ts';
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelUint,
  isError,
  NO_SUCH_OVERLOAD,
  OPTIONAL_NONE,
  type CelValue,
} from '../value.ts';

const some: Implementation = (value) => new CelOptional(value);

const someNonZero: Implementation = (value) =>
  isZero(value) ? OPTIONAL_NONE : new CelOptional(value);

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === '') return true;
  if (typeof value !== 'object') return false;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDouble) return value.value === 0;
  if (value instanceof CelBytes) return value.bytes.length === 0;
  if (value instanceof CelDuration) return value.nanos === 0n;
  if (value instanceof CelOptional) return value.value === undefined || isZero(value.value);
  return value instanceof CelTimestamp && value.seconds === -62135596800 && value.nanos === 0;
}

const valueOf: Implementation = (optional) => {
  if (!(optional instanceof CelOptional)) return NO_SUCH_OVERLOAD;
  return optional.value === undefined ? NO_VALUE : optional.value;
};

const NO_VALUE = new CelError('optional.none() dereference');

const hasValue: Implementation = (optional) =>
  optional instanceof CelOptional ? optional.value !== undefined : NO_SUCH_OVERLOAD;

function end(which: (size: number) => number): Implementation {
  return (list) => {
    if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
    if (list.size === 0) return OPTIONAL_NONE;
    const item = list.at(which(list.size));
    return isError(item) ? item : new CelOptional(item);
  };
}

const unwrapAll: Implementation = (list) => {
  if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
  const values: CelValue[] = [];
  for (const item of valuesOf(list)) {
    if (!(item instanceof CelOptional)) {
      return new CelError(`value ${goText(item)} is not optional`);
    }
    if (item.value !== undefined) values.push(item.value);
  }
  return new ValueList(values);
};

const K = parameter('K');
const V = parameter('V');
const OPTIONAL = optionalOf(V);
const LIST = listOf(V);
const MAP = mapOf(K, V);

export const OPTIONALS: Library = [
  declare('optional.of', overload('optional_of', [V], OPTIONAL, some)),
  declare(
    'optional.ofNonZeroValue',
    overload('optional_ofNonZeroValue', [V], OPTIONAL, someNonZero),
  ),
  declare(
    'optional.none',
    overload('optional_none', [], OPTIONAL, () => OPTIONAL_NONE),
  ),
  declare('value', method('optional_value', [OPTIONAL], V, valueOf)),
  declare('hasValue', method('optional_hasValue', [OPTIONAL], BOOL, hasValue)),
  declare('or', method('optional_or_optional', [OPTIONAL, OPTIONAL], OPTIONAL)),
  declare('orValue', method('optional_orValue_value', [OPTIONAL, V], V)),
  declare('_?._', overload('select_optional_field', [DYN, STRING], OPTIONAL)),
  declare(
    '_[?_]',
    overload('list_optindex_optional_int', [LIST, INT], OPTIONAL),
    overload('optional_list_optindex_optional_int', [optionalOf(LIST), INT], OPTIONAL),
    overload('map_optindex_optional_value', [MAP, K], OPTIONAL),
    overload('optional_map_optindex_optional_value', [optionalOf(MAP), K], OPTIONAL),
  ),
  declare(
    '_[_]',
    overload('optional_list_index_int', [optionalOf(LIST), INT], OPTIONAL),
    overload('optional_map_index_value', [optionalOf(MAP), K], OPTIONAL),
  ),
  declare(
    'last',
    method(
      'list_last',
      [LIST],
      OPTIONAL,
      end((size) => size - 1),
    ),
  ),
  declare(
    'first',
    method(
      'list_first',
      [LIST],
      OPTIONAL,
      end(() => 0),
    ),
  ),
  declare('optional.unwrap', overload('optional_unwrap', [listOf(OPTIONAL)], LIST, unwrapAll)),
  declare('unwrapOpt', method('optional_unwrapOpt', [listOf(OPTIONAL)], LIST, unwrapAll)),
];
