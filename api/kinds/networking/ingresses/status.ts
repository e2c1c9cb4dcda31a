/**
 * The status of an ingress: where the balancer that serves it can be reached.
 *
 * In Kubernetes: ValidateIngressLoadBalancerStatus, pkg/apis/networking/validation.
 */
import { items } from '../../../json/go-values.ts';
import type {
  Ingress,
  IngressLoadBalancerIngress,
} from '../../../generated/kinds/networking-v1.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import type { FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateLegacyIp, validateNoAddress } from '../../rules/ip-validation.ts';
import { ipWarnings } from '../../rules/ip-warnings.ts';
import { invalidFor } from '../../rules/value-validation.ts';

const POINTS = 'status.loadBalancer.ingress';

export function validateIngressStatus(ingress: Ingress, old: Ingress): FieldErrors {
  const oldIps = pointsOf(old).map((point) => point.ip ?? '');
  return pointsOf(ingress).flatMap((point, index) =>
    validatePoint(indexPath(POINTS, index), point, oldIps),
  );
}

export function ingressStatusWarnings(ingress: Ingress): readonly string[] {
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
