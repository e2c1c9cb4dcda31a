/**
 * DefaultIngressClass: an ingress that names no class gets the default one, if there is one.
 *
 * In Kubernetes: plugin/pkg/admission/network/defaultingressclass.
 *
 * DenyServiceExternalIPs: no client takes an address for a Service that is not the cluster's to give;
 * those that are there stay, and can be taken away.
 *
 * In Kubernetes: plugin/pkg/admission/network/denyserviceexternalips.
 */
import type { AdmissionStep, MutatingPlugin, ValidatingPlugin } from '../admission-plugin.ts';
import { followDefaultClass } from './default-class.ts';
import { isItself } from '../places.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { specToFill } from '../../../api/kinds/pod-spec/pod-parts.ts';
import { specOf, stringsAt } from '../../../api/kinds/rules/value-validation.ts';
import { refusedAt } from '../admission-attributes.ts';

const CLASSES = 'networking.k8s.io/ingressclasses';
const INGRESSES = 'networking.k8s.io/ingresses';
const MARK = 'ingressclass.kubernetes.io/is-default-class';
/** In which an ingress named its class before it had a field for it. */
const OLD_CLASS = 'kubernetes.io/ingress.class';

export function defaultIngressClass(world: Pick<AdmissionWorld, 'followed'>): MutatingPlugin {
  const defaultClass = followDefaultClass(
    world,
    CLASSES,
    ({ annotations }) => annotations?.[MARK] === 'true',
  );
  const set: AdmissionStep = ({ object: ingress }) => {
    if (ingress === undefined) return undefined;
    const { annotations = {} } = ingress.metadata;
    const spec = specToFill(ingress);
    if (Object.hasOwn(annotations, OLD_CLASS) || spec['ingressClassName'] !== undefined) {
      return undefined;
    }
    const name = defaultClass();
    if (name !== undefined) spec['ingressClassName'] = name;
    return undefined;
  };
  return {
    name: 'DefaultIngressClass',
    mutatesAt: (place) => (isItself(place, INGRESSES, 'CREATE') ? set : undefined),
  };
}

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
