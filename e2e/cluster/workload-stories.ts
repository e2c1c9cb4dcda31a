/** Stories about Deployments, ReplicaSets, StatefulSets, DaemonSets and autoscalers. */
import { expect } from 'vitest';

import { at, type JsonValue, listAt, textAt } from '../support/json.ts';
import { HOME, hasCondition } from './cluster.ts';
import {
  imageOf,
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

const FIRST = 'example/main:1';
const SECOND = 'example/main:2';
const AT_HOME = { spec: { nodeSelector: HOME } };

export const WORKLOADS: Stories = {
  'a Deployment with a new image rolls, and an undo brings the old pods back': async (cluster) => {
    const { kubectl } = cluster;
    const ns = await cluster.namespace('rolls');
    const allRun = (image: string) =>
      podsSeen(
        cluster,
        ns,
        `three pods run ${image}`,
        (pods) =>
          pods.length === 3 && pods.every((pod) => isRunning(pod) && imageOf(pod) === image),
      );
    await cluster.create(ns, workload('Deployment', 'web', { spec: { replicas: 3 } }));
    await kubectl(`rollout status deployment/web -n ${ns} ${WAIT}`);
    await allRun(FIRST);
    await kubectl(`set image deployment/web main=${SECOND} -n ${ns}`);
    const said = await kubectl(`rollout status deployment/web -n ${ns} ${WAIT}`);
    expect(said).toContain('deployment "web" successfully rolled out');
    await allRun(SECOND);
    await kubectl(`rollout undo deployment/web -n ${ns}`);
    await allRun(FIRST);
    const revision = "'jsonpath={.metadata.annotations.deployment\\.kubernetes\\.io/revision}'";
    await kubectl(`wait --for=${revision.slice(1, -1)}=3 deployment/web -n ${ns} ${WAIT}`);
  },

  'a paused Deployment keeps its pods until it is resumed': async (cluster) => {
    const { kubectl } = cluster;
    const ns = await cluster.namespace('pauses');
    await cluster.create(ns, workload('Deployment', 'web', { spec: { replicas: 2 } }));
    await kubectl(`rollout status deployment/web -n ${ns} ${WAIT}`);
    await kubectl(`rollout pause deployment/web -n ${ns}`);
    await kubectl(`set image deployment/web main=${SECOND} -n ${ns}`);
    const web = pathOf('apps/v1', ns, 'deployments/web');
    await cluster.seen(
      web,
      'the change was looked at',
      (it) => at(it, 'status', 'observedGeneration') === at(it, 'metadata', 'generation'),
    );
    const sets = pathOf('apps/v1', ns, 'replicasets');
    expect(itemsOf((await cluster.client().get(sets)).body)).toHaveLength(1);
    await kubectl(`rollout resume deployment/web -n ${ns}`);
    await kubectl(`rollout status deployment/web -n ${ns} ${WAIT}`);
    expect(itemsOf((await cluster.client().get(sets)).body)).toHaveLength(2);
  },

  'a Deployment whose pods find no node says that it makes no progress': async (cluster) => {
    const ns = await cluster.namespace('stalls');
    const pod = { spec: { nodeSelector: { nowhere: 'true' } } };
    const stalling = workload('Deployment', 'web', { spec: { progressDeadlineSeconds: 1 }, pod });
    await cluster.create(ns, stalling);
    await cluster.seen(pathOf('apps/v1', ns, 'deployments/web'), 'no progress', (it) =>
      hasCondition(it, 'Progressing', 'False', 'ProgressDeadlineExceeded'),
    );
    const { code, stderr } = await cluster.kubectl.attempt(
      `rollout status deployment/web -n ${ns} ${WAIT}`,
    );
    expect(code).toBe(1);
    expect(stderr).toContain('deployment "web" exceeded its progress deadline');
  },

  'a ReplicaSet adopts a pod without an owner, and replaces one that it has to let go': async (
    cluster,
  ) => {
    const ns = await cluster.namespace('adopts');
    const labels = { app: 'web' };
    await cluster.create(ns, podObject('orphan', { labels }));
    await cluster.create(ns, workload('ReplicaSet', 'web', { spec: { replicas: 2 } }));
    const path = pathOf('v1', ns, 'pods/orphan');
    const isOwned = (pod: JsonValue): boolean =>
      textAt(pod, 'metadata', 'ownerReferences', 0, 'name') === 'web';
    await cluster.seen(path, 'it is adopted', isOwned);
    await podsSeen(
      cluster,
      ns,
      'two pods run',
      (pods) => pods.length === 2 && pods.every(isRunning),
    );
    await cluster.kubectl(`label pod orphan app=other --overwrite -n ${ns}`);
    await cluster.seen(path, 'it is let go', (pod) => !isOwned(pod));
    await podsSeen(
      cluster,
      ns,
      'two others run',
      (pods) => pods.length === 3 && pods.filter(isOwned).filter(isRunning).length === 2,
    );
  },

  'a StatefulSet begins its pods one after the other, each with a claim, and drops the claims that it says':
    async (cluster) => {
      const ns = await cluster.namespace('ordered');
      const storage = { requests: { storage: '1Gi' } };
      const claim = objectOf('v1', 'PersistentVolumeClaim', 'data', {
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'kwok-volume',
          resources: storage,
        },
      });
      const spec = {
        replicas: 3,
        serviceName: 'db',
        volumeClaimTemplates: [claim],
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' },
      };
      await cluster.create(ns, workload('StatefulSet', 'db', { spec }));
      const pods = await podsSeen(
        cluster,
        ns,
        'three pods run',
        (all) => all.filter(isRunning).length === 3,
      );
      expect(pods.map(nameOf)).toEqual(['db-0', 'db-1', 'db-2']);
      for (const [index, pod] of pods.slice(1).entries()) {
        const ready = listAt(pods[index], 'status', 'conditions').find(
          (one) => at(one, 'type') === 'Ready',
        );
        const created = textAt(pod, 'metadata', 'creationTimestamp');
        expect(created >= textAt(ready, 'lastTransitionTime')).toBe(true);
      }
      const claims = pathOf('v1', ns, 'persistentvolumeclaims');
      const bound = await cluster.seen(claims, 'three claims are bound', (list) =>
        itemsOf(list).every((one) => at(one, 'status', 'phase') === 'Bound'),
      );
      expect(itemsOf(bound).map(nameOf)).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
      await cluster.kubectl(`scale statefulset/db --replicas=1 -n ${ns}`);
      await cluster.gone(`${claims}/data-db-2`);
      await cluster.gone(`${claims}/data-db-1`);
      expect((await cluster.client().get(`${claims}/data-db-0`)).status).toBe(200);
    },

  'a StatefulSet with a partition rolls only the pods behind it': async (cluster) => {
    const { kubectl } = cluster;
    const ns = await cluster.namespace('parts');
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } };
    const spec = { replicas: 2, serviceName: 'db', updateStrategy };
    await cluster.create(ns, workload('StatefulSet', 'db', { spec }));
    await kubectl(`rollout status statefulset/db -n ${ns} ${WAIT}`);
    await kubectl(`set image statefulset/db main=${SECOND} -n ${ns}`);
    const images = (wanted: string[]) => (pods: JsonValue[]) =>
      pods.every(isRunning) && pods.map(imageOf).join() === wanted.join();
    await podsSeen(cluster, ns, 'the last is new', images([FIRST, SECOND]));
    const said = await kubectl(`rollout status statefulset/db -n ${ns} ${WAIT}`);
    expect(said).toContain('partitioned roll out complete: 1 new pods have been updated');
    await kubectl.words([
      ...['patch', 'statefulset', 'db', '-n', ns, '-p'],
      JSON.stringify({ spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } }),
    ]);
    await podsSeen(cluster, ns, 'both are new', images([SECOND, SECOND]));
  },

  'a DaemonSet follows the nodes that come, and those that fit no more': async (cluster) => {
    const ns = await cluster.namespace('daemons');
    for (const name of ['daemons-1', 'daemons-2']) await cluster.node(name, reservedFor('daemons'));
    await cluster.create(ns, workload('DaemonSet', 'agent', { pod: { spec: only('daemons') } }));
    const nodes = (wanted: string) =>
      podsSeen(
        cluster,
        ns,
        `pods run on ${wanted}`,
        (pods) =>
          pods.every(isRunning) &&
          pods
            .map((pod) => textAt(pod, 'spec', 'nodeName'))
            .sort()
            .join() === wanted,
      );
    await nodes('daemons-1,daemons-2');
    await cluster.node('daemons-3', reservedFor('daemons'));
    await nodes('daemons-1,daemons-2,daemons-3');
    await cluster.kubectl('label node daemons-1 story-');
    await nodes('daemons-2,daemons-3');
  },

  'a DaemonSet with a new image rolls on every node': async (cluster) => {
    const { kubectl } = cluster;
    const ns = await cluster.namespace('daemon-rolls');
    await cluster.create(ns, workload('DaemonSet', 'agent', { pod: AT_HOME }));
    await kubectl(`rollout status daemonset/agent -n ${ns} ${WAIT}`);
    await kubectl(`set image daemonset/agent main=${SECOND} -n ${ns}`);
    const said = await kubectl(`rollout status daemonset/agent -n ${ns} ${WAIT}`);
    expect(said).toContain('daemon set "agent" successfully rolled out');
    await podsSeen(
      cluster,
      ns,
      'three new pods',
      (pods) => pods.length === 3 && pods.every((pod) => imageOf(pod) === SECOND),
    );
  },

  'a HorizontalPodAutoscaler holds its bounds, and says that it gets no metrics': async (
    cluster,
  ) => {
    const ns = await cluster.namespace('scales');
    await cluster.create(ns, workload('Deployment', 'web', { pod: { requests: { cpu: '10m' } } }));
    const metric = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } };
    const scaler = objectOf('autoscaling/v2', 'HorizontalPodAutoscaler', 'web', {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 2,
        maxReplicas: 3,
        metrics: [{ type: 'Resource', resource: metric }],
      },
    });
    await cluster.create(ns, scaler);
    const web = pathOf('apps/v1', ns, 'deployments/web');
    await cluster.seen(web, 'two are wanted', (it) => at(it, 'spec', 'replicas') === 2);
    await cluster.seen(
      pathOf('autoscaling/v2', ns, 'horizontalpodautoscalers/web'),
      'no metrics',
      (it) => hasCondition(it, 'ScalingActive', 'False', 'FailedGetResourceMetric'),
    );
    await cluster.kubectl(`scale deployment/web --replicas=5 -n ${ns}`);
    await cluster.seen(web, 'three are wanted', (it) => at(it, 'spec', 'replicas') === 3);
  },
};
