/**
 * What policies look at, with which parameters, and under which conditions.
 *
 * In Kubernetes: validateMatchResources and its neighbours,
 * pkg/apis/admissionregistration/validation.
 */
import type {
  ValidatingAdmissionPolicyBindingSpec,
  MutatingAdmissionPolicyBindingSpec,
  MatchResources,
  ParamRef,
} from '../../generated/kinds/admissionregistration-v1.ts';
import { isJsonObject, stringAt, type JsonObject } from '../../json/json.ts';
import {
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  pathSegmentProblems,
} from '../../meta/names.ts';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { validateLabelSelector } from '../rules/label-selector-validation.ts';
import { invalidFor, isMissing, objectsAt } from '../rules/value-validation.ts';
import { validateNamedRule } from './rule-validation.ts';

const MATCH_POLICIES = ['Equivalent', 'Exact'];
const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];
const EXCLUSIVE = 'name and selector are mutually exclusive';

export function validateMatchResources(field: string, match: MatchResources): FieldErrors {
  const policy = match.matchPolicy ?? '';
  return [
    ...(isMissing(match.matchPolicy) ? [required(`${field}.matchPolicy`)] : []),
    ...(isMissing(match.matchPolicy) || MATCH_POLICIES.includes(policy)
      ? []
      : [notSupported(`${field}.matchPolicy`, policy, MATCH_POLICIES)]),
    ...(['namespaceSelector', 'objectSelector'] as const).flatMap((key) =>
      isJsonObject(match[key])
        ? validateLabelSelector(`${field}.${key}`, match[key])
        : [required(`${field}.${key}`)],
    ),
    ...['resourceRules', 'excludeResourceRules'].flatMap((key) =>
      objectsAt(match, key).flatMap((rule, index) =>
        validateNamedRule(indexPath(`${field}.${key}`, index), rule),
      ),
    ),
  ];
}

export function validateParamKind(field: string, paramKind: JsonObject): FieldErrors {
  const kind = stringAt(paramKind, 'kind');
  const problems = dns1035LabelProblems(kind.toLowerCase());
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [
    ...validateApiVersion(`${field}.apiVersion`, stringAt(paramKind, 'apiVersion')),
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
  const name = spec.policyName ?? '';
  const reference = spec.paramRef;
  const match = spec.matchResources;
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
  const hasSelector = isJsonObject(reference.selector);
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
