/**
 * What every namespace has from the beginning: the service account that pods run as, and the
 * authority with which they know the server.
 *
 * In Kubernetes: the serviceaccount and root-ca-certificate-publisher controllers,
 * kubernetes/pkg/controller.
 */
import { storedKind } from '../../../projections/objects/stored-kinds.ts';
import type { EnsuredObject } from './ensured-objects.ts';

/** Each namespace gets a ServiceAccount `default`; one that is there is left as it is. */
export const defaultServiceAccount: EnsuredObject = {
  controller: 'service-accounts',
  storage: 'core/serviceaccounts',
  name: 'default',
  make: () => ({ kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'default' } }),
};

const readConfigMap = storedKind('v1/configmaps');
const CA_MAP = 'kube-root-ca.crt';
const DESCRIPTION = 'kubernetes.io/description';
const CA_DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal ' +
  'endpoints such as the internal service IP or kubernetes.default.svc. No other usage is ' +
  'guaranteed across distributions of Kubernetes clusters.';

/** @param certificate the authority's, PEM. */
export function rootAuthority(certificate: string): EnsuredObject {
  const data = { 'ca.crt': certificate };
  const annotations = { [DESCRIPTION]: CA_DESCRIPTION };
  return {
    controller: 'root-authority',
    storage: 'core/configmaps',
    name: CA_MAP,
    make: () => ({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: CA_MAP, annotations },
      data,
    }),
    mend(stored) {
      const { metadata, data: held = {} } = readConfigMap(stored);
      const isRight = Object.keys(held).length === 1 && held['ca.crt'] === certificate;
      const isDescribed = metadata.annotations?.[DESCRIPTION] !== undefined;
      if (isRight && isDescribed) return undefined;
      const others = Object.keys(held).map((key) => [key, null] as const);
      return { metadata: { annotations }, data: { ...Object.fromEntries(others), ...data } };
    },
  };
}
