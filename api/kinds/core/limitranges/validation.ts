/**
 * What a LimitRange may say, and how far a limit may be above the request: no further than the limits
 * themselves are apart. Small amounts are compared in thousandths, as Go does it.
 *
 * In Kubernetes: ValidateLimitRange, pkg/apis/core/validation.
 */
import type { LimitRange, LimitRangeItem } from '../../../generated/kinds/core-v1.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import { compareQuantities, type Quantity } from '../../../meta/quantity.ts';
import { hasFields, remembered, stepped } from '../../../json/work-in-slices.ts';
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
} from '../../../field/field-errors.ts';
import { indexPath, keyPath } from '../../../field/field-path.ts';
import {
  allowsOvercommit,
  quantityAt,
  validateContainerResourceName,
  validateResourceName,
  wholeOf,
} from '../../rules/resource-names.ts';
import { errorsOfKeys, invalidFor, ofEach } from '../../rules/value-validation.ts';

const TYPES = ['Container', 'PersistentVolumeClaim', 'Pod'];
const DEFAULTS = ['default', 'defaultRequest'] as const;
/** What is said of one name is read and compared in some microseconds. */
const AMOUNT_STEPS = 8;

type ListKey = keyof Omit<LimitRangeItem, 'type'>;

export function validateLimitRange(limitRange: LimitRange): FieldErrors {
  const types = remembered(() => new Set<string>());
  return ofEach(limitRange.spec.limits, (limit, index) => {
    const path = indexPath('spec.limits', index);
    const type = limit.type;
    const isTaken = types.has(type);
    const errors = [
      ...validateType(`${path}.type`, type),
      ...(isTaken ? [duplicateValue(`${path}.type`, type)] : []),
      ...validateNames(path, limit, ['max', 'min']),
      ...validateDefaults(path, limit),
      ...validateStorage(`${path}.limits`, limit),
      ...validateNames(path, limit, ['maxLimitRequestRatio']),
      ...validateAmounts(path, limit),
    ];
    types.add(type);
    return errors;
  });
}

function validateType(field: string, type: string): FieldErrors {
  const problems = qualifiedNameProblems(type);
  if (problems.length > 0) return invalidFor(field, type, problems);
  if (type.includes('/') || TYPES.includes(type)) return [];
  return [invalidValue(field, type, 'must be a standard limit type or fully qualified')];
}

function validateNames(
  field: string,
  limit: LimitRangeItem,
  keys: readonly ListKey[],
): FieldErrors {
  const type = limit.type;
  const validate =
    type === 'Pod' || type === 'Container' ? validateContainerResourceName : validateResourceName;
  return keys.flatMap((key) =>
    errorsOfKeys(limit[key], (name) => validate(keyPath(`${field}.${key}`, name), name)),
  );
}

/** A pod has no defaults: its containers have. */
function validateDefaults(field: string, limit: LimitRangeItem): FieldErrors {
  if (limit.type !== 'Pod') return validateNames(field, limit, DEFAULTS);
  return DEFAULTS.filter((key) => hasFields(limit[key] ?? {})).map((key) =>
    forbiddenField(`${field}.${key}`, "may not be specified when `type` is 'Pod'"),
  );
}

function validateStorage(field: string, limit: LimitRangeItem): FieldErrors {
  if (limit.type !== 'PersistentVolumeClaim') return [];
  const isSaid = (['min', 'max'] as const).some((key) =>
    Object.hasOwn(limit[key] ?? {}, 'storage'),
  );
  const detail = 'either minimum or maximum storage value is required, but neither was provided';
  return isSaid ? [] : [required(field, detail)];
}

/** What is said of one resource in the five lists; undefined where nothing is. */
interface Amounts {
  readonly min: Quantity | undefined;
  readonly max: Quantity | undefined;
  readonly limit: Quantity | undefined;
  readonly request: Quantity | undefined;
  readonly ratio: Quantity | undefined;
}

/** A resource is looked at with the first of the lists that names it. */
function validateAmounts(field: string, limit: LimitRangeItem): FieldErrors {
  const isPod = limit.type === 'Pod';
  const lists: readonly ListKey[] = [
    'max',
    'min',
    ...(isPod ? [] : DEFAULTS),
    'maxLimitRequestRatio',
  ];
  const isIn = (key: ListKey, name: string): boolean =>
    lists.includes(key) && Object.hasOwn(limit[key] ?? {}, name);
  const amountIn = (key: ListKey, name: string): Quantity | undefined =>
    isIn(key, name) ? quantityAt(limit[key]?.[name]) : undefined;
  return lists.flatMap((list, at) =>
    errorsOfKeys(limit[list], (name) => {
      if (lists.slice(0, at).some((earlier) => isIn(earlier, name))) return [];
      stepped(AMOUNT_STEPS);
      const amounts: Amounts = {
        min: amountIn('min', name),
        max: amountIn('max', name),
        limit: amountIn('default', name),
        request: amountIn('defaultRequest', name),
        ratio: amountIn('maxLimitRequestRatio', name),
      };
      return [
        ...validateOrder(field, name, amounts),
        ...validateRatio(field, name, amounts),
        ...validateSame(field, name, amounts),
      ];
    }),
  );
}

interface Order {
  readonly lower: keyof Amounts;
  readonly upper: keyof Amounts;
  /** The list that is wrong. */
  readonly at: string;
  /** The value that the message shows, which is not always the one that the field holds. */
  readonly shown: keyof Amounts;
  readonly words: readonly [string, string];
}

const ORDERS: readonly Order[] = [
  { lower: 'min', upper: 'max', at: 'min', shown: 'min', words: ['min', 'max'] },
  {
    lower: 'min',
    upper: 'request',
    at: 'defaultRequest',
    shown: 'request',
    words: ['min', 'default request'],
  },
  {
    lower: 'request',
    upper: 'max',
    at: 'defaultRequest',
    shown: 'request',
    words: ['default request', 'max'],
  },
  {
    lower: 'request',
    upper: 'limit',
    at: 'defaultRequest',
    shown: 'request',
    words: ['default request', 'default limit'],
  },
  { lower: 'min', upper: 'limit', at: 'default', shown: 'min', words: ['min', 'default'] },
  { lower: 'limit', upper: 'max', at: 'default', shown: 'max', words: ['default', 'max'] },
];

function validateOrder(field: string, name: string, amounts: Amounts): FieldErrors {
  return ORDERS.flatMap(({ at, shown, words: [first, second], ...order }) => {
    const [lower, upper] = [amounts[order.lower], amounts[order.upper]];
    if (lower === undefined || upper === undefined || compareQuantities(lower, upper) <= 0) {
      return [];
    }
    const detail = `${first} value ${lower.text} is greater than ${second} value ${upper.text}`;
    return [invalidValue(keyPath(`${field}.${at}`, name), amounts[shown]?.text, detail)];
  });
}

function validateRatio(field: string, name: string, amounts: Amounts): FieldErrors {
  if (amounts.ratio === undefined) return [];
  return ratioErrors(keyPath(`${field}.maxLimitRequestRatio`, name), amounts);
}

/** What cannot be promised twice has a default that is its request. */
function validateSame(field: string, name: string, { limit, request }: Amounts): FieldErrors {
  if (limit === undefined || request === undefined || allowsOvercommit(name)) return [];
  if (compareQuantities(limit, request) === 0) return [];
  const detail = `default value ${limit.text} must equal to defaultRequest value ${request.text} in ${name}`;
  return [invalidValue(keyPath(`${field}.defaultRequest`, name), request.text, detail)];
}

/** Beyond this many an amount has no thousandths that fit Go's int64. */
const MILLI_MAX = (2n ** 63n - 1n) / 1000n;
const DIGITS = 6;

interface Range {
  readonly min: Quantity | undefined;
  readonly max: Quantity | undefined;
  readonly ratio: Quantity | undefined;
}

function ratioErrors(field: string, { min, max, ratio }: Range): FieldErrors {
  if (ratio === undefined) return [];
  const isBelowOne = isLessThanOne(ratio)
    ? [invalidValue(field, ratio.text, `ratio ${ratio.text} is less than 1`)]
    : [];
  if (min === undefined || max === undefined) return isBelowOne;
  const isSmall = [ratio, min, max].every((one) => wholeOf(one) < MILLI_MAX);
  const value = isSmall ? Number(millisOf(ratio)) / 1000 : Number(wholeOf(ratio));
  const most = isSmall
    ? Number(millisOf(max)) / Number(millisOf(min))
    : Number(wholeOf(max)) / Number(wholeOf(min));
  if (!(value > most)) return isBelowOne;
  const detail = `ratio ${ratio.text} is greater than max/min = ${formatFloat(most)}`;
  return [...isBelowOne, invalidValue(field, ratio.text, detail)];
}

function isLessThanOne({ unscaled, exponent }: Quantity): boolean {
  if (unscaled <= 0n) return true;
  return exponent < 0 && unscaled < 10n ** BigInt(Math.min(-exponent, 400));
}

function millisOf({ unscaled, exponent, format, text }: Quantity): bigint {
  return wholeOf({ unscaled, exponent: exponent + 3, format, text });
}

/** As `%f` prints it. */
function formatFloat(value: number): string {
  if (Number.isFinite(value)) return value.toFixed(DIGITS);
  return value === Infinity ? '+Inf' : '-Inf';
}
