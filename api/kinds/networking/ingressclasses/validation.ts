/** What an ingress class may say. In Kubernetes: ValidateIngressClass. */
import type {
  IngressClass,
  IngressClassParametersReference,
} from '../../../generated/kinds/networking-v1.ts';
import { dns1123LabelProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  notSupported,
  required,
  tooLong,
} from '../../../field/field-errors.ts';
import { validateDomainPrefixedPath } from '../../rules/text-validation.ts';
import { immutable, invalidFor, isMissing } from '../../rules/value-validation.ts';
import { validateResourceReference } from '../resource-reference.ts';

const CONTROLLER_BYTES_MAX = 250;
const PARAMETERS = 'spec.parameters';
const SCOPES = ['Cluster', 'Namespace'];

/** ValidateIngressClass: the name of the controller, and what the parameters refer to. */
export function validateIngressClass(ingressClass: IngressClass): FieldErrors {
  const spec = ingressClass.spec;
  const controller = spec.controller ?? '';
  const parameters = spec.parameters;
  return [
    ...(Buffer.byteLength(controller) > CONTROLLER_BYTES_MAX
      ? [tooLong('spec.controller', CONTROLLER_BYTES_MAX)]
      : []),
    ...validateDomainPrefixedPath('spec.controller', controller),
    ...(parameters === undefined
      ? []
      : [...validateResourceReference(PARAMETERS, parameters), ...validateScope(parameters)]),
  ];
}

/** Upstream looks at what changed before it looks at the whole. */
export function validateIngressClassChange(
  ingressClass: IngressClass,
  old: IngressClass,
): FieldErrors {
  const controller = ingressClass.spec.controller ?? '';
  return [
    ...immutable('spec.controller', controller, old.spec.controller ?? ''),
    ...validateIngressClass(ingressClass),
  ];
}

function validateScope(parameters: IngressClassParametersReference): FieldErrors {
  const scope = parameters.scope ?? '';
  const field = `${PARAMETERS}.namespace`;
  const namespace = parameters.namespace ?? '';
  const isSet = !isMissing(parameters.namespace);
  if (isMissing(parameters.scope)) return [required(`${PARAMETERS}.scope`)];
  switch (scope) {
    case 'Namespace':
      return isSet
        ? invalidFor(field, namespace, dns1123LabelProblems(namespace))
        : [required(field, "`parameters.scope` is set to 'Namespace'")];
    case 'Cluster':
      return isSet ? [forbiddenField(field, "`parameters.scope` is set to 'Cluster'")] : [];
    default:
      return [notSupported(`${PARAMETERS}.scope`, scope, SCOPES)];
  }
}
