/** Stories about quotas and limit ranges beside kube-controller-manager's own quota controller. */
import { expect } from 'vitest';

import { at, type JsonObject, textAt } from '../support/json.ts';
import { quotaSaid } from '../control-plane/quota-said.ts';
import { type Cluster, hasCondition } from './cluster.ts';
import {
  custom,
  define,
  isRunning,
  objectOf,
  pathOf,
  podObject,
  podsSeen,
  type Stories,
  WAIT,
  workload,
} from './objects.ts';

function quota(name: string, hard: JsonObject, spec: JsonObject = {}): JsonObject {
  return objectOf('v1', 'ResourceQuota', name, { spec: { hard, ...spec } });
}

function limitRange(name: string, limit: JsonObject): JsonObject {
  return objectOf('v1', 'LimitRange', name, { spec: { limits: [limit] } });
}

/** A claim that may ask for more than it did, and its volume. */
function growing(): JsonObject[] {
  const storageClassName = 'story-grows';
  const accessModes = ['ReadWriteOnce'];
  const hostPath = { path: '/data/story-grows' };
  const requests = { storage: '1Gi' };
  return [
    objectOf('storage.k8s.io/v1', 'StorageClass', storageClassName, {
      provisioner: 'kubernetes.io/no-provisioner',
      allowVolumeExpansion: true,
    }),
    objectOf('v1', 'PersistentVolume', 'story-grows', {
      spec: { accessModes, storageClassName, hostPath, capacity: { storage: '9Gi' } },
    }),
    objectOf('v1', 'PersistentVolumeClaim', 'grows', {
      spec: { accessModes, storageClassName, resources: { requests } },
    }),
  ];
}

/** A quota is enforced once its status says what it counts. */
async function enforced(cluster: Cluster, namespace: string, name: string): Promise<void> {
  const path = pathOf('v1', namespace, `resourcequotas/${name}`);
  await cluster.seen(path, 'it is counted', (it) => at(it, 'status', 'used') !== undefined);
}

export const LIMITS: Stories = {
  'kubectl describe quota is right behind a creation, an update and a deletion': async (
    cluster,
  ) => {
    const { kubectl } = cluster;
    const ns = await cluster.namespace('counts');
    const hard = {
      'count/secrets': '5',
      pods: '5',
      'requests.cpu': '2',
      'requests.storage': '9Gi',
    };
    await cluster.create(ns, quota('all', hard), ...growing());
    await enforced(cluster, ns, 'all');
    const said = (secrets: string, pods: string, cpu: string, storage: string) =>
      quotaSaid(kubectl, ns, 'all', [
        `count/secrets ${secrets} 5`,
        `pods ${pods} 5`,
        `requests.cpu ${cpu} 2`,
        `requests.storage ${storage} 9Gi`,
      ]);
    await cluster.create(ns, podObject('one', { requests: { cpu: '500m' } }));
    await cluster.create(ns, podObject('two', { requests: { cpu: '500m' } }));
    await kubectl(`create secret generic hidden -n ${ns}`);
    await said('1', '2', '1', '1Gi');
    const claim = pathOf('v1', ns, 'persistentvolumeclaims/grows');
    await cluster.seen(claim, 'it is bound', (it) => at(it, 'status', 'phase') === 'Bound');
    const larger = JSON.stringify({ spec: { resources: { requests: { storage: '3Gi' } } } });
    await kubectl.words(['patch', 'pvc', 'grows', '-n', ns, '-p', larger]);
    await said('1', '2', '1', '3Gi');
    await kubectl(`delete pod/one secret/hidden pvc/grows -n ${ns}`);
    await said('0', '1', '500m', '0');
  },

  // Beside kube-apiserver the manager begins to count them minutes after their definition.
  'a quota on custom resources holds, and is given back': async (cluster) => {
    await define(cluster, 'valves');
    const ns = await cluster.namespace('counts-custom');
    await cluster.create(ns, quota('few', { 'count/valves.stories.example.com': '1' }));
    await enforced(cluster, ns, 'few');
    await cluster.create(ns, custom('valves', 'one'));
    const path = pathOf('stories.example.com/v1', ns, 'valves');
    const second = await cluster.client().post(path, custom('valves', 'two'));
    expect(second.status).toBe(403);
    expect(textAt(second.body, 'message')).toContain(
      'exceeded quota: few, requested: count/valves.stories.example.com=1, ' +
        'used: count/valves.stories.example.com=1, limited: count/valves.stories.example.com=1',
    );
    await cluster.kubectl(`delete valves.stories.example.com/one -n ${ns}`);
    await quotaSaid(cluster.kubectl, ns, 'few', ['count/valves.stories.example.com 0 1']);
    expect((await cluster.client().post(path, custom('valves', 'two'))).status).toBe(201);
  },

  'quotas count the pods of their scopes only': async (cluster) => {
    const ns = await cluster.namespace('scopes');
    const scopes = (...names: string[]): JsonObject => ({ scopes: names });
    await cluster.create(
      ns,
      quota('best-effort', { pods: '3' }, scopes('BestEffort')),
      quota('sized', { pods: '3' }, scopes('NotBestEffort')),
      quota('ending', { pods: '3' }, scopes('Terminating')),
    );
    for (const name of ['best-effort', 'sized', 'ending']) await enforced(cluster, ns, name);
    const requests = { cpu: '10m' };
    await cluster.create(
      ns,
      podObject('plain'),
      podObject('sized', { requests }),
      podObject('ending', { requests, spec: { activeDeadlineSeconds: 3_600 } }),
    );
    await quotaSaid(cluster.kubectl, ns, 'best-effort', ['pods 1 3']);
    await quotaSaid(cluster.kubectl, ns, 'sized', ['pods 2 3']);
    await quotaSaid(cluster.kubectl, ns, 'ending', ['pods 1 3']);
    await cluster.kubectl(`delete pods --all -n ${ns}`);
    for (const name of ['best-effort', 'sized', 'ending'])
      await quotaSaid(cluster.kubectl, ns, name, ['pods 0 3']);
  },

  'a pod that has ended is not counted any more': async (cluster) => {
    const ns = await cluster.namespace('ended');
    await cluster.create(ns, quota('few', { pods: '1' }));
    await enforced(cluster, ns, 'few');
    const label = 'pod-container-running-failed.stage.kwok.x-k8s.io';
    await cluster.create(ns, podObject('fails', { labels: { [label]: 'true' } }));
    await podsSeen(
      cluster,
      ns,
      'it has failed',
      ([pod]) => textAt(pod, 'status', 'phase') === 'Failed',
    );
    await quotaSaid(cluster.kubectl, ns, 'few', ['pods 0 1']);
    await cluster.create(ns, podObject('next'));
  },

  'a Deployment beyond its quota says so, and goes on when the quota is raised': async (
    cluster,
  ) => {
    const ns = await cluster.namespace('raised');
    await cluster.create(ns, quota('few', { pods: '1' }));
    await enforced(cluster, ns, 'few');
    await cluster.create(ns, workload('Deployment', 'web', { spec: { replicas: 2 } }));
    const path = pathOf('apps/v1', ns, 'deployments/web');
    const short = await cluster.seen(path, 'it lacks a pod', (it) =>
      hasCondition(it, 'ReplicaFailure', 'True', 'FailedCreate'),
    );
    expect(JSON.stringify(short)).toContain('exceeded quota: few, requested: pods=1, used: pods=1');
    const quotaPath = pathOf('v1', ns, 'resourcequotas/few');
    await cluster.client().patch(quotaPath, { spec: { hard: { pods: '2' } } });
    await cluster.kubectl(`rollout status deployment/web -n ${ns} ${WAIT}`);
    await quotaSaid(cluster.kubectl, ns, 'few', ['pods 2 2']);
  },

  'a limit range gives the pods of a Deployment their limits, and refuses those above': async (
    cluster,
  ) => {
    const ns = await cluster.namespace('limits');
    const limit = { type: 'Container', default: { cpu: '200m' }, max: { cpu: '1' } };
    await cluster.create(ns, limitRange('sizes', limit));
    await cluster.create(ns, workload('Deployment', 'web'));
    const [pod] = await podsSeen(cluster, ns, 'its pod runs', (pods) => pods.some(isRunning));
    const resources = at(pod, 'spec', 'containers', 0, 'resources');
    expect(resources).toEqual({ limits: { cpu: '200m' }, requests: { cpu: '200m' } });
    const huge = workload('Deployment', 'huge', { pod: { requests: { cpu: '2' } } });
    await cluster.create(ns, huge);
    await cluster.seen(pathOf('apps/v1', ns, 'deployments/huge'), 'it gets no pods', (it) =>
      hasCondition(it, 'ReplicaFailure', 'True', 'FailedCreate'),
    );
  },
};
