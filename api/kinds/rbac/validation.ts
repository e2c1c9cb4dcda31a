/** What roles and bindings may say. In Kubernetes: pkg/apis/rbac/validation. */
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../json/json.ts';
import { dns1123SubdomainProblems, pathSegmentProblems } from '../../meta/names.ts';
import type { KubeObject } from '../../meta/object-meta.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { validateLabelSelector } from '../rules/label-selector-validation.ts';
import { withoutSelectorValues } from '../rules/lenient-selectors.ts';
import { sameValue } from '../rules/same-value.ts';
import { invalidFor, isMissing, objectsAt } from '../rules/value-validation.ts';

const GROUP = 'rbac.authorization.k8s.io';
const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

export function validateRole(role: KubeObject): FieldErrors {
  return validateRules(role, true);
}

export function validateClusterRole(role: KubeObject): FieldErrors {
  return [...validateRules(role, false), ...validateAggregation(role, false)];
}

/** A selector that was wrong already may stay wrong in its values; but it must select. */
export function validateClusterRoleChange(role: KubeObject, old: KubeObject): FieldErrors {
  const wasWrong = selectorsOf(old).some(
    (selector) => validateLabelSelector('', selector).length > 0,
  );
  return [...validateRules(role, false), ...validateAggregation(role, wasWrong)];
}

function validateAggregation(role: KubeObject, allowsValues: boolean): FieldErrors {
  const field = 'aggregationRule.clusterRoleSelectors';
  if (!isJsonObject(role['aggregationRule'])) return [];
  const selectors = selectorsOf(role);
  const detail = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
  if (selectors.length === 0) return [required(field, detail)];
  return selectors.flatMap((selector, index) => {
    const path = indexPath(field, index);
    const errors = validateLabelSelector(path, selector);
    if (errors.length === 0) return [];
    return [
      ...(allowsValues ? withoutSelectorValues(errors) : errors),
      invalidValue(path, null, 'invalid label selector.'),
    ];
  });
}

function selectorsOf(role: KubeObject): JsonObject[] {
  return objectsAt(objectAt(role, 'aggregationRule'), 'clusterRoleSelectors');
}

export function validateRoleBinding(binding: KubeObject): FieldErrors {
  return [...validateRoleRef(binding, ['Role', 'ClusterRole']), ...validateSubjects(binding, true)];
}

export function validateClusterRoleBinding(binding: KubeObject): FieldErrors {
  return [...validateRoleRef(binding, ['ClusterRole']), ...validateSubjects(binding, false)];
}

/** Who may bind one role must not get another by changing the binding. */
export function validateRoleRefChange(binding: KubeObject, old: KubeObject): FieldErrors {
  const reference = objectAt(binding, 'roleRef');
  if (sameValue(reference, objectAt(old, 'roleRef'))) return [];
  return [invalidValue('roleRef', shownRoleRef(reference ?? {}), 'cannot change roleRef')];
}

/** As Go prints its internal form. */
function shownRoleRef(reference: JsonObject): JsonObject {
  return {
    APIGroup: stringAt(reference, 'apiGroup'),
    Kind: stringAt(reference, 'kind'),
    Name: stringAt(reference, 'name'),
  };
}

function validateRules(role: KubeObject, isNamespaced: boolean): FieldErrors {
  return objectsAt(role, 'rules').flatMap((rule, index) => [
    ...(isMissing(rule['verbs'])
      ? [required(`${indexPath('rules', index)}.verbs`, 'verbs must contain at least one value')]
      : []),
    ...(isMissing(rule['nonResourceURLs'])
      ? validateResourceRule(indexPath('rules', index), rule)
      : validateUrlRule(indexPath('rules', index), rule, isNamespaced)),
  ]);
}

function validateResourceRule(field: string, rule: JsonObject): FieldErrors {
  return [
    ...(isMissing(rule['apiGroups'])
      ? [required(`${field}.apiGroups`, 'resource rules must supply at least one api group')]
      : []),
    ...(isMissing(rule['resources'])
      ? [required(`${field}.resources`, 'resource rules must supply at least one resource')]
      : []),
  ];
}

function validateUrlRule(field: string, rule: JsonObject, isNamespaced: boolean): FieldErrors {
  const urls = rule['nonResourceURLs'];
  const isMixed = ['apiGroups', 'resources', 'resourceNames'].some((key) => !isMissing(rule[key]));
  const mixed = 'rules cannot apply to both regular resources and non-resource URLs';
  return [
    ...(isNamespaced
      ? [
          invalidValue(
            `${field}.nonResourceURLs`,
            urls,
            'namespaced rules cannot apply to non-resource URLs',
          ),
        ]
      : []),
    ...(isMixed ? [invalidValue(`${field}.nonResourceURLs`, urls, mixed)] : []),
  ];
}

function validateRoleRef(binding: KubeObject, kinds: readonly string[]): FieldErrors {
  const reference = objectAt(binding, 'roleRef');
  const group = stringAt(reference, 'apiGroup');
  const kind = stringAt(reference, 'kind');
  const name = stringAt(reference, 'name');
  return [
    ...(group === GROUP ? [] : [notSupported('roleRef.apiGroup', group, [GROUP])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name === ''
      ? [required('roleRef.name')]
      : invalidFor('roleRef.name', name, pathSegmentProblems(name))),
  ];
}

function validateSubjects(binding: KubeObject, isNamespaced: boolean): FieldErrors {
  return objectsAt(binding, 'subjects').flatMap((subject, index) => {
    const path = indexPath('subjects', index);
    const kind = stringAt(subject, 'kind');
    return [
      ...(stringAt(subject, 'name') === '' ? [required(`${path}.name`)] : []),
      ...(SUBJECT_KINDS.includes(kind)
        ? validateSubject(path, subject, isNamespaced)
        : [notSupported(`${path}.kind`, kind, SUBJECT_KINDS)]),
    ];
  });
}

function validateSubject(field: string, subject: JsonObject, isNamespaced: boolean): FieldErrors {
  const group = stringAt(subject, 'apiGroup');
  const name = stringAt(subject, 'name');
  if (subject['kind'] !== 'ServiceAccount') {
    return group === GROUP ? [] : [notSupported(`${field}.apiGroup`, group, [GROUP])];
  }
  const isHomeless = !isNamespaced && stringAt(subject, 'namespace') === '';
  return [
    ...(name === '' ? [] : invalidFor(`${field}.name`, name, dns1123SubdomainProblems(name))),
    ...(group === '' ? [] : [notSupported(`${field}.apiGroup`, group, [''])]),
    ...(isHomeless ? [required(`${field}.namespace`)] : []),
  ];
}
