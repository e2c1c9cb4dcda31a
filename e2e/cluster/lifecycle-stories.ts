/** Stories about definitions, owners, finalizers, and namespaces that end. */
import { expect } from 'vitest';

import { at, type JsonObject, type JsonValue, listAt, textAt } from '../support/json.ts';
import { type Cluster, hasCondition } from './cluster.ts';
import {
  CUSTOM,
  custom,
  define,
  isDeleted,
  isRunning,
  itemsOf,
  objectOf,
  pathOf,
  podObject,
  podsSeen,
  type Stories,
  WAIT,
  workload,
} from './objects.ts';

const FINALIZER = 'stories.example.com/hold';

function configMap(name: string, metadata: JsonObject = {}): JsonObject {
  return objectOf('v1', 'ConfigMap', name, { metadata });
}

/** Metadata for an object that the one at the path owns. */
async function ownedBy(cluster: Cluster, path: string, blocks = false): Promise<JsonObject> {
  const { body: owner } = await cluster.client().get(path);
  const reference = {
    apiVersion: at(owner, 'apiVersion'),
    kind: at(owner, 'kind'),
    name: at(owner, 'metadata', 'name'),
    uid: at(owner, 'metadata', 'uid'),
    blockOwnerDeletion: blocks,
  };
  return { ownerReferences: [reference] };
}

function owners(object: JsonValue): JsonValue[] {
  return listAt(object, 'metadata', 'ownerReferences');
}

/**
 * Waits until kube-controller-manager's collector watches these objects: it looks for new definitions
 * every half minute, and only its watch ends a deletion in the foreground.
 */
async function collected({ kubectl, create }: Cluster, namespace: string, plural: string) {
  await create(namespace, custom(plural, 'canary'));
  const canary = `${plural}.stories.example.com/canary`;
  await kubectl(`delete ${canary} --cascade=foreground -n ${namespace} ${WAIT}`);
}

async function free(cluster: Cluster, path: string): Promise<void> {
  await cluster.client().patch(path, { metadata: { finalizers: null } });
}

export const LIFECYCLES: Stories = {
  'a namespace ends with all that is in it, custom resources among it': async (cluster) => {
    await define(cluster, 'gadgets');
    const ns = await cluster.namespace('ends');
    await cluster.create(
      ns,
      custom('gadgets', 'one'),
      custom('gadgets', 'two'),
      configMap('settings'),
      workload('Deployment', 'web', { spec: { replicas: 2 } }),
      objectOf('v1', 'ResourceQuota', 'few', { spec: { hard: { pods: '9' } } }),
    );
    await cluster.kubectl(`rollout status deployment/web -n ${ns} ${WAIT}`);
    await cluster.kubectl(`delete namespace ${ns} --timeout=240s`);
    await cluster.gone(`/api/v1/namespaces/${ns}`);
    const { body } = await cluster.client().get(pathOf(CUSTOM, ns, 'gadgets'));
    expect(itemsOf(body)).toEqual([]);
  },

  'a namespace whose custom resource has a finalizer says so, and ends when the definition has gone':
    async (cluster) => {
      await define(cluster, 'sprockets');
      const ns = await cluster.namespace('holds');
      await cluster.create(ns, custom('sprockets', 'held', { finalizers: [FINALIZER] }));
      await cluster.kubectl(`delete namespace ${ns} --wait=false`);
      const path = `/api/v1/namespaces/${ns}`;
      const waiting = await cluster.seen(path, 'it says what it waits for', (it) =>
        hasCondition(it, 'NamespaceFinalizersRemaining', 'True', 'SomeFinalizersRemain'),
      );
      expect(JSON.stringify(waiting)).toContain(`${FINALIZER} in 1 resource instances`);
      await cluster.kubectl('delete crd sprockets.stories.example.com --wait=false');
      await cluster.seen(
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/sprockets.stories.example.com',
        'the definition waits as well',
        (it) => hasCondition(it, 'Terminating', 'True'),
      );
      await free(cluster, pathOf(CUSTOM, ns, 'sprockets/held'));
      await cluster.gone(path);
      await cluster.kubectl(`wait --for=delete crd/sprockets.stories.example.com ${WAIT}`);
    },

  'a namespace that ends takes nothing new': async (cluster) => {
    const ns = await cluster.namespace('closes');
    await cluster.create(ns, configMap('held', { finalizers: [FINALIZER] }));
    await cluster.kubectl(`delete namespace ${ns} --wait=false`);
    const late = await cluster.client().post(pathOf('v1', ns, 'configmaps'), configMap('late'));
    expect(late.status).toBe(403);
    expect(textAt(late.body, 'details', 'causes', 0, 'reason')).toBe('NamespaceTerminating');
    await free(cluster, pathOf('v1', ns, 'configmaps/held'));
    await cluster.gone(`/api/v1/namespaces/${ns}`);
  },

  'a definition that is deleted takes its objects with it, and these what they own': async (
    cluster,
  ) => {
    await define(cluster, 'gears');
    const ns = await cluster.namespace('undefined');
    await collected(cluster, ns, 'gears');
    await cluster.create(ns, custom('gears', 'owner'));
    const metadata = await ownedBy(cluster, pathOf(CUSTOM, ns, 'gears/owner'));
    await cluster.create(ns, configMap('owned', metadata));
    await cluster.kubectl(`delete crd gears.stories.example.com ${WAIT}`);
    await cluster.gone(pathOf('v1', ns, 'configmaps/owned'));
  },

  'custom resources own one another, and what they own goes behind them': async (cluster) => {
    await define(cluster, 'levers');
    const ns = await cluster.namespace('owns');
    await cluster.create(ns, custom('levers', 'root'));
    const root = pathOf(CUSTOM, ns, 'levers/root');
    await cluster.create(ns, custom('levers', 'branch', await ownedBy(cluster, root)));
    const branch = pathOf(CUSTOM, ns, 'levers/branch');
    await cluster.create(ns, configMap('leaf', await ownedBy(cluster, branch)));
    await cluster.kubectl(`delete levers.stories.example.com/root -n ${ns}`);
    await cluster.gone(branch);
    await cluster.gone(pathOf('v1', ns, 'configmaps/leaf'));
  },

  'an owner deleted in the foreground stays until what it owns is gone': async (cluster) => {
    const ns = await cluster.namespace('foreground');
    await cluster.create(ns, configMap('owner'));
    const owner = pathOf('v1', ns, 'configmaps/owner');
    const metadata = { ...(await ownedBy(cluster, owner, true)), finalizers: [FINALIZER] };
    await cluster.create(ns, configMap('owned', metadata));
    await cluster.kubectl(`delete configmap owner --cascade=foreground --wait=false -n ${ns}`);
    const owned = pathOf('v1', ns, 'configmaps/owned');
    await cluster.seen(owned, 'it is deleted', isDeleted);
    const { body: waiting } = await cluster.client().get(owner);
    expect(listAt(waiting, 'metadata', 'finalizers')).toEqual(['foregroundDeletion']);
    await free(cluster, owned);
    await cluster.gone(owner);
  },

  'a Deployment deleted alone leaves its pods running': async (cluster) => {
    const ns = await cluster.namespace('orphans');
    await cluster.create(ns, workload('Deployment', 'web', { spec: { replicas: 2 } }));
    await cluster.kubectl(`rollout status deployment/web -n ${ns} ${WAIT}`);
    await cluster.kubectl(`delete deployment web --cascade=orphan -n ${ns}`);
    const sets = await cluster.seen(pathOf('apps/v1', ns, 'replicasets'), 'it is left', (list) =>
      itemsOf(list).every((set) => owners(set).length === 0),
    );
    expect(itemsOf(sets)).toHaveLength(1);
    const pods = await podsSeen(cluster, ns, 'its pods run', (all) => all.every(isRunning));
    expect(pods.map((pod) => textAt(owners(pod)[0], 'kind'))).toEqual(['ReplicaSet', 'ReplicaSet']);
  },

  'an object whose owner never was is collected': async (cluster) => {
    const ns = await cluster.namespace('never-was');
    const uid = '00000000-0000-4000-8000-000000000000';
    const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'never', uid };
    await cluster.create(ns, podObject('lost', { spec: { nodeSelector: { nowhere: 'true' } } }));
    const path = pathOf('v1', ns, 'pods/lost');
    await cluster.client().patch(path, { metadata: { ownerReferences: [reference] } });
    await cluster.gone(path);
  },

  'a pod with a finalizer is replaced at once, and goes when the finalizer is taken': async (
    cluster,
  ) => {
    const ns = await cluster.namespace('finalizes');
    const pod = { finalizers: [FINALIZER] };
    await cluster.create(ns, workload('ReplicaSet', 'web', { spec: { replicas: 1 }, pod }));
    const [first] = await podsSeen(cluster, ns, 'one runs', (pods) => pods.some(isRunning));
    const name = textAt(first, 'metadata', 'name');
    await cluster.kubectl(`delete pod ${name} --wait=false -n ${ns}`);
    await podsSeen(
      cluster,
      ns,
      'one runs, one is held',
      (pods) => pods.length === 2 && pods.some(isRunning) && pods.some(isDeleted),
    );
    await free(cluster, pathOf('v1', ns, `pods/${name}`));
    await cluster.gone(pathOf('v1', ns, `pods/${name}`));
  },
};
