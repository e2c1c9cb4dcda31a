/**
 * A reference to an object of any kind, by group, kind and name.
 *
 * In Kubernetes: validateIngressTypedLocalObjectReference, pkg/apis/networking/validation.
 */
import { stringAt, type JsonObject } from '../../json/json.ts';
import { dns1123SubdomainProblems } from '../../meta/names.ts';
import type { FieldErrors } from '../../field/field-errors.ts';
import { requiredSegment } from '../rules/text-validation.ts';
import { invalidFor, isMissing } from '../rules/value-validation.ts';

export function validateResourceReference(field: string, reference: JsonObject): FieldErrors {
  const group = stringAt(reference, 'apiGroup');
  return [
    ...(isMissing(reference['apiGroup'])
      ? []
      : invalidFor(`${field}.apiGroup`, group, dns1123SubdomainProblems(group))),
    ...requiredSegment(`${field}.kind`, stringAt(reference, 'kind')),
    ...requiredSegment(`${field}.name`, stringAt(reference, 'name')),
  ];
}
