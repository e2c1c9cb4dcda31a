/**
 * What policies of both sorts and their bindings have: when they apply, with which parameters, and
 * what happens when they fail.
 *
 * In Kubernetes: validateMatchResources and its neighbours,
 * pkg/apis/admissionregistration/validation.
 */
import { flatMapItems } from '../../json/work-in-slices.ts';
import { validateNamedRule } from './rule-validation.ts';
import { validateLabelSelector } from '../rules/label-selector-validation.ts';
import { indexPath } from '../../field/field-path.ts';
import {
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  pathSegmentProblems,
} from '../../meta/names.ts';
import { items } from '../../json/go-values.ts';
import type {
  MatchResources,
  MutatingAdmissionPolicyBindingSpec,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../../generated/kinds/admissionregistration-v1.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../field/field-errors.ts';
import { sameValue } from '../rules/same-value.ts';
import { invalidFor } from '../rules/value-validation.ts';
import { validateMatchConditions } from './expression-validation.ts';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH = 'spec.matchConstraints';
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];
const EXCLUSIVE = 'name and selector are mutually exclusive';

/** What policies of both sorts say alike. */
type PolicySpec = Pick<
  ValidatingAdmissionPolicySpec,
  'failurePolicy' | 'matchConditions' | 'matchConstraints' | 'paramKind'
>;

/** Conditions that do not change are not looked at again. `old` is undefined on create. */
export function validatePolicyConditions(
  spec: PolicySpec,
  old: PolicySpec | undefined,
): FieldErrors {
  const isSame =
    old !== undefined &&
    sameValue(spec.paramKind, old.paramKind) &&
    sameValue(spec.matchConditions, old.matchConditions);
  if (isSame) return [];
  return validateMatchConditions(
    'spec.matchConditions',
    items(spec.matchConditions),
    hasParams(spec),
  );
}

/** Failure policy, parameters and what the policy looks at, in this order. */
export function validatePolicyHead(
  { failurePolicy: policy, paramKind, matchConstraints: match }: PolicySpec,
  validateMatch: (field: string, match: MatchResources) => FieldErrors = () => [],
): FieldErrors {
  return [
    ...(policy === undefined ? [required('spec.failurePolicy')] : []),
    ...(policy === undefined || FAILURE_POLICIES.includes(policy)
      ? []
      : [notSupported('spec.failurePolicy', policy, FAILURE_POLICIES)]),
    ...(paramKind === undefined ? [] : validateParamKind('spec.paramKind', paramKind)),
    ...(match === undefined
      ? [required(MATCH)]
      : [
          ...validateMatchResources(MATCH, match),
          ...(items(match.resourceRules).length === 0 ? [required(`${MATCH}.resourceRules`)] : []),
          ...validateMatch(MATCH, match),
        ]),
  ];
}

/** Whether the policy has parameters, of which its expressions can speak. */
export function hasParams({ paramKind }: PolicySpec): boolean {
  return paramKind !== undefined;
}

function validateMatchResources(field: string, match: MatchResources): FieldErrors {
  const { matchPolicy: policy } = match;
  return [
    ...(policy === undefined ? [required(`${field}.matchPolicy`)] : []),
    ...(policy === undefined || MATCH_POLICIES.includes(policy)
      ? []
      : [notSupported(`${field}.matchPolicy`, policy, MATCH_POLICIES)]),
    ...(['namespaceSelector', 'objectSelector'] as const).flatMap((key) =>
      match[key] === undefined
        ? [required(`${field}.${key}`)]
        : validateLabelSelector(`${field}.${key}`, match[key]),
    ),
    ...(['resourceRules', 'excludeResourceRules'] as const).flatMap((key) =>
      flatMapItems(items(match[key]), (rule, index) =>
        validateNamedRule(indexPath(`${field}.${key}`, index), rule),
      ),
    ),
  ];
}

function validateParamKind(field: string, { apiVersion = '', kind = '' }: ParamKind): FieldErrors {
  const problems = dns1035LabelProblems(kind.toLowerCase());
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [
    ...validateApiVersion(`${field}.apiVersion`, apiVersion),
    ...(kind === '' ? [required(`${field}.kind`)] : []),
    ...(kind !== '' && problems.length > 0 ? [invalidValue(`${field}.kind`, kind, detail)] : []),
  ];
}

function validateApiVersion(field: string, apiVersion: string): FieldErrors {
  if (apiVersion === '') return [required(field)];
  const parts = apiVersion === '/' ? [''] : apiVersion.split('/');
  if (parts.length > 2) {
    return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  }
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  const groupProblems = group === '' ? [] : dns1123SubdomainProblems(group);
  const versionProblems = version === '' ? [] : dns1035LabelProblems(version);
  return [
    ...(groupProblems.length > 0 ? [invalidValue(field, group, groupProblems.join(','))] : []),
    ...(version === '' ? [invalidValue(field, apiVersion, 'version must be specified')] : []),
    ...(versionProblems.length > 0
      ? [invalidValue(field, version, versionProblems.join(','))]
      : []),
  ];
}

/** The part that bindings of both sorts of policies have. */
export function validateBinding(
  spec: ValidatingAdmissionPolicyBindingSpec | MutatingAdmissionPolicyBindingSpec,
): FieldErrors {
  const { policyName: name = '', paramRef: reference, matchResources: match } = spec;
  return [
    ...(name === ''
      ? [required('spec.policyName')]
      : invalidFor('spec.policyName', name, dns1123SubdomainProblems(name))),
    ...(reference === undefined ? [] : validateParamRef('spec.paramRef', reference)),
    ...(match === undefined ? [] : validateMatchResources('spec.matchResources', match)),
  ];
}

function validateParamRef(field: string, reference: ParamRef): FieldErrors {
  const name = reference.name ?? '';
  const action = reference.parameterNotFoundAction ?? '';
  const hasSelector = reference.selector !== undefined;
  const isBoth = name !== '' && hasSelector;
  const nothing = 'one of name or selector must be specified';
  return [
    ...invalidFor(`${field}.name`, name, pathSegmentProblems(name)),
    ...(isBoth ? [forbiddenField(`${field}.name`, EXCLUSIVE)] : []),
    ...validateLabelSelector(`${field}.selector`, reference.selector),
    ...(isBoth ? [forbiddenField(`${field}.selector`, EXCLUSIVE)] : []),
    ...(name === '' && !hasSelector ? [required(field, nothing)] : []),
    ...(action === '' ? [required(`${field}.parameterNotFoundAction`)] : []),
    ...(action === '' || NOT_FOUND_ACTIONS.includes(action)
      ? []
      : [notSupported(`${field}.parameterNotFoundAction`, action, NOT_FOUND_ACTIONS)]),
  ];
}
