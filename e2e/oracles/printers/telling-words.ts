/** Words that decide what a row says, under the names of the fields that hold them. */
import type { JsonObject } from '../../../api/json/json.ts';

const WORDS: Readonly<Record<string, readonly string[]>> = {
  phase: ['Pending', 'Running', 'Succeeded', 'Failed', 'Bound', 'Active', 'Terminating'],
  status: ['True', 'False', 'Unknown'],
  reason: [
    'Completed',
    'Error',
    'NodeLost',
    'PodInitializing',
    'SchedulingGated',
    'CrashLoopBackOff',
  ],
  restartPolicy: ['Always', 'Never'],
  operator: ['In', 'NotIn', 'Exists', 'DoesNotExist'],
  kind: ['Pod', 'User', 'Group', 'ServiceAccount', 'ConfigMap'],
  subresource: ['status'],
  storageClassName: ['fast'],
  preemptionPolicy: ['Never'],
  port: ['http'],
  host: ['a.example.com'],
};

const CONDITION_TYPES = [
  ...['Ready', 'Initialized', 'PodScheduled', 'Available', 'Healthy', 'Dangling'],
  ...['Complete', 'Failed', 'Suspended', 'FailureTarget', 'SuccessCriteriaMet'],
  ...['Approved', 'Denied'],
];

const ANNOTATIONS: readonly JsonObject[] = [
  { 'storageclass.kubernetes.io/is-default-class': 'true' },
  { 'storageclass.beta.kubernetes.io/is-default-class': 'true' },
  { 'ingressclass.kubernetes.io/is-default-class': 'true' },
  { 'volume.beta.kubernetes.io/storage-class': 'annotated' },
  { 'volume.beta.kubernetes.io/storage-class': '' },
  { 'metadata.k8s.io/unknown': 'x' },
];

const LABELS: readonly JsonObject[] = [
  { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge' },
  { b: '2', a: '1', A: '0', 'a.b/c': '' },
];

export const tellingWords: readonly JsonObject[] = [
  ...Object.entries(WORDS).flatMap(([field, words]) => words.map((word) => ({ [field]: word }))),
  ...CONDITION_TYPES.flatMap((type) =>
    ['True', 'False', 'Unknown'].map((status) => ({
      conditions: [{ type, status, reason: status === 'Unknown' ? '' : `${type}Told` }],
    })),
  ),
  ...CONDITION_TYPES.map((type) => ({ type })),
  ...ANNOTATIONS.map((annotations) => ({ annotations })),
  ...LABELS.flatMap((labels) => [{ labels }, { matchLabels: labels }, { nodeSelector: labels }]),
  ...['InternalIP', 'ExternalIP', 'Hostname'].map((type) => ({
    addresses: [{ type, address: `at.${type}` }],
  })),
  { restartCount: 3 },
  { exitCode: 1 },
  { signal: 9 },
];
