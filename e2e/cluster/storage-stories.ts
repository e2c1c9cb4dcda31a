/** Stories about claims and volumes. */
import { expect } from 'vitest';

import { at, type JsonObject, type JsonValue, listAt, textAt } from '../support/json.ts';
import { type Cluster } from './cluster.ts';
import {
  isDeleted,
  isRunning,
  objectOf,
  only,
  pathOf,
  podObject,
  podsSeen,
  reservedFor,
  type Stories,
} from './objects.ts';

const ACCESS = ['ReadWriteOnce'];

function claim(name: string, storageClassName: string, storage = '1Gi'): JsonObject {
  return objectOf('v1', 'PersistentVolumeClaim', name, {
    spec: { accessModes: ACCESS, storageClassName, resources: { requests: { storage } } },
  });
}

function volume(name: string, storageClassName: string, spec: JsonObject): JsonObject {
  return objectOf('v1', 'PersistentVolume', name, {
    spec: {
      accessModes: ACCESS,
      storageClassName,
      persistentVolumeReclaimPolicy: 'Retain',
      ...spec,
    },
  });
}

function using(name: string, claimName: string, spec: JsonObject = {}): JsonObject {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName } }];
  return podObject(name, { spec: { volumes, ...spec } });
}

function bound(cluster: Cluster, namespace: string, name: string): Promise<JsonValue> {
  const path = pathOf('v1', namespace, `persistentvolumeclaims/${name}`);
  return cluster.seen(path, 'it is bound', (it) => at(it, 'status', 'phase') === 'Bound');
}

function volumeSeen(cluster: Cluster, name: string, phase: string): Promise<JsonValue> {
  const path = `/api/v1/persistentvolumes/${name}`;
  return cluster.seen(path, phase, (it) => at(it, 'status', 'phase') === phase);
}

export const STORAGE: Stories = {
  'a claim is bound to the smallest volume that fits, which is kept when the claim goes': async (
    cluster,
  ) => {
    const ns = await cluster.namespace('binds');
    for (const [name, storage] of [
      ['binds-small', '1Gi'],
      ['binds-fitting', '5Gi'],
      ['binds-large', '50Gi'],
    ] as const) {
      const hostPath = { path: `/data/${name}` };
      await cluster.create(ns, volume(name, 'story-binds', { capacity: { storage }, hostPath }));
      await volumeSeen(cluster, name, 'Available');
    }
    await cluster.create(ns, claim('data', 'story-binds', '2Gi'));
    const data = await bound(cluster, ns, 'data');
    expect(at(data, 'spec', 'volumeName')).toBe('binds-fitting');
    expect(at(data, 'status', 'capacity', 'storage')).toBe('5Gi');
    await cluster.kubectl(`delete pvc data -n ${ns}`);
    await volumeSeen(cluster, 'binds-fitting', 'Released');
  },

  'a claim in use stays until its pod is gone': async (cluster) => {
    const ns = await cluster.namespace('in-use');
    await cluster.create(ns, claim('data', 'kwok-volume'), using('user', 'data'));
    await podsSeen(cluster, ns, 'its pod runs', (pods) => pods.every(isRunning));
    await cluster.kubectl(`delete pvc data -n ${ns} --wait=false`);
    const path = pathOf('v1', ns, 'persistentvolumeclaims/data');
    const kept = await cluster.seen(path, 'it is deleted', isDeleted);
    expect(listAt(kept, 'metadata', 'finalizers')).toContain('kubernetes.io/pvc-protection');
    await cluster.kubectl(`delete pod user -n ${ns}`);
    await cluster.gone(path);
  },

  'a class that waits for a consumer binds the volume of the node that the pod gets': async (
    cluster,
  ) => {
    const ns = await cluster.namespace('waits');
    const storageClass = objectOf('storage.k8s.io/v1', 'StorageClass', 'story-waits', {
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    await cluster.create(ns, storageClass);
    for (const node of ['disk-a', 'disk-b']) {
      await cluster.node(node, reservedFor(node));
      const here = { key: 'kubernetes.io/hostname', operator: 'In', values: [node] };
      const terms = { nodeSelectorTerms: [{ matchExpressions: [here] }] };
      const spec = {
        capacity: { storage: '1Gi' },
        local: { path: '/data/disk' },
        nodeAffinity: { required: terms },
      };
      await cluster.create(ns, volume(`waits-${node}`, 'story-waits', spec));
      await volumeSeen(cluster, `waits-${node}`, 'Available');
    }
    await cluster.create(ns, claim('data', 'story-waits'));
    const { body } = await cluster.client().get(pathOf('v1', ns, 'persistentvolumeclaims/data'));
    expect(textAt(body, 'status', 'phase')).toBe('Pending');
    await cluster.create(ns, using('consumer', 'data', only('disk-b')));
    const data = await bound(cluster, ns, 'data');
    expect(at(data, 'spec', 'volumeName')).toBe('waits-disk-b');
    const [pod] = await podsSeen(cluster, ns, 'its pod runs', (pods) => pods.every(isRunning));
    expect(at(pod, 'spec', 'nodeName')).toBe('disk-b');
  },

  'a claim gets a volume made for it, which goes with it': async (cluster) => {
    const ns = await cluster.namespace('provisions');
    await cluster.create(ns, claim('data', 'kwok-volume'));
    const name = textAt(await bound(cluster, ns, 'data'), 'spec', 'volumeName');
    expect(name).toMatch(/^pvc-/);
    await volumeSeen(cluster, name, 'Bound');
    await cluster.kubectl(`delete pvc data -n ${ns}`);
    await cluster.gone(`/api/v1/persistentvolumes/${name}`);
  },
};
