/**
 * What a call costs when it is made, by its overload. A unit is about what an addition takes.
 *
 * In Kubernetes: interpreter/runtimecost.go of cel-go.
 */
import {
  CelBytes,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  characterCount,
  type CelValue,
} from '../value.ts';

/** Units for looking at one character or byte. */
export const STRING_FACTOR = 0.1;
/** Units for one character of a pattern, each time that the text is matched. */
export const REGEX_FACTOR = 0.25;
/** Units for making a list, whatever its length. */
export const LIST_COST = 10;
/** Units for making a map, whatever its size. */
export const MAP_COST = 30;
/** Units for making a message, whatever its fields. */
export const STRUCT_COST = 40;

/** Always the same, or from the arguments and the result. */
export type CallCost = number | ((args: readonly CelValue[], result: CelValue) => number);

/** Costs of functions that the language itself does not know; undefined: not known here either. */
export type CallCostOf = (functionName: string, overloadId: string) => CallCost | undefined;

/** The cost of an overload of the language itself; 1 where none is listed. */
export function standardCallCost(overloadId: string): CallCost {
  return COSTS.get(overloadId) ?? 1;
}

/** Characters, bytes, items, entries; 1 for what has no size. */
export function sizeOf(value: CelValue | undefined): number {
  if (typeof value === 'string') return characterCount(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof CelBytes) return value.bytes.length;
  return value instanceof CelOpaque ? value.costSize : 1;
}

function sizeOfArgument(value: CelValue | undefined): number {
  return value instanceof CelOptional && value.value !== undefined
    ? sizeOfArgument(value.value)
    : sizeOf(value);
}

export function traversal(size: number): number {
  return Math.ceil(size * STRING_FACTOR);
}

const first: CallCost = ([value]) => traversal(sizeOfArgument(value));
const smaller: CallCost = ([left, right]) =>
  traversal(Math.min(sizeOfArgument(left), sizeOfArgument(right)));
const sum: CallCost = ([left, right]) => traversal(sizeOfArgument(left) + sizeOfArgument(right));

const COSTS: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...[
    'starts_with_string',
    'ends_with_string',
    'string_to_bytes',
    'bytes_to_string',
    'strings_quote',
    'string_format',
  ].map((id) => [id, first] as const),
  ['in_list', ([, list]) => sizeOfArgument(list)],
  ...['less', 'greater', 'less_equals', 'greater_equals'].flatMap((operator) => [
    [`${operator}_string`, smaller] as const,
    [`${operator}_bytes`, smaller] as const,
  ]),
  ['equals', smaller],
  ['not_equals', smaller],
  ['add_string', sum],
  ['add_bytes', sum],
  [
    'matches_string',
    ([text, pattern]) =>
      traversal(1 + sizeOfArgument(text)) * Math.ceil(sizeOfArgument(pattern) * REGEX_FACTOR),
  ],
  [
    'contains_string',
    ([text, part]) => traversal(sizeOfArgument(text)) * traversal(sizeOfArgument(part)),
  ],
]);
