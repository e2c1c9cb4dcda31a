/**
 * More about lists: `slice`, `flatten`, `sort`, `sortBy`, `distinct`, `reverse` and `lists.range`,
 * and `sets.contains` and its kin.
 *
 * In Kubernetes: ext/lists.go, version 3, and ext/sets.go of cel-go.
 */
import { BOOL, DYN, INT, listOf, parameter } from '../cel-type.ts';
import { EMPTY_LIST, ValueList, valuesOf } from '../containers.ts';
import {
  declare,
  declareSingle,
  method,
  overload,
  type Implementation,
  type Library,
} from '../declarations.ts';
import { areEqual } from '../equality.ts';
import type { Expression } from '../syntax/expression.ts';
import { NO_OPTIONALS } from '../syntax/expression.ts';
import { MacroError, STANDARD_MACROS, type Macro } from '../syntax/macros.ts';
import { CelError, CelList, isInt, NO_SUCH_OVERLOAD, type CelValue } from '../value.ts';
import { typeOfValue } from '../value-type.ts';
import { compareValues } from './comparison.ts';
import { COMPARABLE } from './kubernetes-lists.ts';

const slice: Implementation = (list, from, to) => {
  if (!(list instanceof CelList) || !isInt(from) || !isInt(to)) return NO_SUCH_OVERLOAD;
  const [start, end] = [Number(from), Number(to)];
  const what = `cannot slice(${String(start)}, ${String(end)})`;
  if (start < 0 || end < 0) return new CelError(`${what}, negative indexes not supported`);
  if (start > end) {
    return new CelError(`${what}, start index must be less than or equal to end index`);
  }
  if (list.size < end) return new CelError(`${what}, list is length ${String(list.size)}`);
  return new ValueList(valuesOf(list).slice(start, end));
};

const flatten: Implementation = (list, depth) => {
  if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
  const levels = isInt(depth) ? Number(depth) : 1;
  if (levels < 0) return new CelError('level must be non-negative');
  return new ValueList(flattened(list, levels));
};

function flattened(list: CelList, levels: number): CelValue[] {
  return valuesOf(list).flatMap((value) =>
    value instanceof CelList && levels > 0 ? flattened(value, levels - 1) : [value],
  );
}

const sort: Implementation = (list) => sortByKeys(list, list);

function sortByKeys(list: CelValue, keys: CelValue): CelValue {
  if (!(list instanceof CelList) || !(keys instanceof CelList)) return NO_SUCH_OVERLOAD;
  if (list.size !== keys.size) {
    const sizes = `${String(list.size)} and ${String(keys.size)} elements respectively`;
    const what = 'expected a list of the same size as the associated keys list, but got';
    return new CelError(`@sortByAssociatedKeys() ${what} ${sizes}`);
  }
  if (list.size === 0) return list;
  const [values, order] = [valuesOf(list), valuesOf(keys)];
  const type = typeOfValue(order[0] ?? null);
  if (!COMPARABLE.some(([, comparable]) => comparable.kind === type.kind)) {
    return new CelError('list elements must be comparable');
  }
  if (order.some((key) => typeOfValue(key).name !== type.name)) {
    return new CelError('list elements must have the same type');
  }
  const places = [...values.keys()].sort((one, other) => {
    const compared = compareValues(order[one] ?? null, order[other] ?? null);
    return typeof compared === 'number' ? compared : 0;
  });
  return new ValueList(places.map((place) => values[place] ?? null));
}

const distinct: Implementation = (list) => {
  if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
  const unique: CelValue[] = [];
  for (const value of valuesOf(list)) {
    if (!unique.some((known) => areEqual(value, known))) unique.push(value);
  }
  return new ValueList(unique);
};

const reverse: Implementation = (list) =>
  list instanceof CelList ? new ValueList(valuesOf(list).toReversed()) : NO_SUCH_OVERLOAD;

/** What it costs is charged only afterwards, so it must not be larger than what a rule can pay. */
const RANGE_MAX = 10_000_000;

const range: Implementation = (count) => {
  if (!isInt(count)) return NO_SUCH_OVERLOAD;
  if (count <= 0) return EMPTY_LIST;
  if (count > RANGE_MAX) return new CelError('lists.range exceeds the size of a list');
  return new ValueList(Array.from({ length: Number(count) }, (_, index) => index));
};

function onLists(test: (one: CelList, other: CelList) => CelValue): Implementation {
  return (one, other) =>
    one instanceof CelList && other instanceof CelList ? test(one, other) : NO_SUCH_OVERLOAD;
}

function containsAll(list: CelList, part: CelList): CelValue {
  for (const value of valuesOf(part)) {
    const found = list.contains(value);
    if (found !== true) return found;
  }
  return true;
}

function areEquivalent(one: CelList, other: CelList): CelValue {
  const contained = containsAll(one, other);
  return contained === true ? containsAll(other, one) : contained;
}

const T = parameter('T');
const LIST = listOf(T);

export const EXTENDED_LISTS: Library = [
  declare('slice', method('list_slice', [LIST, INT, INT], LIST, slice)),
  {
    ...declare(
      'flatten',
      method('list_flatten', [listOf(LIST)], LIST, flatten),
      method('list_flatten_int', [listOf(DYN), INT], listOf(DYN), flatten),
    ),
    isUnguarded: true,
  },
  declareSingle(
    'sort',
    sort,
    ...COMPARABLE.map(([, type]) => method(`list_${type.name}_sort`, [listOf(type)], listOf(type))),
  ),
  declareSingle(
    '@sortByAssociatedKeys',
    sortByKeys,
    ...COMPARABLE.map(([, type]) =>
      method(`list_${type.name}_sortByAssociatedKeys`, [LIST, listOf(type)], LIST),
    ),
  ),
  declare('lists.range', overload('lists_range', [INT], listOf(INT), range)),
  declare('reverse', method('list_reverse', [LIST], LIST, reverse)),
  declare('distinct', method('list_distinct', [LIST], LIST, distinct)),
  declare(
    'sets.contains',
    overload('list_sets_contains_list', [LIST, LIST], BOOL, onLists(containsAll)),
  ),
  declare(
    'sets.equivalent',
    overload('list_sets_equivalent_list', [LIST, LIST], BOOL, onLists(areEquivalent)),
  ),
  declare(
    'sets.intersects',
    overload(
      'list_sets_intersects_list',
      [LIST, LIST],
      BOOL,
      onLists((one, other) => valuesOf(one).some((value) => other.contains(value) === true)),
    ),
  ),
];

const MAP = STANDARD_MACROS.find(({ name, argCount }) => name === 'map' && argCount === 2);
const INPUT = '@__sortBy_input__';
const SORTABLE: ReadonlySet<string> = new Set(['list', 'select', 'ident', 'fold', 'call']);

/** `list.sortBy(x, key)`: the list has a name meanwhile, because it is read twice. */
export const SORT_BY_MACRO: Macro = {
  name: 'sortBy',
  argCount: 2,
  hasTarget: true,
  expand: (nodes, target, args) => {
    if (!SORTABLE.has(target.form.kind)) {
      const what = 'a list, identifier, comprehension, call or select expression';
      return new MacroError(target.offset, `sortBy can only be applied to ${what}`);
    }
    const input = (): Expression => nodes.node({ kind: 'ident', name: INPUT });
    const keys = MAP?.expand(nodes, input(), args);
    if (keys === undefined || keys instanceof MacroError) return keys;
    return nodes.node({
      kind: 'fold',
      range: nodes.node({ kind: 'list', items: [], optional: NO_OPTIONALS }),
      variable: '#unused',
      secondVariable: '',
      accumulator: INPUT,
      init: target,
      condition: nodes.node({ kind: 'literal', value: false }),
      step: input(),
      result: nodes.node({
        kind: 'call',
        name: '@sortByAssociatedKeys',
        target: input(),
        args: [keys],
      }),
    });
  },
};
