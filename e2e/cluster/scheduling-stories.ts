/** Stories about the scheduler's choices: priorities, affinities, spread, gates, claims for devices. */
import { expect } from 'vitest';

import { at, type JsonObject, type JsonValue, textAt } from '../support/json.ts';
import { type Cluster, HOME, hasCondition } from './cluster.ts';
import {
  isRunning,
  itemsOf,
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

const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const DRIVER = 'devices.stories.example.com';

function podSeen(
  cluster: Cluster,
  namespace: string,
  name: string,
  is: (pod: JsonValue) => boolean,
): Promise<JsonValue> {
  return cluster.seen(pathOf('v1', namespace, `pods/${name}`), `the state of ${name}`, is);
}

function isUnschedulable(pod: JsonValue): boolean {
  return hasCondition(pod, 'PodScheduled', 'False', 'Unschedulable');
}

async function eventSeen(cluster: Cluster, namespace: string, name: string, reason: string) {
  const selector = `involvedObject.name=${name},reason=${reason}`;
  const path = `${pathOf('v1', namespace, 'events')}?fieldSelector=${encodeURIComponent(selector)}`;
  const found = await cluster.seen(path, reason, (list) => itemsOf(list).length > 0);
  return textAt(itemsOf(found)[0], 'message');
}

function priorityClass(name: string, value: number): JsonObject {
  return objectOf('scheduling.k8s.io/v1', 'PriorityClass', name, { value });
}

/** One device on one node, and a template of claims for one. */
function devices(node: string): JsonObject[] {
  const pool = { name: node, generation: 1, resourceSliceCount: 1 };
  const expression = `device.driver == "${DRIVER}"`;
  const requests = [{ name: 'one', exactly: { deviceClassName: 'story-devices' } }];
  return [
    objectOf('resource.k8s.io/v1', 'DeviceClass', 'story-devices', {
      spec: { selectors: [{ cel: { expression } }] },
    }),
    objectOf('resource.k8s.io/v1', 'ResourceSlice', 'story-devices', {
      spec: { driver: DRIVER, pool, nodeName: node, devices: [{ name: 'device-0' }] },
    }),
    objectOf('resource.k8s.io/v1', 'ResourceClaimTemplate', 'one-device', {
      spec: { spec: { devices: { requests } } },
    }),
  ];
}

export const SCHEDULING: Stories = {
  'a pod that fits nowhere waits, says why, and runs when a node gets its label': async (
    cluster,
  ) => {
    const ns = await cluster.namespace('fits');
    await cluster.create(ns, podObject('wants', { spec: { nodeSelector: { disk: 'story-ssd' } } }));
    await podSeen(cluster, ns, 'wants', isUnschedulable);
    const message = await eventSeen(cluster, ns, 'wants', 'FailedScheduling');
    expect(message).toContain("didn't match Pod's node affinity/selector");
    await cluster.kubectl('label node home-2 disk=story-ssd');
    const pod = await podSeen(cluster, ns, 'wants', isRunning);
    expect(at(pod, 'spec', 'nodeName')).toBe('home-2');
  },

  'a pod of higher priority takes the place of a lower one': async (cluster) => {
    const ns = await cluster.namespace('preempts');
    await cluster.node('small', { ...reservedFor('preempts'), allocatable: { cpu: '1' } });
    await cluster.create(ns, priorityClass('story-low', 1), priorityClass('story-high', 1_000));
    const pod = (name: string, priorityClassName: string): JsonObject =>
      podObject(name, {
        requests: { cpu: '700m' },
        spec: { ...only('preempts'), priorityClassName },
      });
    await cluster.create(ns, pod('low', 'story-low'));
    await podSeen(cluster, ns, 'low', isRunning);
    await cluster.create(ns, pod('high', 'story-high'));
    const high = await podSeen(cluster, ns, 'high', isRunning);
    expect(at(high, 'spec', 'priority')).toBe(1_000);
    await cluster.gone(pathOf('v1', ns, 'pods/low'));
    const message = await eventSeen(cluster, ns, 'low', 'Preempted');
    expect(message).toContain('on node small');
  },

  'pods spread over the zones as they say': async (cluster) => {
    const ns = await cluster.namespace('spreads');
    for (const zone of ['a', 'b']) {
      const { labels, taints } = reservedFor('spreads');
      await cluster.node(`zone-${zone}`, { labels: { ...labels, [ZONE]: zone }, taints });
    }
    await cluster.kubectl(`wait --for=condition=Ready node/zone-a node/zone-b ${WAIT}`);
    const spread = {
      maxSkew: 1,
      topologyKey: ZONE,
      whenUnsatisfiable: 'DoNotSchedule',
      minDomains: 2,
      labelSelector: { matchLabels: { app: 'web' } },
    };
    const spec = { ...only('spreads'), topologySpreadConstraints: [spread] };
    await cluster.create(
      ns,
      workload('Deployment', 'web', { spec: { replicas: 4 }, pod: { spec } }),
    );
    const pods = await podsSeen(
      cluster,
      ns,
      'four run',
      (all) => all.length === 4 && all.every(isRunning),
    );
    const nodes = pods.map((pod) => textAt(pod, 'spec', 'nodeName')).sort();
    expect(nodes).toEqual(['zone-a', 'zone-a', 'zone-b', 'zone-b']);
  },

  'pods that shun one another get a node each, and one too many waits': async (cluster) => {
    const ns = await cluster.namespace('shuns');
    const term = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: HOSTNAME };
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
    const spec = { nodeSelector: HOME, affinity: { podAntiAffinity } };
    await cluster.create(
      ns,
      workload('Deployment', 'web', { spec: { replicas: 4 }, pod: { spec } }),
    );
    const pods = await podsSeen(
      cluster,
      ns,
      'three run, one waits',
      (all) => all.filter(isRunning).length === 3 && all.filter(isUnschedulable).length === 1,
    );
    expect(new Set(pods.filter(isRunning).map((pod) => textAt(pod, 'spec', 'nodeName'))).size).toBe(
      3,
    );
  },

  'a required affinity excludes nodes, a preferred one chooses among the rest': async (cluster) => {
    const ns = await cluster.namespace('prefers');
    const hostIs = (operator: string, ...values: string[]): JsonObject => ({
      matchExpressions: [{ key: HOSTNAME, operator, values }],
    });
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [hostIs('NotIn', 'home-1')],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, preference: hostIs('In', 'home-1', 'home-3') },
      ],
    };
    await cluster.create(ns, podObject('chooses', { spec: { affinity: { nodeAffinity } } }));
    const pod = await podSeen(cluster, ns, 'chooses', isRunning);
    expect(at(pod, 'spec', 'nodeName')).toBe('home-3');
  },

  'a pod with a scheduling gate waits until the gate is taken away': async (cluster) => {
    const ns = await cluster.namespace('gated');
    const gate = { name: 'stories.example.com/hold' };
    await cluster.create(ns, podObject('held', { spec: { schedulingGates: [gate] } }));
    await podSeen(cluster, ns, 'held', (pod) =>
      hasCondition(pod, 'PodScheduled', 'False', 'SchedulingGated'),
    );
    const patch = JSON.stringify([{ op: 'remove', path: '/spec/schedulingGates' }]);
    await cluster.kubectl.words(['patch', 'pod', 'held', '-n', ns, '--type=json', '-p', patch]);
    await podSeen(cluster, ns, 'held', isRunning);
  },

  'a device is given to one pod at a time': async (cluster) => {
    const ns = await cluster.namespace('devices');
    await cluster.node('with-device', reservedFor('devices'));
    await cluster.create(ns, ...devices('with-device'));
    const pod = (name: string): JsonObject => {
      const claim = { name: 'device', resourceClaimTemplateName: 'one-device' };
      return podObject(name, { spec: { ...only('devices'), resourceClaims: [claim] } });
    };
    await cluster.create(ns, pod('first'));
    const first = await podSeen(cluster, ns, 'first', isRunning);
    const name = textAt(first, 'status', 'resourceClaimStatuses', 0, 'resourceClaimName');
    const path = pathOf('resource.k8s.io/v1', ns, `resourceclaims/${name}`);
    const { body: claim } = await cluster.client().get(path);
    expect(at(claim, 'status', 'allocation', 'devices', 'results', 0, 'device')).toBe('device-0');
    await cluster.create(ns, pod('second'));
    await podSeen(cluster, ns, 'second', isUnschedulable);
    await cluster.kubectl(`delete pod first -n ${ns}`);
    await cluster.gone(path);
    await podSeen(cluster, ns, 'second', isRunning);
  },
};
