/** What roles and bindings may say. In Kubernetes: pkg/apis/rbac/validation. */
import type { LabelSelector } from '../../generated/kinds/meta-v1.ts';
import { items } from '../../json/go-values.ts';
import type {
  Role,
  ClusterRole,
  RoleBinding,
  ClusterRoleBinding,
  RoleRef,
  PolicyRule,
  Subject,
} from '../../generated/kinds/rbac-v1.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { dns1123SubdomainProblems, pathSegmentProblems } from '../../meta/names.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import {
  validateLabelSelector,
  withoutSelectorValues,
} from '../rules/label-selector-validation.ts';
import { sameValue } from '../rules/same-value.ts';
import { invalidFor, isMissing } from '../rules/value-validation.ts';

const GROUP = 'rbac.authorization.k8s.io';
const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

export function validateRole(role: Role): FieldErrors {
  return validateRules(role, true);
}

export function validateClusterRole(role: ClusterRole): FieldErrors {
  return [...validateRules(role, false), ...validateAggregation(role, false)];
}

/** A selector that was wrong already may stay wrong in its values; but it must select. */
export function validateClusterRoleChange(role: ClusterRole, old: ClusterRole): FieldErrors {
  const wasWrong = selectorsOf(old).some(
    (selector) => validateLabelSelector('', selector).length > 0,
  );
  return [...validateRules(role, false), ...validateAggregation(role, wasWrong)];
}

function validateAggregation(role: ClusterRole, allowsValues: boolean): FieldErrors {
  const field = 'aggregationRule.clusterRoleSelectors';
  if (!isJsonObject(role.aggregationRule)) return [];
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

function selectorsOf(role: ClusterRole): LabelSelector[] {
  return items(role.aggregationRule?.clusterRoleSelectors);
}

export function validateRoleBinding(binding: RoleBinding): FieldErrors {
  return [...validateRoleRef(binding, ['Role', 'ClusterRole']), ...validateSubjects(binding, true)];
}

export function validateClusterRoleBinding(binding: ClusterRoleBinding): FieldErrors {
  return [...validateRoleRef(binding, ['ClusterRole']), ...validateSubjects(binding, false)];
}

/** The right to bind one role must not give another by a change of the binding. */
export function validateRoleRefChange(
  binding: RoleBinding | ClusterRoleBinding,
  old: RoleBinding | ClusterRoleBinding,
): FieldErrors {
  const reference = binding.roleRef;
  if (sameValue(reference, old.roleRef)) return [];
  return [invalidValue('roleRef', shownRoleRef(reference), 'cannot change roleRef')];
}

/** As Go prints its internal form. */
function shownRoleRef(reference: RoleRef): JsonObject {
  return {
    APIGroup: reference.apiGroup,
    Kind: reference.kind,
    Name: reference.name,
  };
}

function validateRules(role: Role | ClusterRole, isNamespaced: boolean): FieldErrors {
  return items(role.rules).flatMap((rule, index) => [
    ...(isMissing(rule.verbs)
      ? [required(`${indexPath('rules', index)}.verbs`, 'verbs must contain at least one value')]
      : []),
    ...(isMissing(rule.nonResourceURLs)
      ? validateResourceRule(indexPath('rules', index), rule)
      : validateUrlRule(indexPath('rules', index), rule, isNamespaced)),
  ]);
}

function validateResourceRule(field: string, rule: PolicyRule): FieldErrors {
  return [
    ...(isMissing(rule.apiGroups)
      ? [required(`${field}.apiGroups`, 'resource rules must supply at least one api group')]
      : []),
    ...(isMissing(rule.resources)
      ? [required(`${field}.resources`, 'resource rules must supply at least one resource')]
      : []),
  ];
}

function validateUrlRule(field: string, rule: PolicyRule, isNamespaced: boolean): FieldErrors {
  const urls = rule.nonResourceURLs;
  const isMixed = (['apiGroups', 'resources', 'resourceNames'] as const).some(
    (key) => !isMissing(rule[key]),
  );
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

function validateRoleRef(
  binding: RoleBinding | ClusterRoleBinding,
  kinds: readonly string[],
): FieldErrors {
  const reference = binding.roleRef;
  const group = reference.apiGroup;
  const kind = reference.kind;
  const name = reference.name;
  return [
    ...(group === GROUP ? [] : [notSupported('roleRef.apiGroup', group, [GROUP])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name === ''
      ? [required('roleRef.name')]
      : invalidFor('roleRef.name', name, pathSegmentProblems(name))),
  ];
}

function validateSubjects(
  binding: RoleBinding | ClusterRoleBinding,
  isNamespaced: boolean,
): FieldErrors {
  return items(binding.subjects).flatMap((subject, index) => {
    const path = indexPath('subjects', index);
    const kind = subject.kind;
    return [
      ...(subject.name === '' ? [required(`${path}.name`)] : []),
      ...(SUBJECT_KINDS.includes(kind)
        ? validateSubject(path, subject, isNamespaced)
        : [notSupported(`${path}.kind`, kind, SUBJECT_KINDS)]),
    ];
  });
}

function validateSubject(field: string, subject: Subject, isNamespaced: boolean): FieldErrors {
  const group = subject.apiGroup ?? '';
  const name = subject.name;
  if (subject.kind !== 'ServiceAccount') {
    return group === GROUP ? [] : [notSupported(`${field}.apiGroup`, group, [GROUP])];
  }
  const isHomeless = !isNamespaced && (subject.namespace ?? '') === '';
  return [
    ...(name === '' ? [] : invalidFor(`${field}.name`, name, dns1123SubdomainProblems(name))),
    ...(group === '' ? [] : [notSupported(`${field}.apiGroup`, group, [''])]),
    ...(isHomeless ? [required(`${field}.namespace`)] : []),
  ];
}
