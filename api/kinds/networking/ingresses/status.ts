/**
 * The status of an ingress: where the balancer that serves it can be reached.
 *
 * In Kubernetes: ValidateIngressLoadBalancerStatus, pkg/apis/networking/validation.
 */
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import type { FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateLegacyIp, validateNoAddress } from '../../rules/ip-validation.ts';
import { ipWarnings } from '../../rules/ip-warnings.ts';
import { invalidFor, objectsAt, statusOf } from '../../rules/value-validation.ts';

const POINTS = 'status.loadBalancer.ingress';

export function validateIngressStatus(ingress: KubeObject, old: KubeObject): FieldErrors {
  const oldIps = pointsOf(old).map((point) => stringAt(point, 'ip'));
  return pointsOf(ingress).flatMap((point, index) =>
    validatePoint(indexPath(POINTS, index), point, oldIps),
  );
}

export function ingressStatusWarnings(ingress: KubeObject): readonly string[] {
  return pointsOf(ingress).flatMap((point, index) =>
    ipWarnings(indexPath(POINTS, index), stringAt(point, 'ip')),
  );
}

function validatePoint(field: string, point: JsonObject, oldIps: readonly string[]): FieldErrors {
  const ip = stringAt(point, 'ip');
  const hostname = stringAt(point, 'hostname');
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

function pointsOf(ingress: KubeObject): JsonObject[] {
  return objectsAt(objectAt(statusOf(ingress), 'loadBalancer'), 'ingress');
}
