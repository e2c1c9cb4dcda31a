/** What a LimitRange may say. In Kubernetes: ValidateLimitRange, pkg/apis/core/validation. */
import { objectAt, stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import { qualifiedNameProblems } from '../../../../api/meta/names.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { compareQuantities, type Quantity } from '../../../../api/meta/quantity.ts';
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  required,
  type FieldErrors,
} from '../../../../api/schema/field-errors.ts';
import { indexPath, keyPath } from '../../../../api/schema/field-path.ts';
import {
  allowsOvercommit,
  quantityAt,
  validateContainerResourceName,
  validateResourceName,
} from '../../resource-names.ts';
import { invalidFor, objectsAt, specOf } from '../../value-validation.ts';
import { ratioErrors } from './ratio.ts';

const TYPES = ['Container', 'PersistentVolumeClaim', 'Pod'];
const DEFAULTS = ['default', 'defaultRequest'];

export function validateLimitRange(limitRange: KubeObject): FieldErrors {
  const types = new Set<string>();
  return objectsAt(specOf(limitRange), 'limits').flatMap((limit, index) => {
    const path = indexPath('spec.limits', index);
    const type = stringAt(limit, 'type');
    const isTaken = types.has(type);
    types.add(type);
    return [
      ...validateType(`${path}.type`, type),
      ...(isTaken ? [duplicateValue(`${path}.type`, type)] : []),
      ...validateNames(path, limit, ['max', 'min']),
      ...validateDefaults(path, limit),
      ...validateStorage(`${path}.limits`, limit),
      ...validateNames(path, limit, ['maxLimitRequestRatio']),
      ...validateAmounts(path, limit),
    ];
  });
}

function validateType(field: string, type: string): FieldErrors {
  const problems = qualifiedNameProblems(type);
  if (problems.length > 0) return invalidFor(field, type, problems);
  if (type.includes('/') || TYPES.includes(type)) return [];
  return [invalidValue(field, type, 'must be a standard limit type or fully qualified')];
}

function validateNames(field: string, limit: JsonObject, keys: readonly string[]): FieldErrors {
  const type = stringAt(limit, 'type');
  const validate =
    type === 'Pod' || type === 'Container' ? validateContainerResourceName : validateResourceName;
  return keys.flatMap((key) =>
    Object.keys(objectAt(limit, key) ?? {}).flatMap((name) =>
      validate(keyPath(`${field}.${key}`, name), name),
    ),
  );
}

/** A pod has no defaults: its containers have. */
function validateDefaults(field: string, limit: JsonObject): FieldErrors {
  if (stringAt(limit, 'type') !== 'Pod') return validateNames(field, limit, DEFAULTS);
  return DEFAULTS.filter((key) => Object.keys(objectAt(limit, key) ?? {}).length > 0).map((key) =>
    forbiddenField(`${field}.${key}`, "may not be specified when `type` is 'Pod'"),
  );
}

function validateStorage(field: string, limit: JsonObject): FieldErrors {
  if (stringAt(limit, 'type') !== 'PersistentVolumeClaim') return [];
  const isSaid = ['min', 'max'].some((key) => Object.hasOwn(objectAt(limit, key) ?? {}, 'storage'));
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

function validateAmounts(field: string, limit: JsonObject): FieldErrors {
  const isPod = stringAt(limit, 'type') === 'Pod';
  const lists = ['max', 'min', ...(isPod ? [] : DEFAULTS), 'maxLimitRequestRatio'];
  const names = new Set(lists.flatMap((key) => Object.keys(objectAt(limit, key) ?? {})));
  const amountIn = (key: string, name: string): Quantity | undefined => {
    const amounts = lists.includes(key) ? (objectAt(limit, key) ?? {}) : {};
    return Object.hasOwn(amounts, name) ? quantityAt(amounts[name]) : undefined;
  };
  return [...names].flatMap((name) => {
    const amounts: Amounts = {
      min: amountIn('min', name),
      max: amountIn('max', name),
      limit: amountIn('default', name),
      request: amountIn('defaultRequest', name),
      ratio: amountIn('maxLimitRequestRatio', name),
    };
    return [
      ...validateOrder(field, name, amounts),
      ...ratioErrors(keyPath(`${field}.maxLimitRequestRatio`, name), amounts),
      ...validateSame(keyPath(`${field}.defaultRequest`, name), name, amounts),
    ];
  });
}

function validateOrder(field: string, name: string, amounts: Amounts): FieldErrors {
  const { min, max, limit, request } = amounts;
  const at = (key: string): string => keyPath(`${field}.${key}`, name);
  return [
    ...notAbove(at('min'), min, max, { shown: min, words: ['min', 'max'] }),
    ...notAbove(at('defaultRequest'), min, request, {
      shown: request,
      words: ['min', 'default request'],
    }),
    ...notAbove(at('defaultRequest'), request, max, {
      shown: request,
      words: ['default request', 'max'],
    }),
    ...notAbove(at('defaultRequest'), request, limit, {
      shown: request,
      words: ['default request', 'default limit'],
    }),
    ...notAbove(at('default'), min, limit, { shown: min, words: ['min', 'default'] }),
    ...notAbove(at('default'), limit, max, { shown: max, words: ['default', 'max'] }),
  ];
}

interface Wording {
  /** The value that the message shows, which is not always the one that the field holds. */
  readonly shown: Quantity | undefined;
  readonly words: readonly [string, string];
}

function notAbove(
  field: string,
  lower: Quantity | undefined,
  upper: Quantity | undefined,
  { shown, words }: Wording,
): FieldErrors {
  if (lower === undefined || upper === undefined || compareQuantities(lower, upper) <= 0) return [];
  const [first, second] = words;
  const detail = `${first} value ${lower.text} is greater than ${second} value ${upper.text}`;
  return [invalidValue(field, shown?.text, detail)];
}

/** What cannot be promised twice has a default that is its request. */
function validateSame(field: string, name: string, { limit, request }: Amounts): FieldErrors {
  if (limit === undefined || request === undefined || allowsOvercommit(name)) return [];
  if (compareQuantities(limit, request) === 0) return [];
  const detail = `default value ${limit.text} must equal to defaultRequest value ${request.text} in ${name}`;
  return [invalidValue(field, request.text, detail)];
}
