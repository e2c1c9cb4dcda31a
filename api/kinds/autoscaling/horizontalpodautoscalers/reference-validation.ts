/**
 * References of an autoscaler: to what it scales, and to what it measures.
 *
 * In Kubernetes: ValidateCrossVersionObjectReference, pkg/apis/autoscaling/validation.
 */
import { stringAt, type JsonObject } from '../../../json/json.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { requiredSegment } from '../../rules/text-validation.ts';

/** What may be said of the group: nothing is wrong, nothing may be missing, or it must be there. */
export type GroupRule = 'any' | 'optional' | 'required';

export function validateReference(
  field: string,
  reference: JsonObject,
  rule: GroupRule,
): FieldErrors {
  const apiVersion = stringAt(reference, 'apiVersion');
  const problem = versionProblem(apiVersion, rule);
  return [
    ...requiredSegment(`${field}.kind`, stringAt(reference, 'kind')),
    ...requiredSegment(`${field}.name`, stringAt(reference, 'name')),
    ...(problem === undefined ? [] : [invalidValue(`${field}.apiVersion`, apiVersion, problem)]),
  ];
}

/** undefined when there is none. */
export function versionProblem(apiVersion: string, rule: GroupRule): string | undefined {
  if (rule === 'any') return undefined;
  const slashes = apiVersion.split('/').length - 1;
  if (slashes > 1) return `unexpected GroupVersion string: ${apiVersion}`;
  const isGroupless = slashes === 0 || apiVersion.startsWith('/');
  if (!isGroupless || rule === 'optional') return undefined;
  return 'apiVersion must specify API group';
}
