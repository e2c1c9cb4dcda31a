/**
 * What calls of the language's own functions can cost.
 *
 * In Kubernetes: functionCost, checker/cost.go of cel-go.
 */
import { REGEX_FACTOR, STRING_FACTOR } from './call-costs.ts';
import {
  type CallEstimate,
  type CostNode,
  type CostRange,
  type EstimatedCall,
  exactly,
  plus,
  scaled,
  times,
  UNBOUNDED,
  UNKNOWN_RANGE,
} from './cost-range.ts';

const ONE = exactly(1);

export function sizeOfNode(node: CostNode | undefined): CostRange {
  return node?.size ?? UNKNOWN_RANGE;
}

/** undefined: a call like most, which costs 1. */
export function standardEstimate({
  overloadId,
  target,
  args,
}: EstimatedCall): CallEstimate | undefined {
  const [first, second] = args;
  const size = sizeOfNode(first);
  const traversed = (of: CostRange): CostRange => scaled(of, STRING_FACTOR);
  switch (overloadId) {
    case 'string_format':
      return target && { cost: traversed(sizeOfNode(target)) };
    case 'string_to_bytes':
      return { cost: traversed(size), size: { min: size.min, max: size.max * 4 } };
    case 'bytes_to_string':
      return { cost: traversed(size), size: { min: Math.floor(size.min / 4), max: size.max } };
    case 'strings_quote':
      return { cost: traversed(size), size: quotedSize(size) };
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: traversed(size) };
    case 'in_list':
      return { cost: sizeOfNode(second) };
    case 'matches_string': {
      if (target === undefined) return undefined;
      const text = traversed(plus(sizeOfNode(target), ONE));
      return { cost: times(text, scaled(size, REGEX_FACTOR)) };
    }
    case 'contains_string':
      return target && { cost: times(traversed(sizeOfNode(target)), traversed(size)) };
    case 'add_string':
    case 'add_bytes':
    case 'add_list': {
      const sum = plus(size, sizeOfNode(second));
      return { cost: overloadId === 'add_list' ? ONE : traversed(sum), size: sum };
    }
    default:
      return COMPARISONS.test(overloadId)
        ? { cost: comparison(size, sizeOfNode(second)) }
        : undefined;
  }
}

const COMPARISONS = /^(?:equals|not_equals|(?:less|greater)(?:_equals)?_(?:string|bytes))$/;

function comparison(left: CostRange, right: CostRange): CostRange {
  const max = Math.min(left.max, right.max);
  return scaled({ min: max > 0 ? 1 : 0, max }, STRING_FACTOR);
}

/** Twice an unknown size is nothing, as uint64 has it. */
function quotedSize({ min, max }: CostRange): CostRange {
  return { min: min + 2, max: max === UNBOUNDED ? 0 : max * 2 + 2 };
}
