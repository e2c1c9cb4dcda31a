/** Everything that makes pods from a template, and what is made beside them. */
import type { JsonObject } from '../../../../api/json/json.ts';
import type { ParityKind } from '../parity-kind.ts';
import { metadata } from './metadata.ts';
import { fullPodSpec } from './pods.ts';

const labels = { app: 'web', 'pod-template-hash': 'h' };

export function template(spec: JsonObject = {}): JsonObject {
  return {
    metadata: { labels, annotations: { 'example.com/a': 'b' } },
    spec: {
      containers: [{ name: 'c', image: 'nginx:1', ports: [{ name: 'http', containerPort: 80 }] }],
      ...spec,
    },
  };
}

const selector = {
  matchLabels: { app: 'web' },
  matchExpressions: [{ key: 'pod-template-hash', operator: 'Exists' }],
};

function workload(kind: string, spec: JsonObject, status: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: metadata({ generation: 1 }),
    spec: { selector, template: template(), ...spec },
    status,
  };
}

const counts = { replicas: 3, readyReplicas: 2, availableReplicas: 1, observedGeneration: 1 };
const condition = { type: 'Available', status: 'True', reason: 'R', message: 'm' };
const claim = {
  metadata: { name: 'data', labels: { a: 'b' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const full = { template: template(fullPodSpec) };

export const workloadKinds: readonly ParityKind[] = [
  {
    name: 'Deployment',
    bases: [
      workload(
        'Deployment',
        {
          replicas: 3,
          minReadySeconds: 5,
          strategy: {
            type: 'RollingUpdate',
            rollingUpdate: { maxUnavailable: 1, maxSurge: '25%' },
          },
          revisionHistoryLimit: 3,
          progressDeadlineSeconds: 60,
        },
        {
          ...counts,
          updatedReplicas: 2,
          unavailableReplicas: 1,
          conditions: [condition],
          collisionCount: 1,
        },
      ),
      workload('Deployment', { strategy: { type: 'Recreate' }, paused: true }),
      workload('Deployment', full),
    ],
  },
  {
    name: 'ReplicaSet',
    bases: [
      workload(
        'ReplicaSet',
        { replicas: 3, minReadySeconds: 5 },
        { ...counts, fullyLabeledReplicas: 3, conditions: [condition] },
      ),
      workload('ReplicaSet', full),
    ],
  },
  {
    name: 'StatefulSet',
    bases: [
      workload(
        'StatefulSet',
        {
          replicas: 3,
          serviceName: 'web',
          volumeClaimTemplates: [claim],
          podManagementPolicy: 'Parallel',
          updateStrategy: {
            type: 'RollingUpdate',
            rollingUpdate: { partition: 1, maxUnavailable: '10%' },
          },
          revisionHistoryLimit: 3,
          minReadySeconds: 2,
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
          ordinals: { start: 2 },
        },
        {
          ...counts,
          currentReplicas: 2,
          updatedReplicas: 1,
          conditions: [condition],
          collisionCount: 1,
        },
      ),
      workload('StatefulSet', { serviceName: 'web', updateStrategy: { type: 'OnDelete' } }),
      workload('StatefulSet', { serviceName: 'web', ...full }),
    ],
  },
  {
    name: 'DaemonSet',
    bases: [
      workload(
        'DaemonSet',
        {
          minReadySeconds: 5,
          revisionHistoryLimit: 3,
          updateStrategy: {
            type: 'RollingUpdate',
            rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
          },
        },
        {
          currentNumberScheduled: 1,
          numberMisscheduled: 1,
          desiredNumberScheduled: 2,
          numberReady: 1,
          observedGeneration: 1,
          updatedNumberScheduled: 1,
          numberAvailable: 1,
          numberUnavailable: 1,
          collisionCount: 1,
          conditions: [condition],
        },
      ),
      workload('DaemonSet', { updateStrategy: { type: 'OnDelete' } }),
      workload('DaemonSet', full),
    ],
  },
  {
    name: 'ControllerRevision',
    bases: [
      {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: metadata(),
        data: { a: 1 },
        revision: 3,
      },
    ],
  },
  {
    name: 'ReplicationController',
    bases: [
      {
        apiVersion: 'v1',
        kind: 'ReplicationController',
        metadata: metadata(),
        spec: { replicas: 2, minReadySeconds: 1, selector: { app: 'web' }, template: template() },
        status: { ...counts, fullyLabeledReplicas: 3, conditions: [condition] },
      },
      {
        apiVersion: 'v1',
        kind: 'ReplicationController',
        metadata: metadata(),
        spec: { selector: { app: 'web' }, ...full },
      },
    ],
  },
  {
    name: 'PodTemplate',
    bases: [
      { apiVersion: 'v1', kind: 'PodTemplate', metadata: metadata(), template: template() },
      { apiVersion: 'v1', kind: 'PodTemplate', metadata: metadata(), ...full },
    ],
  },
];
