/**
 * Addresses from outside: those that lead to a service, and those that may reach it.
 *
 * In Kubernetes: ValidateService, pkg/apis/core/validation.
 */
import { items } from '../../../json/go-values.ts';
import type { Service, ServiceSpec } from '../../../generated/kinds/core-v1.ts';
import { forbiddenField, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath, keyPath } from '../../../field/field-path.ts';
import {
  validateEndpointIp,
  validateLegacyIp,
  validateLegacyIpRange,
} from '../../rules/ip-validation.ts';
import { typeOf } from './service-spec.ts';

const RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'";

export function validateExternalIps(spec: ServiceSpec, oldSpec: ServiceSpec): FieldErrors {
  const old = items(oldSpec.externalIPs);
  return items(spec.externalIPs).flatMap((ip, index) => {
    const path = indexPath('spec.externalIPs', index);
    const errors = validateLegacyIp(path, ip, old);
    return errors.length > 0 ? errors : validateEndpointIp(path, ip);
  });
}

/** The annotation is only looked at where the field says nothing. Blanks around are allowed. */
export function validateSourceRanges(service: Service, old: Service | undefined): FieldErrors {
  const spec = service.spec;
  const field = 'spec.LoadBalancerSourceRanges';
  const ranges = items(spec.loadBalancerSourceRanges).map((range) => range.trim());
  if (ranges.length === 0) return validateAnnotation(service, old);
  const known = old === undefined ? [] : items(old.spec.loadBalancerSourceRanges);
  const oldRanges = known.map((range) => range.trim());
  return [
    ...(typeOf(spec) === 'LoadBalancer' ? [] : [forbiddenField(field, ONLY_BALANCED)]),
    ...ranges.flatMap((range, index) =>
      validateLegacyIpRange(indexPath(field, index), range, oldRanges),
    ),
  ];
}

function validateAnnotation(service: Service, old: Service | undefined): FieldErrors {
  const text = service.metadata.annotations?.[RANGES_ANNOTATION];
  if (text === undefined) return [];
  const field = keyPath('metadata.annotations', RANGES_ANNOTATION);
  const isKept = old?.metadata.annotations?.[RANGES_ANNOTATION] === text;
  const ranges = isKept || text.trim() === '' ? [] : text.trim().split(',');
  return [
    ...(typeOf(service.spec) === 'LoadBalancer' ? [] : [forbiddenField(field, ONLY_BALANCED)]),
    ...ranges.flatMap((range) => validateLegacyIpRange(field, range.trim())),
  ];
}
