/**
 * DenyServiceExternalIPs: no client takes an address for a Service that is not the cluster's to give;
 * those that are there stay, and can be taken away.
 *
 * In Kubernetes: plugin/pkg/admission/network/denyserviceexternalips.
 */
import { specOf, stringsAt } from '../../../../api/kinds/rules/value-validation.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import { isItself } from '../../places.ts';

export function denyServiceExternalIPs(): ValidatingPlugin {
  const validate: AdmissionStep = (attributes) => {
    const { object, oldObject } = attributes;
    if (object === undefined) return undefined;
    const old = oldObject === undefined ? [] : stringsAt(specOf(oldObject), 'externalIPs');
    const isNew = stringsAt(specOf(object), 'externalIPs').some((ip) => !old.includes(ip));
    if (!isNew) return undefined;
    return refusedAt(attributes, 'Use of external IPs is denied by admission control');
  };
  return {
    name: 'DenyServiceExternalIPs',
    validatesAt: (place) =>
      isItself(place, 'core/services', 'CREATE', 'UPDATE') ? validate : undefined,
  };
}
