/**
 * A reference to an object of any kind, by group, kind and name.
 *
 * In Kubernetes: validateIngressTypedLocalObjectReference, pkg/apis/networking/validation.
 */
import type { TypedLocalObjectReference } from '../../generated/kinds/core-v1.ts';
import type { IngressClassParametersReference } from '../../generated/kinds/networking-v1.ts';
import { dns1123SubdomainProblems } from '../../meta/names.ts';
import type { FieldErrors } from '../../field/field-errors.ts';
import { requiredSegment } from '../rules/text-validation.ts';
import { invalidFor, isMissing } from '../rules/value-validation.ts';

export function validateResourceReference(
  field: string,
  reference: IngressClassParametersReference | TypedLocalObjectReference,
): FieldErrors {
  const group = reference.apiGroup ?? '';
  return [
    ...(isMissing(reference.apiGroup)
      ? []
      : invalidFor(`${field}.apiGroup`, group, dns1123SubdomainProblems(group))),
    ...requiredSegment(`${field}.kind`, reference.kind),
    ...requiredSegment(`${field}.name`, reference.name),
  ];
}
