/**
 * What calls of Kubernetes' functions can cost at most, and how large their results can be.
 *
 * In Kubernetes: EstimateCallCost, apiserver/pkg/cel/library/cost.go; and the estimators of
 * ext/sets.go and ext/lists.go of cel-go, which come first.
 */
import { LIST_COST, REGEX_FACTOR, STRING_FACTOR } from '../costs/call-costs.ts';
import { formatType, isSameType, parameterOf, type CelType } from '../cel-type.ts';
import {
  type CallEstimate,
  type CostKnowledge,
  type CostNode,
  type CostRange,
  type EstimatedCall,
  exactly,
  plus,
  scaled,
  times,
  UNBOUNDED,
  UNKNOWN_RANGE,
} from '../costs/cost-range.ts';
import { KEY_DECLARATION, type SchemaDeclaration } from './schema-declarations.ts';
import { isInt } from '../value.ts';

/** For expressions over data of `root`, whatever their variables are called. */
export function schemaKnowledge(root: SchemaDeclaration | undefined): CostKnowledge {
  const sizeAt = (path: readonly string[]): CostRange | undefined => {
    const at = root && declarationAt(root, path.slice(1));
    return at && { min: 0, max: at.elementsMax };
  };
  const sizes = { sizeAt, sizeOf: (node: CostNode) => sizeOf(node, sizeAt) };
  return {
    sizeAt,
    callCost: (call) => overloadEstimate(call, sizes) ?? functionEstimate(call, sizes),
  };
}

function declarationAt(
  root: SchemaDeclaration,
  steps: readonly string[],
): SchemaDeclaration | undefined {
  let at: SchemaDeclaration | undefined = root;
  for (const step of steps) {
    if (at === undefined) return undefined;
    if (step === '@items' || step === '@values') at = at.element;
    else if (step === '@keys') at = at.isMap ? KEY_DECLARATION : undefined;
    else at = at.fields?.get(step);
  }
  return at;
}

interface Sizes {
  readonly sizeAt: (path: readonly string[]) => CostRange | undefined;
  readonly sizeOf: (node: CostNode) => CostRange;
}

function sizeOf({ size, path }: CostNode, sizeAt: Sizes['sizeAt']): CostRange {
  return size ?? (path.length === 0 ? undefined : sizeAt(path)) ?? UNKNOWN_RANGE;
}

const ONE = exactly(1);
const FLAT: CallEstimate = { cost: ONE };

const FLAT_FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'serviceAccount path group resource subresource namespace name allowed reason error errored ' +
    'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast ' +
    'isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger ' +
    'asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme ' +
    'getHostname getHost getPort getEscapedPath getQuery'
  ).split(' '),
);

const SORTING: ReadonlySet<string> = new Set('isSorted sum max min indexOf lastIndexOf'.split(' '));
const COPYING: ReadonlySet<string> = new Set('lowerAscii upperAscii substring trim'.split(' '));
const READING: ReadonlySet<string> = new Set(
  'cidr isIP isCIDR quantity isQuantity semver isSemver'.split(' '),
);

function functionEstimate(call: EstimatedCall, sizes: Sizes): CallEstimate | undefined {
  const { name, overloadId, target, args } = call;
  if (name === 'check') return { cost: exactly(350_000) };
  if (FLAT_FUNCTIONS.has(name)) return FLAT;
  if (SORTING.has(name)) return target && sortingEstimate(target, sizes);
  const [first] = args;
  const size = first === undefined ? UNKNOWN_RANGE : sizes.sizeOf(first);
  const once = scaled(size, STRING_FACTOR);
  if (READING.has(name)) return first && { cost: once };
  if (COPYING.has(name)) {
    const copied = target && sizes.sizeOf(target);
    return copied && { cost: scaled(copied, STRING_FACTOR), size: copied };
  }
  switch (name) {
    case 'fieldSelector':
    case 'labelSelector':
      return args.length === 1 ? { cost: selectorCost(size) } : undefined;
    case 'url':
    case 'jsonpatch.escapeKey':
      return args.length === 1 ? { cost: once, size } : undefined;
    case 'ip':
      return overloadId === 'cidr_ip' ? FLAT : first && { cost: once };
    case 'ip.isCanonical':
      return first && { cost: scaled(size, 2 * STRING_FACTOR) };
    case 'validate':
      return first && { cost: scaled(once, 128 * REGEX_FACTOR) };
    case '_==_':
      return equalityEstimate(call);
    default:
      return target && stringEstimate(call, target, sizes);
  }
}

function selectorCost(size: CostRange): CostRange {
  const requirements = scaled(scaled(size, 0.5), LIST_COST + 40);
  return plus(plus(exactly(LIST_COST), scaled(size, STRING_FACTOR)), requirements);
}

/** 1 for each item, and for strings a look at each. */
function sortingEstimate(target: CostNode, sizes: Sizes): CallEstimate {
  const size = sizes.sizeOf(target);
  const item = itemOf(target);
  if (item === undefined) return { cost: scaled(size, STRING_FACTOR) };
  const isText = item.type.kind === 'string' || item.type.kind === 'bytes';
  const one = isText ? plus(ONE, scaled(sizes.sizeOf(item), STRING_FACTOR)) : ONE;
  return { cost: times(size, one) };
}

function itemOf({ type, path }: CostNode): CostNode | undefined {
  if (type.parameters.length === 0) return undefined;
  const itemPath = path.length === 0 ? path : [...path, '@items'];
  return { path: itemPath, type: parameterOf(type, 0), expression: undefined, size: undefined };
}

function stringEstimate(
  { name, overloadId, args }: EstimatedCall,
  target: CostNode,
  sizes: Sizes,
): CallEstimate | undefined {
  const [first, second] = args;
  const size = sizes.sizeOf(target);
  const twice = scaled(size, 2 * STRING_FACTOR);
  switch (name) {
    case 'replace':
      if (first === undefined || second === undefined) return undefined;
      return { cost: twice, size: replacedSize(size, sizes.sizeOf(first), sizes.sizeOf(second)) };
    case 'split':
      return { cost: twice, size: { min: 0, max: literalInt(second) ?? size.max } };
    case 'join':
      return joinEstimate(target, first, sizes);
    case 'find':
    case 'findAll': {
      if (first === undefined) return undefined;
      const text = scaled(plus(size, ONE), STRING_FACTOR);
      const pattern = scaled(sizes.sizeOf(first), REGEX_FACTOR);
      return { cost: times(text, pattern), size: { min: 0, max: size.max } };
    }
    case 'containsIP':
      return (
        first && { cost: containsCost(sizes.sizeOf(first), overloadId.endsWith('_string'), false) }
      );
    case 'containsCIDR':
      return (
        first && { cost: containsCost(sizes.sizeOf(first), overloadId.endsWith('_string'), true) }
      );
    default:
      return undefined;
  }
}

function replacedSize(text: CostRange, part: CostRange, by: CostRange): CostRange {
  const longest = { count: 0, kept: 0 };
  if (part.min === 0) {
    longest.count = text.max + 1;
    longest.kept = text.max;
  } else if (by.max <= part.min) {
    longest.kept = text.max;
  } else {
    longest.count = Math.ceil(text.max / part.min);
  }
  const shortest = { count: 0, kept: 0 };
  if (part.max === 0) {
    shortest.count = text.min + 1;
    shortest.kept = text.min;
  } else if (part.max <= by.min) {
    shortest.kept = text.min;
  } else {
    shortest.count = Math.ceil(text.min / part.max);
  }
  const count = { min: shortest.count, max: longest.count };
  return plus(times(count, by), { min: shortest.kept, max: longest.kept });
}

function joinEstimate(
  target: CostNode,
  separator: CostNode | undefined,
  sizes: Sizes,
): CallEstimate {
  const count = sizes.sizeOf(target);
  const item = itemOf(target);
  let size = item === undefined ? exactly(0) : times(count, sizes.sizeOf(item));
  if (separator !== undefined) {
    const between = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
    size = plus(size, times(sizes.sizeOf(separator), between));
  }
  return { cost: scaled(size, STRING_FACTOR), size };
}

function containsCost(other: CostRange, isString: boolean, isNetwork: boolean): CostRange {
  const address = { min: 4, max: 16 };
  let cost = scaled(plus(address, address), STRING_FACTOR);
  if (isNetwork) cost = plus(plus(cost, scaled(address, STRING_FACTOR)), ONE);
  return isString ? plus(cost, scaled(other, STRING_FACTOR)) : cost;
}

const EQUAL_AT_ONCE: ReadonlySet<string> = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
]);

function equalityEstimate({ args }: EstimatedCall): CallEstimate | undefined {
  const [left, right] = args;
  if (left === undefined || right === undefined || !isSameType(left.type, right.type)) {
    return undefined;
  }
  const name = typeName(left.type);
  if (EQUAL_AT_ONCE.has(name)) return FLAT;
  if (name === 'kubernetes.NamedFormat') {
    return { cost: scaled({ min: 1, max: 64 }, STRING_FACTOR) };
  }
  if (name !== 'kubernetes.URL') return undefined;
  const max = right.size?.max ?? 1;
  return { cost: scaled({ min: 1, max }, STRING_FACTOR) };
}

function typeName(type: CelType): string {
  return type.kind === 'struct' || type.kind === 'opaque' ? type.name : formatType(type);
}

function overloadEstimate(call: EstimatedCall, sizes: Sizes): CallEstimate | undefined {
  const { overloadId, target, args } = call;
  const [first, second] = args;
  const set = SET_FACTORS.get(overloadId);
  if (set !== undefined && first !== undefined && second !== undefined) {
    return { cost: plus(scaled(times(sizes.sizeOf(first), sizes.sizeOf(second)), set), ONE) };
  }
  if (overloadId === 'lists_range') {
    return allocating(1, exactly(literalInt(first) ?? UNBOUNDED));
  }
  return target && listEstimate(overloadId, sizes.sizeOf(target), args, sizes);
}

const SET_FACTORS: ReadonlyMap<string, number> = new Map([
  ['list_sets_contains_list', 1],
  ['list_sets_intersects_list', 1],
  ['list_sets_equivalent_list', 2],
]);

function listEstimate(
  overloadId: string,
  size: CostRange,
  [first, second]: readonly CostNode[],
  sizes: Sizes,
): CallEstimate | undefined {
  switch (overloadId) {
    case 'list_slice': {
      const length = (literalInt(second) ?? size.max) - (literalInt(first) ?? 0);
      return allocating(1, exactly(length < 0 ? UNBOUNDED + length : length));
    }
    case 'list_flatten':
      return allocating(1, size);
    case 'list_flatten_int':
      return allocating(literalInt(first) ?? UNBOUNDED, size);
    case 'list_reverse':
      return allocating(1, size);
    case 'list_distinct':
      return allocating(2, times(size, size));
    default:
  }
  const sorted = /^list_(.*)_sort(ByAssociatedKeys)?$/.exec(overloadId);
  if (sorted === null) return undefined;
  const keys = sorted[2] === undefined || first === undefined ? size : sizes.sizeOf(first);
  const isText = sorted[1] === 'string' || sorted[1] === 'bytes';
  return allocating(isText ? 2 + STRING_FACTOR : 2, times(keys, keys));
}

function allocating(factor: number, size: CostRange): CallEstimate {
  return { cost: plus(plus(scaled(size, factor), ONE), exactly(LIST_COST)), size };
}

function literalInt(node: CostNode | undefined): number | undefined {
  const form = node?.expression?.form;
  if (form?.kind !== 'literal' || !isInt(form.value)) return undefined;
  return Math.max(0, Number(form.value));
}
