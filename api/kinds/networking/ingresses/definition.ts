/**
 * Ingresses: hosts and paths of the world outside, and in the status where the balancer that serves them
 * can be reached.
 *
 * In Kubernetes: registry/networking/ingress; ValidateIngressLoadBalancerStatus,
 * pkg/apis/networking/validation.
 */
import type {
  Ingress,
  IngressLoadBalancerIngress,
} from '../../../generated/kinds/networking-v1.ts';
import { defineKind } from '../../kind.ts';
import { specChanged } from '../../strategy-of.ts';
import { invalidFor, isMissing } from '../../rules/value-validation.ts';
import { validateIngressChange, validateNewIngress } from './validation.ts';
import { items } from '../../../json/go-values.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import type { FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { ipWarnings, validateLegacyIp, validateNoAddress } from '../../rules/ip-validation.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

export const ingresses = defineKind('networking.k8s.io/v1/ingresses', {
  rules: {
    isNewGeneration: specChanged,
    status: {
      initial: () => ({ loadBalancer: {} }),
      validateUpdate: validateIngressStatus,
      warningsOnUpdate: ingressStatusWarnings,
    },
    validate: validateNewIngress,
    validateUpdate: validateIngressChange,
    warningsOnCreate: classWarnings,
  },
});

function classWarnings(ingress: Ingress): readonly string[] {
  const hasAnnotation = Object.hasOwn(ingress.metadata.annotations ?? {}, CLASS_ANNOTATION);
  if (!hasAnnotation || !isMissing(ingress.spec.ingressClassName)) return [];
  return [
    `annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`,
  ];
}

const POINTS = 'status.loadBalancer.ingress';

function validateIngressStatus(ingress: Ingress, old: Ingress): FieldErrors {
  const oldIps = pointsOf(old).map((point) => point.ip ?? '');
  return pointsOf(ingress).flatMap((point, index) =>
    validatePoint(indexPath(POINTS, index), point, oldIps),
  );
}

function ingressStatusWarnings(ingress: Ingress): readonly string[] {
  return pointsOf(ingress).flatMap((point, index) =>
    ipWarnings(indexPath(POINTS, index), point.ip ?? ''),
  );
}

function validatePoint(
  field: string,
  point: IngressLoadBalancerIngress,
  oldIps: readonly string[],
): FieldErrors {
  const ip = point.ip ?? '';
  const hostname = point.hostname ?? '';
  return [
    ...(ip === '' ? [] : validateLegacyIp(`${field}.ip`, ip, oldIps)),
    ...(hostname === ''
      ? []
      : [
          ...invalidFor(`${field}.hostname`, hostname, dns1123SubdomainProblems(hostname)),
          ...validateNoAddress(`${field}.hostname`, hostname),
        ]),
  ];
}

function pointsOf(ingress: Ingress): IngressLoadBalancerIngress[] {
  return items(ingress.status.loadBalancer.ingress);
}
