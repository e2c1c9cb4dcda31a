/**
 * What policies of both sorts have: when they apply, with what, and what happens when they fail.
 *
 * In Kubernetes: pkg/apis/admissionregistration/validation.
 */
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../json/json.ts';
import { notSupported, required, type FieldErrors } from '../../field/field-errors.ts';
import { sameValue } from '../rules/same-value.ts';
import { isMissing, objectsAt } from '../rules/value-validation.ts';
import { validateMatchConditions } from './expression-validation.ts';
import { validateMatchResources, validateParamKind } from './match-validation.ts';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH = 'spec.matchConstraints';

/** Conditions that do not change are not looked at again. `old` is undefined on create. */
export function validatePolicyConditions(
  spec: JsonObject,
  old: JsonObject | undefined,
): FieldErrors {
  const isSame =
    old !== undefined &&
    sameValue(spec['paramKind'], old['paramKind']) &&
    sameValue(spec['matchConditions'], old['matchConditions']);
  if (isSame) return [];
  return validateMatchConditions(
    'spec.matchConditions',
    objectsAt(spec, 'matchConditions'),
    hasParams(spec),
  );
}

/** Failure policy, parameters and what the policy looks at, in this order. */
export function validatePolicyHead(
  spec: JsonObject,
  validateMatch: (field: string, match: JsonObject) => FieldErrors = () => [],
): FieldErrors {
  const policy = stringAt(spec, 'failurePolicy');
  const paramKind = objectAt(spec, 'paramKind');
  const match = objectAt(spec, 'matchConstraints');
  return [
    ...(isMissing(spec['failurePolicy']) ? [required('spec.failurePolicy')] : []),
    ...(isMissing(spec['failurePolicy']) || FAILURE_POLICIES.includes(policy)
      ? []
      : [notSupported('spec.failurePolicy', policy, FAILURE_POLICIES)]),
    ...(paramKind === undefined ? [] : validateParamKind('spec.paramKind', paramKind)),
    ...(match === undefined
      ? [required(MATCH)]
      : [
          ...validateMatchResources(MATCH, match),
          ...(isMissing(match['resourceRules']) ? [required(`${MATCH}.resourceRules`)] : []),
          ...validateMatch(MATCH, match),
        ]),
  ];
}

/** Whether the policy has parameters, of which its expressions can speak. */
export function hasParams(spec: JsonObject): boolean {
  return isJsonObject(spec['paramKind']);
}
