/** Two plug-ins about networking: the class of an Ingress, and the external addresses of a Service. */
import { isAmong } from '../../../api/json/among.ts';
import { items } from '../../../api/json/go-values.ts';
import { stepFor } from '../kind-steps.ts';
import type { MutatingPlugin, ValidatingPlugin } from '../admission-plugin.ts';
import { followDefaultClass } from './default-class.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { refusedAt } from '../admission-attributes.ts';

const MARK = 'ingressclass.kubernetes.io/is-default-class';

/** In which an ingress named its class before it had a field for it. */
const OLD_CLASS = 'kubernetes.io/ingress.class';

/**
 * An ingress that names no class gets the default one, if there is one.
 *
 * In Kubernetes: plugin/pkg/admission/network/defaultingressclass.
 */
export function defaultIngressClass(world: Pick<AdmissionWorld, 'followed'>): MutatingPlugin {
  const defaultClass = followDefaultClass(
    world,
    'networking.k8s.io/v1/ingressclasses',
    ({ annotations }) => annotations?.[MARK] === 'true',
  );
  return {
    name: 'DefaultIngressClass',
    mutatesAt: stepFor(
      'networking.k8s.io/v1/ingresses',
      ['CREATE'],
      ({ object: { metadata, spec } }) => {
        const { annotations = {} } = metadata;
        if (Object.hasOwn(annotations, OLD_CLASS) || spec.ingressClassName !== undefined) {
          return undefined;
        }
        const name = defaultClass();
        if (name !== undefined) spec.ingressClassName = name;
        return undefined;
      },
    ),
  };
}

/**
 * No client takes an address for a Service that is not the cluster's to give; those that are there
 * stay, and can be taken away.
 *
 * In Kubernetes: plugin/pkg/admission/network/denyserviceexternalips.
 */
export function denyServiceExternalIPs(): ValidatingPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    validatesAt: stepFor('v1/services', ['CREATE', 'UPDATE'], (attributes) => {
      const { object, oldObject } = attributes;
      const old = items(oldObject?.spec.externalIPs);
      const isNew = items(object.spec.externalIPs).some((ip) => !isAmong(old, ip));
      if (!isNew) return undefined;
      return refusedAt(attributes, 'Use of external IPs is denied by admission control');
    }),
  };
}
