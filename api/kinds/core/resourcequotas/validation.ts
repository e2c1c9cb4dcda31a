/** What a ResourceQuota may say, and what of it may change. In Kubernetes: ValidateResourceQuota. */
import { items } from '../../../json/go-values.ts';
import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from '../../../generated/kinds/core-v1.ts';
import type { JsonObject } from '../../../json/json.ts';
import {
  ERRORS_SHOWN_MAX,
  type FieldErrors,
  invalidValue,
  required,
} from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import {
  flatMapUntil,
  keysOf,
  mapItems,
  remembered,
  rememberedOf,
} from '../../../json/work-in-slices.ts';
import { internalForm } from '../../internal-struct.ts';
import {
  isQuotaResource,
  validateAmount,
  validateQuotaResourceName,
} from '../../rules/resource-names.ts';
import { errorsOfKeys, isMissing } from '../../rules/value-validation.ts';

const POD_RESOURCES = [
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
];
/** What can be counted in a scope. */
const RESOURCES_OF_SCOPE: ReadonlyMap<string, readonly string[]> = new Map([
  ['Terminating', POD_RESOURCES],
  ['NotTerminating', POD_RESOURCES],
  ['NotBestEffort', POD_RESOURCES],
  ['PriorityClass', POD_RESOURCES],
  ['CrossNamespacePodAffinity', POD_RESOURCES],
  ['BestEffort', ['pods']],
  ['VolumeAttributesClass', ['persistentvolumeclaims', 'requests.storage']],
]);
const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
/** Scopes of which one can only say that they apply. */
const EXISTING = [
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
];

export function validateQuota(quota: ResourceQuota): FieldErrors {
  const spec = quota.spec;
  return [
    ...validateHard('spec.hard', spec.hard),
    ...validateScopes(spec),
    ...validateSelector(spec),
  ];
}

/** The scopes say what is counted, so they are fixed; their order is not. */
export function validateQuotaScopes(quota: ResourceQuota, old: ResourceQuota): FieldErrors {
  const listed = items(quota.spec.scopes);
  const scopes = new Set(listed);
  const oldScopes = new Set(items(old.spec.scopes));
  const isSame = scopes.size === oldScopes.size && [...scopes].every((one) => oldScopes.has(one));
  return isSame
    ? []
    : [invalidValue('spec.scopes', listed.length > 0 ? listed : null, 'field is immutable')];
}

/** The rules of the `status` subresource. */
export function validateQuotaStatus(quota: ResourceQuota): FieldErrors {
  const status = quota.status;
  return [
    ...((quota.metadata.resourceVersion ?? '') === '' ? [required('resourceVersion')] : []),
    ...validateHard('status.hard', status.hard),
    ...validateHard('status.used', status.used),
  ];
}

function validateHard(field: string, amounts: JsonObject = {}): FieldErrors {
  return errorsOfKeys(amounts, (name) => {
    const path = keyPath(field, name);
    return [...validateQuotaResourceName(path, name), ...validateAmount(path, name, amounts[name])];
  });
}

type NotCounted = ReadonlyMap<string, readonly string[]>;

/** For each known scope the resources that it cannot count: the same scope may be said very often. */
function notCountedBy(scopes: readonly string[], { hard = {} }: ResourceQuotaSpec): NotCounted {
  if (scopes.length === 0) return new Map();
  const said = rememberedOf([scopes], () => new Set(scopes));
  const names = keysOf(hard);
  const known = [...RESOURCES_OF_SCOPE].filter(([scope]) => said.has(scope));
  return new Map(
    mapItems(known, ([scope, counted]) => {
      const others = flatMapUntil(names, ERRORS_SHOWN_MAX, (name) =>
        isQuotaResource(name) && !counted.includes(name) ? [name] : [],
      );
      return [scope, others] as const;
    }),
  );
}

function validateScopes(spec: ResourceQuotaSpec): FieldErrors {
  const field = 'spec.scopes';
  const scopes = items(spec.scopes);
  const notCounted = notCountedBy(scopes, spec);
  return [
    ...flatMapUntil(scopes, ERRORS_SHOWN_MAX, (scope) => [
      ...(RESOURCES_OF_SCOPE.has(scope) ? [] : [invalidValue(field, scopes, 'unsupported scope')]),
      ...(notCounted.get(scope) ?? []).map(() =>
        invalidValue(field, scopes, 'unsupported scope applied to resource'),
      ),
    ]),
    ...conflictsIn(scopes).map(() => invalidValue(field, scopes, 'conflicting scopes')),
  ];
}

function conflictsIn(scopes: readonly string[]) {
  return CONFLICTS.filter((pair) => pair.every((scope) => scopes.includes(scope)));
}

/** Which of the expressions is wrong is not told. */
function validateSelector(spec: ResourceQuotaSpec): FieldErrors {
  const selector = spec.scopeSelector;
  if (selector === undefined) return [];
  const field = 'spec.scopeSelector.matchExpressions';
  const expressions = items(selector.matchExpressions);
  const scopes = mapItems(expressions, (one) => one.scopeName);
  const notCounted = notCountedBy(scopes, spec);
  const inner = remembered(() => internalForm('ScopeSelector', selector));
  const shown = isMissing(spec.scopes) ? null : items(spec.scopes);
  return [
    ...flatMapUntil(expressions, ERRORS_SHOWN_MAX, (expression) => {
      const scope = expression.scopeName;
      return [
        ...(RESOURCES_OF_SCOPE.has(scope)
          ? []
          : [invalidValue(`${field}.scopeName`, scope, 'unsupported scope')]),
        ...(notCounted.get(scope) ?? []).map(() =>
          invalidValue(field, inner, 'unsupported scope applied to resource'),
        ),
        ...validateOperator(field, expression),
      ];
    }),
    ...conflictsIn(scopes).map(() => invalidValue(field, shown, 'conflicting scopes')),
  ];
}

function validateOperator(
  field: string,
  expression: ScopedResourceSelectorRequirement,
): FieldErrors {
  const operator = expression.operator;
  const isExisting = EXISTING.includes(expression.scopeName);
  const names = EXISTING.map((name) => `ResourceQuotaScope${name}`);
  const order = [2, 3, 0, 1].map((index) => names[index] ?? '').join(', ');
  const detail = `must be 'Exists' when scope is any of ${order} or ${names[4] ?? ''}`;
  return [
    ...(isExisting && operator !== 'Exists'
      ? [invalidValue(`${field}.operator`, operator, detail)]
      : []),
    ...validateValues(field, operator, items(expression.values)),
  ];
}

function validateValues(field: string, operator: string, values: readonly string[]): FieldErrors {
  const some = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
  const none = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [required(`${field}.values`, some)];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0 ? [] : [invalidValue(`${field}.values`, [...values], none)];
    default:
      return [invalidValue(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}
