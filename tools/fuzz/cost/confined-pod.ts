/** A large Pod in a namespace whose plug-ins of admission all have to do with each part of it. */
import type { JsonObject } from '../../../api/json/json.ts';
import { many, type LargeWrite } from './large-write.ts';

const NAMESPACES = '/api/v1/namespaces';

function stored(path: string, body: JsonObject): LargeWrite {
  const contentType = 'application/json';
  return { name: path, method: 'POST', url: path, contentType, body };
}

/** What the Pod is confined by. */
export const CONFINING: readonly LargeWrite[] = [
  stored(NAMESPACES, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'confined', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  }),
  stored(`${NAMESPACES}/confined/limitranges`, {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'a' },
    spec: { limits: [{ type: 'Container', default: { cpu: '1' }, max: { cpu: '1' } }] },
  }),
  stored('/apis/node.k8s.io/v1/runtimeclasses', {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'a' },
    handler: 'a',
    scheduling: { tolerations: [{ key: 'a', operator: 'Exists' }] },
  }),
];

/** It gets limits and tolerations, and is refused by PodSecurity. */
export const CONFINED_POD: LargeWrite = {
  ...stored(`${NAMESPACES}/confined/pods?dryRun=All`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: {
      runtimeClassName: 'a',
      tolerations: many((at) => ({ key: `k${String(at)}`, operator: 'Exists' })),
      containers: many((at) => ({ name: `c${String(at)}`, image: 'a' })),
    },
  }),
  name: 'a Pod that is confined',
};
