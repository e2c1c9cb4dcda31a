/**
 * Bounds, multiples and widths of numbers, as kube-openapi judges them.
 *
 * The surprises are upstream's: a whole number is compared with the whole part of a bound, whatever
 * the type, and a bound that does not fit the type is complained of with every value.
 *
 * In Kubernetes: numberValidator of kube-openapi, pkg/validation/validate.
 */
import { fitsInt64, formatGoFloat, isGoInteger, wholePart } from '../json/go-numbers.ts';
import type { CheckedSchema } from './checked-schema.ts';
import {
  Findings,
  invalidAt,
  invalidFloatAt,
  invalidFloatWith,
  invalidWith,
  problemOfWhole,
  type Problem,
} from './findings.ts';

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** undefined: no number can fail. */
export function numberAcceptance(
  checked: CheckedSchema,
): ((value: number | bigint) => boolean) | undefined {
  const { maximum, minimum, multipleOf, exclusiveMaximum, exclusiveMinimum } = checked.values;
  const width = widthOf(checked);
  const hasBounds = maximum !== undefined || minimum !== undefined || multipleOf !== undefined;
  if (!hasBounds && width === undefined) return undefined;
  const accepts = (value: number | bigint): boolean => findInNumber(checked, value, '').isEmpty;
  const isPlain = [maximum, minimum].every(
    (bound) => bound === undefined || Number.isSafeInteger(bound),
  );
  if (!isPlain || multipleOf !== undefined) return accepts;
  if (width === 'float' || exclusiveMaximum || exclusiveMinimum) return accepts;
  const least = Math.max(minimum ?? -Infinity, width === 'int32' ? INT32_MIN : -Infinity);
  const greatest = Math.min(maximum ?? Infinity, width === 'int32' ? INT32_MAX : Infinity);
  return (value) => (value >= least && value <= greatest && isGoInteger(value)) || accepts(value);
}

type Width = 'int32' | 'int64' | 'float';

/** undefined: any number fits. */
function widthOf({ types, format }: CheckedSchema): Width | undefined {
  if (types.length !== 1) return undefined;
  if (types[0] === 'integer') return format === 'int32' ? 'int32' : 'int64';
  return types[0] === 'number' && format === 'float' ? 'float' : undefined;
}

/** In upstream's order. */
export function findInNumber(
  checked: CheckedSchema,
  value: number | bigint,
  path: string,
): Findings {
  const { maximum, minimum, multipleOf, exclusiveMaximum, exclusiveMinimum } = checked.values;
  const findings = new Findings();
  const add = (problem: Problem | undefined): void => {
    if (problem !== undefined) findings.add(problem);
  };
  add(misfit(checked, { value, name: 'Checked', path }));
  if (multipleOf !== undefined) {
    const wrong = misfit(checked, { value: multipleOf, name: 'MultipleOf', path });
    add(wrong);
    add(checkMultiple(path, value, { of: multipleOf, isWhole: wrong === undefined }));
  }
  for (const bound of [
    { value: minimum, name: 'Minimum', sign: -1, exclusive: exclusiveMinimum },
    { value: maximum, name: 'Maximum', sign: 1, exclusive: exclusiveMaximum },
  ] as const) {
    if (bound.value === undefined) continue;
    const name = `${bound.name} boundary`;
    const wrong = misfit(checked, { value: bound.value, name, path });
    add(wrong);
    const isWhole = wrong === undefined && isGoInteger(value);
    add(checkBound(path, value, { ...bound, value: bound.value, isWhole }));
  }
  findings.matchCount++;
  return findings;
}

function misfit(
  checked: CheckedSchema,
  { value, name, path }: { value: number | bigint; name: string; path: string },
): Problem | undefined {
  const width = widthOf(checked);
  if (width === undefined || fits(value, width)) return undefined;
  const [type = ''] = checked.types;
  const format = checked.format;
  const wanted =
    format === '' ? `type ${type} (default format)` : `type ${type} with format ${format}`;
  return problemOfWhole(`${name} value must be of ${wanted} in ${path}`);
}

function fits(value: number | bigint, width: Width): boolean {
  if (width === 'float') return Number.isFinite(Math.fround(Number(value)));
  if (typeof value === 'bigint') return width === 'int64';
  if (width === 'int64') return fitsInt64(value);
  return Number.isInteger(value) && value >= INT32_MIN && value <= INT32_MAX;
}

interface Bound {
  readonly value: number;
  /** 1: nothing above it; -1: nothing below it. */
  readonly sign: 1 | -1;
  readonly exclusive: boolean;
  /** Only its whole part counts. */
  readonly isWhole: boolean;
}

function checkBound(path: string, value: number | bigint, bound: Bound): Problem | undefined {
  const limit = bound.isWhole ? wholePart(bound.value) : bound.value;
  const compared = bound.isWhole ? value : Number(value);
  const isBeyond = bound.sign > 0 ? compared > limit : compared < limit;
  if (!isBeyond && !(bound.exclusive && compared === limit)) return undefined;
  const relation = bound.sign > 0 ? 'less than' : 'greater than';
  const shown = bound.isWhole ? String(limit) : formatGoFloat(bound.value);
  const equal = bound.exclusive ? '' : ' or equal to';
  const invalid = bound.isWhole ? invalidAt : invalidFloatAt;
  return invalid(path, value, `should be ${relation}${equal} ${shown}`);
}

function checkMultiple(
  path: string,
  value: number | bigint,
  { of, isWhole }: { of: number; isWhole: boolean },
): Problem | undefined {
  const whole = isWhole && isGoInteger(value);
  const factor = whole ? wholePart(of) : of;
  const shown = whole ? String(factor) : formatGoFloat(of);
  if (factor <= 0) {
    const message = `factor MultipleOf declared for ${path} must be positive: ${shown}`;
    return whole ? invalidWith(path, factor, message) : invalidFloatWith(path, of, message);
  }
  const isMultiple = whole
    ? BigInt(value) % BigInt(factor) === 0n
    : isNearlyWhole(of < 1 ? (1 / of) * Number(value) : Number(value) / of);
  const invalid = whole ? invalidAt : invalidFloatAt;
  return isMultiple ? undefined : invalid(path, value, `should be a multiple of ${shown}`);
}

const EPSILON = 1e-9;

/**
 * Whether a number with a fraction is taken for a whole one. One below zero never is: Go compares it with
 * what becomes of it without its sign.
 *
 * In Kubernetes: IsFloat64AJSONInteger of go-openapi/swag.
 */
export function isNearlyWhole(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  if (whole <= 0) return false;
  return Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < EPSILON;
}
