/**
 * What of a service cannot change once it was handed out: its first address and family, the class
 * of its load balancer, its health check's port.
 *
 * In Kubernetes: ValidateServiceUpdate, pkg/apis/core/validation.
 */
import { items } from '../../../json/go-values.ts';
import type { Service, ServiceSpec } from '../../../generated/kinds/core-v1.ts';
import { type FieldErrors, forbiddenField, invalidValue } from '../../../field/field-errors.ts';
import { sameValue } from '../../rules/same-value.ts';
import { isHeadless, needsHealthCheckPort, typeOf } from './service-spec.ts';
import { validateService } from './validation.ts';

const FIXED = 'may not change once set';

export function validateServiceChange(service: Service, old: Service): FieldErrors {
  const spec = service.spec;
  const oldSpec = old.spec;
  return [
    ...validateHandedOut(spec, oldSpec),
    ...validateClassChange(spec, oldSpec),
    ...validateHealthCheckChange(spec, oldSpec),
    ...validateService(service, old),
  ];
}

/** Services that are mere names, before or after, have nothing to lose. */
function validateHandedOut(spec: ServiceSpec, oldSpec: ServiceSpec): FieldErrors {
  if (typeOf(spec) === 'ExternalName' || typeOf(oldSpec) === 'ExternalName') return [];
  const isAnyHeadless = isHeadless(spec) || isHeadless(oldSpec);
  const isBothHeadless = isHeadless(spec) && isHeadless(oldSpec);
  return [
    ...(isBothHeadless
      ? []
      : validateFirstStays(spec, oldSpec, { key: 'clusterIPs', word: 'clusterIP' })),
    ...(isAnyHeadless
      ? []
      : validateFirstStays(spec, oldSpec, { key: 'ipFamilies', word: 'ipFamily' })),
  ];
}

interface HandedOutList {
  readonly key: 'clusterIPs' | 'ipFamilies';
  /** One of the list. */
  readonly word: string;
}

/** The second of two may come and go, the first may not. */
function validateFirstStays(
  spec: ServiceSpec,
  oldSpec: ServiceSpec,
  { key, word }: HandedOutList,
): FieldErrors {
  const field = `spec.${key}`;
  const values = items(spec[key]);
  const oldValues = items(oldSpec[key]);
  if (values.length === oldValues.length) {
    const changed = oldValues.flatMap((old, index) => (old === values[index] ? [] : [index]));
    return changed.map((index) =>
      invalidValue(`${field}[${String(key === 'ipFamilies' ? 0 : index)}]`, values, FIXED),
    );
  }
  // Upstream looks at the addresses here even when it speaks of the families.
  const ips = items(spec.clusterIPs);
  const isShorter = values.length < oldValues.length;
  const isFirstChanged = oldValues.length > 0 && values.length > 0 && values[0] !== oldValues[0];
  const isReleased = isShorter && values.length === 1 && spec.ipFamilyPolicy !== 'SingleStack';
  const policy = spec.ipFamilyPolicy ?? null;
  const releasing = `must be set to 'SingleStack' when releasing the secondary ${word}`;
  return [
    ...(isShorter && ips.length === 0
      ? [invalidValue(`${field}[0]`, null, `primary ${word} can not be unset`)]
      : []),
    ...(isFirstChanged ? [invalidValue(`${field}[0]`, ips, FIXED)] : []),
    ...(isReleased ? [invalidValue('spec.ipFamilyPolicy', policy, releasing)] : []),
  ];
}

function validateClassChange(spec: ServiceSpec, oldSpec: ServiceSpec): FieldErrors {
  const isBothBalanced = typeOf(spec) === 'LoadBalancer' && typeOf(oldSpec) === 'LoadBalancer';
  const value = spec.loadBalancerClass;
  if (!isBothBalanced || sameValue(value, oldSpec.loadBalancerClass)) return [];
  return [invalidValue('spec.loadBalancerClass', value, FIXED)];
}

function validateHealthCheckChange(spec: ServiceSpec, oldSpec: ServiceSpec): FieldErrors {
  const key = 'healthCheckNodePort';
  const isBoth = needsHealthCheckPort(spec) && needsHealthCheckPort(oldSpec);
  if (!isBoth || sameValue(spec[key] ?? 0, oldSpec[key] ?? 0)) return [];
  return [forbiddenField(`spec.${key}`, 'field is immutable')];
}
