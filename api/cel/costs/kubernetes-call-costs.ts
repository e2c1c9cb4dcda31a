/**
 * What calls of Kubernetes' functions cost when they are made.
 *
 * In Kubernetes: CallCost, apiserver/pkg/cel/library/cost.go; and the trackers of ext/sets.go and
 * ext/lists.go of cel-go, which come first.
 */
import {
  LIST_COST,
  REGEX_FACTOR,
  sizeOf,
  STRING_FACTOR,
  traversal,
  type CallCost,
  type CallCostOf,
} from './call-costs.ts';
import { valuesOf } from '../containers.ts';
import { CelFormat } from '../library/named-formats.ts';
import { CelBytes, CelList, CelMap, CelOpaque, type CelValue } from '../value.ts';

export const kubernetesCallCost: CallCostOf = (name, overloadId) =>
  BY_OVERLOAD.get(overloadId) ?? sortCost(overloadId) ?? ofFunction(name, overloadId);

function ofFunction(name: string, overloadId: string): CallCost | undefined {
  if (name === 'ip' && overloadId === 'cidr_ip') return 1;
  if (name === 'containsIP') return containsCost(overloadId.endsWith('_string'), false);
  if (name === 'containsCIDR') return containsCost(overloadId.endsWith('_string'), true);
  return BY_FUNCTION.get(name);
}

const firstOnce: CallCost = ([first]) => traversal(sizeOf(first));
const firstTwice: CallCost = ([first]) => Math.ceil(sizeOf(first) * 2 * STRING_FACTOR);

/** 1 for each value in `value`, and strings by their bytes. */
function wholeTraversal(value: CelValue | undefined): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * STRING_FACTOR);
  if (value instanceof CelBytes) return Math.floor(value.bytes.length * STRING_FACTOR);
  if (value instanceof CelList) {
    return valuesOf(value).reduce<number>((sum, item) => sum + wholeTraversal(item), 0);
  }
  if (!(value instanceof CelMap)) return 1;
  return value
    .keys()
    .reduce<number>((sum, key) => sum + wholeTraversal(key) + wholeTraversal(value.find(key)), 0);
}

const wholeList: CallCost = ([list]) => wholeTraversal(list);

const finding: CallCost = ([text, pattern]) =>
  traversal(1 + sizeOf(text)) * Math.ceil(sizeOf(pattern) * REGEX_FACTOR);

const validating: CallCost = ([format, text]) => {
  if (!(format instanceof CelFormat)) return 1;
  return traversal(1 + sizeOf(text)) * Math.ceil(format.patternSize * REGEX_FACTOR);
};

function containsCost(isString: boolean, isNetwork: boolean): CallCost {
  return ([cidr, other]) => {
    const size = sizeOf(cidr);
    const comparison = Math.ceil((size + size) * STRING_FACTOR);
    const masking = isNetwork ? traversal(size) + 1 : 0;
    return comparison + masking + (isString ? traversal(sizeOf(other)) : 0);
  };
}

/** Values that are compared at once; the others are for cel-go to judge. */
const equality: CallCost = ([left, right]) =>
  left instanceof CelOpaque ? 1 : traversal(Math.min(sizeOf(left), sizeOf(right)));

const joining: CallCost = (_args, result) => Math.ceil(sizeOf(result) * 2 * STRING_FACTOR);

/** A parse of a list of requirements, each of which takes memory. */
const selecting: CallCost = ([, selector]) => {
  const size = sizeOf(selector);
  return LIST_COST + traversal(size) + Math.ceil(Math.ceil(size * 0.5) * (LIST_COST + 40));
};

const BY_FUNCTION: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ['check', 350_000],
  ...(
    'serviceAccount path group resource subresource namespace name allowed reason error errored ' +
    'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast ' +
    'isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger ' +
    'asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme ' +
    'getHostname getHost getPort getEscapedPath getQuery'
  )
    .split(' ')
    .map((name) => [name, 1] as const),
  ['fieldSelector', selecting],
  ['labelSelector', selecting],
  ...'isSorted sum max min indexOf lastIndexOf'
    .split(' ')
    .map((name) => [name, wholeList] as const),
  ...(
    'url lowerAscii upperAscii substring trim jsonpatch.escapeKey cidr isIP isCIDR ip quantity ' +
    'isQuantity semver isSemver'
  )
    .split(' ')
    .map((name) => [name, firstOnce] as const),
  ...'replace split ip.isCanonical'.split(' ').map((name) => [name, firstTwice] as const),
  ['join', joining],
  ['find', finding],
  ['findAll', finding],
  ['validate', validating],
  ['_==_', equality],
]);

function allocating(factor: number, size: number): number {
  return Math.floor(size * factor) + 1 + LIST_COST;
}

function sets(factor: number): CallCost {
  return ([one, other]) => 1 + Math.floor(sizeOf(one) * sizeOf(other) * factor);
}

const outputSize: CallCost = (_args, result) => allocating(1, sizeOf(result));

const flattening: CallCost = ([list, depth]) =>
  allocating(typeof depth === 'number' ? depth : 1, sizeOf(list));

function selfCompare(list: CelValue | undefined): number {
  const size = sizeOf(list);
  if (!(list instanceof CelList) || size === 0) return allocating(2, 0);
  const first = list.at(0);
  const isText = typeof first === 'string' || first instanceof CelBytes;
  return allocating(isText ? 2 + STRING_FACTOR : 2, size * size);
}

function sortCost(overloadId: string): CallCost | undefined {
  if (/^list_.*_sort$/.test(overloadId)) return ([list]) => selfCompare(list);
  const isByKeys = overloadId.endsWith('_sortByAssociatedKeys');
  return isByKeys ? ([, keys]) => selfCompare(keys) : undefined;
}

const BY_OVERLOAD: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ['list_sets_contains_list', sets(1)],
  ['list_sets_intersects_list', sets(1)],
  ['list_sets_equivalent_list', sets(2)],
  ['list_slice', outputSize],
  ['lists_range', outputSize],
  ['list_reverse', outputSize],
  ['list_flatten', flattening],
  ['list_flatten_int', flattening],
  ['list_distinct', ([list]) => selfCompare(list)],
]);
