/**
 * Which requests a webhook or a policy is asked about.
 *
 * In Kubernetes: validateRuleWithOperations, pkg/apis/admissionregistration/validation.
 */
import { flatMapUntil, remembered } from '../../json/work-in-slices.ts';
import { items } from '../../json/go-values.ts';
import type {
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from '../../generated/kinds/admissionregistration-v1.ts';
import { pathSegmentProblems } from '../../meta/names.ts';
import {
  duplicateValue,
  ERRORS_SHOWN_MAX,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { invalidFor, repeatsIn } from '../rules/value-validation.ts';

const ALL = '*';
const OPERATIONS = [ALL, 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
/** What is deleted cannot be changed any more. */
const MUTATING_OPERATIONS = [ALL, 'CONNECT', 'CREATE', 'UPDATE'];
const SCOPES = [ALL, 'Cluster', 'Namespaced'];

/** Operations, groups, versions and resources of one rule; `*` stands alone in its list. */
export function validateAdmissionRule(field: string, rule: RuleWithOperations): FieldErrors {
  const operations = items(rule.operations);
  const groups = items(rule.apiGroups);
  const versions = items(rule.apiVersions);
  const { scope } = rule;
  return [
    ...requiredList(`${field}.operations`, operations),
    ...allAlone(`${field}.operations`, operations, 'operations'),
    ...flatMapUntil(operations, ERRORS_SHOWN_MAX, (operation, index) =>
      OPERATIONS.includes(operation)
        ? []
        : [notSupported(indexPath(`${field}.operations`, index), operation, OPERATIONS)],
    ),
    ...requiredList(`${field}.apiGroups`, groups),
    ...allAlone(`${field}.apiGroups`, groups, 'API groups'),
    ...requiredList(`${field}.apiVersions`, versions),
    ...allAlone(`${field}.apiVersions`, versions, 'API versions'),
    ...flatMapUntil(versions, ERRORS_SHOWN_MAX, (version, index) =>
      version === '' ? [required(indexPath(`${field}.apiVersions`, index))] : [],
    ),
    ...validateResources(`${field}.resources`, items(rule.resources)),
    ...(scope === undefined || SCOPES.includes(scope)
      ? []
      : [notSupported(`${field}.scope`, scope, SCOPES)]),
  ];
}

/** A rule that may also name the objects. */
export function validateNamedRule(field: string, rule: NamedRuleWithOperations): FieldErrors {
  const names = items(rule.resourceNames);
  const repeats = repeatsIn(names);
  return [
    ...flatMapUntil(names, ERRORS_SHOWN_MAX, (name, index) => {
      const path = indexPath(`${field}.resourceNames`, index);
      return [
        ...invalidFor(path, name, pathSegmentProblems(name)),
        ...(repeats[index] === true ? [duplicateValue(path, name)] : []),
      ];
    }),
    ...validateAdmissionRule(field, rule),
  ];
}

/** `match` is what a mutating policy looks at; its paths name no rule. */
export function validateMutatingOperations(field: string, match: MatchResources): FieldErrors {
  const path = `${field}.resourceRules.operations`;
  return flatMapUntil(items(match.resourceRules), ERRORS_SHOWN_MAX, ({ operations }) =>
    flatMapUntil(items(operations), ERRORS_SHOWN_MAX, (operation) =>
      MUTATING_OPERATIONS.includes(operation)
        ? []
        : [notSupported(path, operation, MUTATING_OPERATIONS)],
    ),
  );
}

function requiredList(field: string, values: readonly string[]): FieldErrors {
  return values.length === 0 ? [required(field)] : [];
}

function allAlone(field: string, values: readonly string[], what: string): FieldErrors {
  if (values.length < 2 || !values.includes(ALL)) return [];
  return [invalidValue(field, [...values], `if '*' is present, must not specify other ${what}`)];
}

function validateResources(field: string, resources: readonly string[]): FieldErrors {
  const plain = resources.filter((one) => one !== '' && !one.includes('/'));
  const doubled = "if '*/*' is present, must not specify other resources";
  const single = "if '*' is present, must not specify other resources without subresources";
  return [
    ...requiredList(field, resources),
    ...validateSubresources(field, resources),
    ...(resources.length > 1 && resources.includes('*/*')
      ? [invalidValue(field, [...resources], doubled)]
      : []),
    // Upstream looks at the last one only.
    ...(plain.includes(ALL) && plain.at(-1) !== ALL
      ? [invalidValue(field, [...resources], single)]
      : []),
  ];
}

function validateSubresources(field: string, resources: readonly string[]): FieldErrors {
  const whole = remembered(() => new Set<string>());
  const everywhere = remembered(() => new Set<string>());
  return flatMapUntil(resources, ERRORS_SHOWN_MAX, (one, index) => {
    const path = indexPath(field, index);
    if (one === '') return [required(path)];
    const slash = one.indexOf('/');
    if (slash < 0) return [];
    const [resource, subresource] = [one.slice(0, slash), one.slice(slash + 1)];
    const covered = (by: string) => `if '${by}' is present, must not specify ${one}`;
    const errors = [
      ...(whole.has(resource) ? [invalidValue(path, one, covered(`${resource}/*`))] : []),
      ...(everywhere.has(subresource)
        ? [invalidValue(path, one, covered(`*/${subresource}`))]
        : []),
    ];
    if (subresource === ALL) whole.add(resource);
    if (resource === ALL) everywhere.add(subresource);
    return errors;
  });
}
