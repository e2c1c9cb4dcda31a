/**
 * Kubernetes' JSONPath, compiled once and then asked of many objects: what a printer column shows,
 * and what a selectable field is.
 *
 * The surprise is that a path never counts on what it finds: a missing key gives no result, and an
 * index out of bounds or a filter of what is no list is a failure, which the cell then shows as null.
 *
 * In Kubernetes: JSONPath with AllowMissingKeys, client-go/util/jsonpath.
 */
import { isJsonObject, isNumber, type JsonObject, type JsonValue } from '../json/json.ts';
import { formatGoValue, goJson } from '../json/go-format.ts';
import { ownValue } from '../json/own-property.ts';
import { parseJsonPath, type Path, type PathNode, type SliceBounds } from './json-path-parser.ts';

/** The values that are meant; undefined: it fails on this object. */
export type FoundValues = readonly JsonValue[] | undefined;

/** Evaluates a compiled path on an object. */
export type PathFinder = (object: JsonObject) => FoundValues;

/** So many values may be met on the whole way through an object: `..` and `*` multiply, step by step. */
const VALUES_MAX = 200_000;

interface Budget {
  valuesLeft: number;
}

function spend(budget: Budget, values: number): void {
  budget.valuesLeft -= values;
  if (budget.valuesLeft < 0) throw new PathFailure('too many values');
}

/**
 * @param expression without braces, as `.spec.replicas`; as in a CRD.
 * @returns undefined when it is none.
 */
export function compileJsonPath(expression: string): PathFinder | undefined {
  const parsed = parseJsonPath(`{${expression}}`);
  if (!parsed.ok) return undefined;
  const [first] = parsed.template;
  if (first?.kind !== 'expression') return undefined;
  const { path } = first;
  const names = plainNames(path);
  if (names !== undefined) return (object) => fieldAt(object, names);
  return (object) => {
    try {
      return walk([object], path, { valuesLeft: VALUES_MAX });
    } catch (error) {
      if (error instanceof PathFailure) return undefined;
      throw error;
    }
  };
}

/** A value as a column of type string shows it: objects and lists as JSON, all else as text. */
export function printedValue(value: JsonValue): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return goJson(sorted(value));
  return formatGoValue(value);
}

/** Nearly all paths are names in a row. */
function plainNames(path: Path): readonly string[] | undefined {
  const names: string[] = [];
  for (const node of path) {
    if (node.kind !== 'field') return undefined;
    names.push(node.name);
  }
  return names;
}

const NOTHING: readonly JsonValue[] = [];

function fieldAt(object: JsonObject, names: readonly string[]): readonly JsonValue[] {
  let value: JsonValue | undefined = object;
  for (const name of names) {
    value = isJsonObject(value) ? ownValue(value, name) : undefined;
    if (value === undefined) return NOTHING;
  }
  return [value];
}

/** Never leaves this file. */
class PathFailure extends Error {
  override readonly name = 'PathFailure';
}

function walk(input: readonly JsonValue[], path: Path, budget: Budget): readonly JsonValue[] {
  let values = input;
  for (const node of path) {
    // A step that finds nothing is work too.
    spend(budget, 1 + values.length);
    values = step(values, node, budget);
  }
  return values;
}

function step(values: readonly JsonValue[], node: PathNode, budget: Budget): readonly JsonValue[] {
  switch (node.kind) {
    case 'text':
      return [node.text];
    case 'number':
    case 'boolean':
      return values.map(() => node.value);
    case 'field':
      return values.flatMap((value) => {
        const found = isJsonObject(value) ? ownValue(value, node.name) : undefined;
        return found === undefined ? [] : [found];
      });
    case 'wildcard':
      return values.flatMap(childrenOf);
    case 'recursive':
      return descendants(values, budget);
    case 'union':
      return node.of.flatMap((path) => walk(values, path, budget));
    case 'slice':
      return values.flatMap((value) => sliced(value, node.bounds));
    case 'filter':
      return values.flatMap((value) => filtered(value, node, budget));
    case 'identifier':
      // A loop over text makes no value of a cell.
      throw new PathFailure(`unrecognized identifier ${node.name}`);
  }
}

/** In the order of their names, where upstream's is by chance. */
function childrenOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return Array.from(value);
  if (!isJsonObject(value)) return NOTHING;
  const found: JsonValue[] = [];
  for (const key of Object.keys(value).sort()) {
    const child = value[key];
    if (child !== undefined) found.push(child);
  }
  return found;
}

function descendants(values: readonly JsonValue[], budget: Budget): readonly JsonValue[] {
  const found: JsonValue[] = [];
  const visit = (value: JsonValue): void => {
    const children = typeof value === 'string' ? NOTHING : childrenOf(value);
    if (children.length === 0) return;
    found.push(value);
    spend(budget, 1);
    for (const child of children) visit(child);
  };
  for (const value of values) visit(value);
  return found;
}

function sliced(value: JsonValue, bounds: SliceBounds): readonly JsonValue[] {
  if (value === null) return NOTHING;
  if (!Array.isArray(value)) throw new PathFailure('not a list');
  const { length } = value;
  let from = bounds.from ?? 0;
  if (from < 0) from += length;
  let to = bounds.to ?? length;
  if (to < 0 || (to === 0 && bounds.isIndex)) to += length;
  if (from === to) return NOTHING;
  const isInside = from >= 0 && from < length && to >= 0 && to <= length && from <= to;
  if (!isInside) throw new PathFailure('array index out of bounds');
  const step = bounds.step ?? 1;
  if (step <= 0) throw new PathFailure('step must be > 0');
  return value.slice(from, to).filter((_, index) => index % step === 0);
}

type Filter = Extract<PathNode, { kind: 'filter' }>;

function filtered(value: JsonValue, filter: Filter, budget: Budget): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new PathFailure('not a list, and cannot be filtered');
  return value.filter((item) => passes(item, filter, budget));
}

function passes(item: JsonValue, { left, right, operator }: Filter, budget: Budget): boolean {
  if (operator === 'exists') return existing(item, left, budget);
  const lefts = walk([item], left, budget);
  if (lefts.length === 0) return false;
  const rights = walk([item], right, budget);
  if (rights.length === 0) return false;
  const [one = null] = lefts;
  const [other = null] = rights;
  if (lefts.length > 1 || rights.length > 1) {
    throw new PathFailure('can only compare one element at a time');
  }
  return compared(one, other, operator);
}

/** What fails does not exist. */
function existing(item: JsonValue, path: Path, budget: Budget): boolean {
  try {
    return walk([item], path, budget).length > 0;
  } catch (error) {
    if (error instanceof PathFailure) return false;
    throw error;
  }
}

function compared(left: JsonValue, right: JsonValue, operator: string): boolean {
  if (isNumber(left) && isNumber(right)) return isOrdered(orderOf(left, right), operator);
  if (typeof left !== typeof right || typeof left === 'object') {
    throw new PathFailure('incompatible types for comparison');
  }
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  if (typeof left === 'boolean') throw new PathFailure('invalid type for comparison');
  return isOrdered(orderOf(left, right as typeof left), operator); // Of one type, as was seen above.
}

function isOrdered(order: number, operator: string): boolean {
  if (operator === '==') return order === 0;
  if (operator === '!=') return order !== 0;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  if (operator === '>') return order > 0;
  if (operator === '>=') return order >= 0;
  throw new PathFailure(`unrecognized filter operator ${operator}`);
}

function orderOf<T extends string | number | bigint>(left: T, right: T): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Go writes maps with their keys in order. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
}
