/**
 * Pods of many containers where quotas count and a LimitRange adds up what they use, each part of
 * them a thing of its own name: the sums grow with the Pod, and no container may go through them.
 */
import type { JsonObject } from '../../../api/json/json.ts';
import { COUNT, many, type LargeWrite } from './large-write.ts';

const NAMESPACES = '/api/v1/namespaces';
const PLACE = `${NAMESPACES}/counted`;

function written(name: string, url: string, body: JsonObject): LargeWrite {
  const contentType = 'application/json';
  return { name, method: 'POST', url, contentType, body: { apiVersion: 'v1', ...body } };
}

function containers(name: string, more: JsonObject = {}): JsonObject[] {
  return many((at) => {
    const amounts = { cpu: '0', [`example.com/${name}${String(at)}`]: '1' };
    const resources = { requests: amounts, limits: amounts };
    return { name: `${name}${String(at)}`, image: 'a', resources, ...more };
  }, COUNT / 5);
}

function podOf(name: string): JsonObject {
  return {
    kind: 'Pod',
    metadata: { name },
    spec: {
      containers: containers('c'),
      initContainers: containers('s', { restartPolicy: 'Always' }),
    },
  };
}

const STORED_PODS = 3;

/**
 * The quota comes last, so that all Pods are to be counted when it is first asked, and has no room
 * for another one: an answer with the whole Pod would be read here in one turn.
 */
export const COUNTED_PLACE: readonly LargeWrite[] = [
  written('a namespace that is counted', NAMESPACES, {
    kind: 'Namespace',
    metadata: { name: 'counted' },
  }),
  written('a LimitRange of whole Pods', `${PLACE}/limitranges`, {
    kind: 'LimitRange',
    metadata: { name: 'a' },
    spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] },
  }),
  ...many(
    (at) => written('a stored Pod', `${PLACE}/pods`, podOf(`stored${String(at)}`)),
    STORED_PODS,
  ),
  written('a quota', `${PLACE}/resourcequotas`, {
    kind: 'ResourceQuota',
    metadata: { name: 'a' },
    spec: { hard: { pods: String(STORED_PODS), 'requests.cpu': '1' } },
  }),
];

export const COUNTED_PODS: readonly LargeWrite[] = [
  written('a first Pod where many are to be counted', `${PLACE}/pods?dryRun=All`, {
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: {
      containers: [{ name: 'a', image: 'a', resources: { limits: { cpu: '0' } } }],
    },
  }),
  written('a Pod of sidecars that is counted', `${PLACE}/pods`, podOf('a')),
];
