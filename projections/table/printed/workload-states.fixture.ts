/** What makes pods, at work, done and failed. */
import type { JsonObject } from '../../../api/json/json.ts';
import { ago, condition, object, selectors } from './cluster-object.fixture.ts';

const template = {
  spec: {
    containers: [
      { name: 'a', image: 'i:1' },
      { name: 'b', image: 'j:2' },
    ],
    nodeSelector: { disk: 'ssd', arch: 'arm64' },
  },
};

export const workloadStates: JsonObject[] = [
  ...selectors.flatMap((selector) => [
    object('apps/v1', 'Deployment', {
      spec: { replicas: 3, selector, template },
      status: { readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 },
    }),
    object('apps/v1', 'ReplicaSet', {
      spec: { replicas: 3, selector, template },
      status: { replicas: 3 },
    }),
    object('apps/v1', 'DaemonSet', { spec: { selector, template }, status: { numberReady: 4 } }),
    object('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: selector } }),
  ]),
  object('apps/v1', 'Deployment', {}),
  object('apps/v1', 'ReplicaSet', {}),
  object('networking.k8s.io/v1', 'NetworkPolicy', {}),
  object('apps/v1', 'StatefulSet', {
    spec: { replicas: 0, template },
    status: { readyReplicas: 1 },
  }),
  object('v1', 'ReplicationController', { spec: { selector: { b: '1', a: '2' }, template } }),
  object('v1', 'PodTemplate', { template: { ...template, metadata: { labels: { a: 'b' } } } }),
  ...['apps/v1', 'v1', 'a.example.com/v2'].map((apiVersion) =>
    object(
      'apps/v1',
      'ControllerRevision',
      { revision: 7 },
      {
        ownerReferences: [
          { apiVersion, kind: 'StatefulSet', name: 'w', uid: 'u', controller: true },
        ],
      },
    ),
  ),
  ...jobs(),
  object('batch/v1', 'CronJob', {
    spec: {
      schedule: '* * * * *',
      suspend: true,
      timeZone: 'Europe/Berlin',
      jobTemplate: { spec: { template } },
    },
    status: { active: [{ name: 'x' }], lastScheduleTime: ago(61) },
  }),
  object('batch/v1', 'CronJob', { spec: { schedule: '@daily', suspend: false } }),
];

function jobs(): JsonObject[] {
  const conditions = ['Complete', 'Failed', 'Suspended', 'FailureTarget', 'SuccessCriteriaMet'];
  return [
    ...conditions.flatMap((type) => [
      object('batch/v1', 'Job', {
        spec: { completions: 3 },
        status: { conditions: [condition(type)] },
      }),
      object(
        'batch/v1',
        'Job',
        { status: { conditions: [condition(type)] } },
        { deletionTimestamp: ago(1) },
      ),
      object('batch/v1', 'Job', {
        status: { conditions: [condition(type, 'False'), condition(type)] },
      }),
    ]),
    object('batch/v1', 'Job', {
      spec: { parallelism: 4 },
      status: { succeeded: 2, startTime: ago(500) },
    }),
    object('batch/v1', 'Job', { status: { startTime: ago(500), completionTime: ago(200) } }),
  ];
}
