/** Stories about nodes that fail, are tainted or drained, and about the pods on them. */
import { expect } from 'vitest';

import { at, type JsonObject, type JsonValue, listAt, textAt } from '../support/json.ts';
import { type Cluster, hasCondition } from './cluster.ts';
import {
  isDeleted,
  isRunning,
  itemsOf,
  nameOf,
  objectOf,
  only,
  pathOf,
  podObject,
  podsSeen,
  reservedFor,
  type Stories,
  WAIT,
  workload,
} from './objects.ts';

const UNREACHABLE = 'node.kubernetes.io/unreachable';
const NOT_READY = 'node.kubernetes.io/not-ready';

/** As a kubelet says it once; without KWOK no heartbeat follows. */
async function onceReady({ client }: Cluster, node: string): Promise<void> {
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' };
  const condition = { ...ready, lastHeartbeatTime: now, lastTransitionTime: now };
  const status = { conditions: [condition] };
  await client().patch(`/api/v1/nodes/${node}/status`, { status }, 'strategic-merge-patch');
}

function hasTaint(node: JsonValue, key: string, effect: string): boolean {
  return listAt(node, 'spec', 'taints').some(
    (taint) => at(taint, 'key') === key && at(taint, 'effect') === effect,
  );
}

function nodeOf(pod: JsonValue | undefined): string {
  return textAt(pod, 'spec', 'nodeName');
}

function tolerating(story: string, ...more: JsonObject[]): JsonObject {
  const { nodeSelector, tolerations } = only(story);
  return {
    nodeSelector,
    tolerations: [...(Array.isArray(tolerations) ? tolerations : []), ...more],
  };
}

async function budget(cluster: Cluster, namespace: string, minAvailable: number): Promise<string> {
  const selector = { matchLabels: { app: 'web' } };
  const object = objectOf('policy/v1', 'PodDisruptionBudget', 'web', {
    spec: { minAvailable, selector },
  });
  await cluster.create(namespace, object);
  const path = pathOf('policy/v1', namespace, 'poddisruptionbudgets/web');
  await cluster.seen(
    path,
    'its pods are healthy',
    (it) => at(it, 'status', 'currentHealthy') === 2,
  );
  return path;
}

export const NODES: Stories = {
  'a node without heartbeats is given up, and its pods begin elsewhere': async (cluster) => {
    const ns = await cluster.namespace('node-dies');
    const { labels, taints } = reservedFor('node-dies');
    await cluster.node('dies', { labels: { ...labels, first: 'true' }, taints, isManaged: false });
    await onceReady(cluster, 'dies');
    const first = { key: 'first', operator: 'Exists' };
    const preference = { weight: 100, preference: { matchExpressions: [first] } };
    const spec = {
      ...tolerating('node-dies', {
        key: UNREACHABLE,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 0,
      }),
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preference] } },
    };
    await cluster.seen(
      '/api/v1/nodes/dies',
      'it takes pods',
      (it) => !hasTaint(it, NOT_READY, 'NoSchedule'),
    );
    await cluster.create(ns, workload('Deployment', 'web', { pod: { spec } }));
    const [stuck] = await podsSeen(cluster, ns, 'its pod is bound to the node', (pods) =>
      pods.some((pod) => nodeOf(pod) === 'dies'),
    );
    await cluster.node('spare', reservedFor('node-dies'));
    await cluster.seen(
      '/api/v1/nodes/dies',
      'it is given up',
      (it) =>
        hasCondition(it, 'Ready', 'Unknown', 'NodeStatusUnknown') &&
        hasTaint(it, UNREACHABLE, 'NoExecute'),
    );
    await podsSeen(
      cluster,
      ns,
      'the pod is deleted, and another runs on the spare node',
      (pods) =>
        pods.some((pod) => nameOf(pod) === nameOf(stuck ?? null) && isDeleted(pod)) &&
        pods.some((pod) => nodeOf(pod) === 'spare' && isRunning(pod)),
    );
    // Without a kubelet the pod stays until an administrator says that the node is off.
    await cluster.kubectl('taint node dies node.kubernetes.io/out-of-service=off:NoExecute');
    await podsSeen(cluster, ns, 'the pod is collected', (pods) => pods.length === 1);
  },

  'a node that says it is not ready is tainted until it is ready again': async (cluster) => {
    await cluster.node('falls-ill', reservedFor('falls-ill'));
    const path = '/api/v1/nodes/falls-ill';
    await cluster.seen(path, 'it is ready', (it) => hasCondition(it, 'Ready', 'True'));
    await cluster.kubectl('label node falls-ill node-not-ready.stage.kwok.x-k8s.io=true');
    await cluster.seen(
      path,
      'it is tainted',
      (it) => hasCondition(it, 'Ready', 'False') && hasTaint(it, NOT_READY, 'NoExecute'),
    );
    await cluster.kubectl('label node falls-ill node-not-ready.stage.kwok.x-k8s.io-');
    await cluster.seen(
      path,
      'it is as before',
      (it) => hasCondition(it, 'Ready', 'True') && listAt(it, 'spec', 'taints').length === 1,
    );
  },

  'a taint evicts the pods that do not tolerate it, later those that do for a second': async (
    cluster,
  ) => {
    const ns = await cluster.namespace('tainted');
    await cluster.node('tainted', reservedFor('tainted'));
    const toleration = { key: 'closing', operator: 'Exists', effect: 'NoExecute' };
    await cluster.create(
      ns,
      podObject('plain', { spec: tolerating('tainted') }),
      podObject('brief', { spec: tolerating('tainted', { ...toleration, tolerationSeconds: 1 }) }),
      podObject('staying', { spec: tolerating('tainted', toleration) }),
    );
    await podsSeen(cluster, ns, 'three pods run', (pods) => pods.every(isRunning));
    await cluster.kubectl('taint node tainted closing=now:NoExecute');
    const left = await podsSeen(cluster, ns, 'one is left', (pods) => pods.length === 1);
    expect(left.map(nameOf)).toEqual(['staying']);
    expect(left.every(isRunning)).toBe(true);
  },

  'a drain waits for the disruption budget of the pods, and goes on when there are enough': async (
    cluster,
  ) => {
    const { kubectl } = cluster;
    const ns = await cluster.namespace('drained');
    for (const name of ['drained-1', 'drained-2']) await cluster.node(name, reservedFor('drained'));
    const term = {
      labelSelector: { matchLabels: { app: 'web' } },
      topologyKey: 'kubernetes.io/hostname',
    };
    const podAntiAffinity = {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }],
    };
    const spec = { ...only('drained'), affinity: { podAntiAffinity } };
    await cluster.create(
      ns,
      workload('Deployment', 'web', { spec: { replicas: 2 }, pod: { spec } }),
    );
    await kubectl(`rollout status deployment/web -n ${ns} ${WAIT}`);
    await budget(cluster, ns, 2);
    const drain = 'drain drained-1 --ignore-daemonsets';
    const refused = await kubectl.attempt(`${drain} --timeout=1s`);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      "Cannot evict pod as it would violate the pod's disruption budget.",
    );
    const { body: node } = await cluster.client().get('/api/v1/nodes/drained-1');
    expect(at(node, 'spec', 'unschedulable')).toBe(true);
    await kubectl(`scale deployment/web --replicas=3 -n ${ns}`);
    await kubectl(`${drain} ${WAIT}`);
    const pods = await podsSeen(
      cluster,
      ns,
      'three run',
      (all) => all.length === 3 && all.every(isRunning),
    );
    expect(new Set(pods.map(nodeOf))).toEqual(new Set(['drained-2']));
    await kubectl('uncordon drained-1');
  },

  'an eviction is refused while the budget allows none, and done when it allows one': async (
    cluster,
  ) => {
    const ns = await cluster.namespace('evicted');
    await cluster.create(ns, workload('Deployment', 'web', { spec: { replicas: 2 } }));
    await cluster.kubectl(`rollout status deployment/web -n ${ns} ${WAIT}`);
    const path = await budget(cluster, ns, 2);
    const [pod] = await podsSeen(cluster, ns, 'two run', (all) => all.every(isRunning));
    const name = textAt(pod, 'metadata', 'name');
    const evict = () =>
      cluster
        .client()
        .post(pathOf('v1', ns, `pods/${name}/eviction`), objectOf('policy/v1', 'Eviction', name));
    const { status, body } = await evict();
    expect(status).toBe(429);
    expect(textAt(body, 'details', 'causes', 0, 'reason')).toBe('DisruptionBudget');
    await cluster.client().patch(path, { spec: { minAvailable: 1 } });
    await cluster.seen(path, 'it allows one', (it) => at(it, 'status', 'disruptionsAllowed') === 1);
    expect((await evict()).status).toBe(201);
    await podsSeen(
      cluster,
      ns,
      'two others run',
      (all) =>
        all.length === 2 &&
        all.every((one) => isRunning(one) && textAt(one, 'metadata', 'name') !== name),
    );
  },

  'a node that goes takes its lease with it': async (cluster) => {
    await cluster.node('leaves', reservedFor('leaves'));
    const lease = pathOf('coordination.k8s.io/v1', 'kube-node-lease', 'leases/leaves');
    const held = await cluster.seen(lease, 'it has a lease', Boolean);
    const { body: node } = await cluster.client().get('/api/v1/nodes/leaves');
    const owner = at(held, 'metadata', 'ownerReferences', 0, 'uid');
    expect(owner).toBe(at(node, 'metadata', 'uid'));
    const renewed = textAt(held, 'spec', 'renewTime');
    await cluster.seen(lease, 'it is renewed', (it) => textAt(it, 'spec', 'renewTime') > renewed);
    const nodes = async (): Promise<JsonValue[]> =>
      itemsOf((await cluster.client().get('/api/v1/nodes')).body).map((it) => nameOf(it) ?? null);
    expect(await nodes()).toContain('leaves');
    await cluster.kubectl('delete node leaves');
    await cluster.gone(lease);
  },
};
