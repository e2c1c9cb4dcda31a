/** Nodes, volumes, events, roles and what else a cluster is run by. */
import type { JsonObject } from '../../../api/json/json.ts';
import { ago, condition, object, selectors } from './cluster-object.fixture.ts';

export const clusterStates: JsonObject[] = [
  ...[{}, { unschedulable: true }].flatMap((spec) =>
    ['True', 'False', 'Unknown'].map((status) =>
      object(
        'v1',
        'Node',
        {
          spec,
          status: {
            conditions: [condition('MemoryPressure'), condition('Ready', status)],
            nodeInfo: { kubeletVersion: 'v1.36.3', architecture: 'amd64', osImage: 'os' },
            addresses: [
              { type: 'Hostname', address: 'h' },
              { type: 'InternalIP', address: '10.0.0.1' },
            ],
          },
        },
        {
          labels: {
            'node-role.kubernetes.io/worker': '',
            'node-role.kubernetes.io/control-plane': '',
            'kubernetes.io/role': 'z',
          },
        },
      ),
    ),
  ),
  object('v1', 'Node', {}),
  object('v1', 'ResourceQuota', {
    status: {
      hard: { 'limits.cpu': '2', pods: '10', cpu: '1', 'limits.memory': '1Gi', limits: '3' },
      used: { cpu: '500m' },
    },
  }),
  object('v1', 'ComponentStatus', {
    conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
  }),
  object('v1', 'ComponentStatus', {
    conditions: [{ type: 'Healthy', status: 'False', error: 'no' }],
  }),
  object('v1', 'ComponentStatus', {}),
  ...events(),
  ...volumes(),
  ...access(),
  ...flowControl(),
  ...apiServices(),
  object('v1', 'ServiceAccount', {}),
  object('v1', 'ConfigMap', { data: { a: 'b' }, binaryData: { c: '', d: '' } }),
  object('v1', 'Secret', { type: 'Opaque', data: { a: '' } }),
  object('policy/v1', 'PodDisruptionBudget', {
    spec: { minAvailable: 2 },
    status: { disruptionsAllowed: 1 },
  }),
  object('policy/v1', 'PodDisruptionBudget', { spec: { maxUnavailable: '25%' } }),
  ...[{}, { deletionTimestamp: ago(9) }].flatMap((metadata) =>
    [
      {},
      { allocation: {} },
      { allocation: {}, reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] },
    ].map((status) => object('resource.k8s.io/v1', 'ResourceClaim', { status }, metadata)),
  ),
];

function events(): JsonObject[] {
  const about = { kind: 'Pod', name: 'p', fieldPath: 'spec.x' };
  const base = { type: 'Normal', reason: 'R', message: ' m \n' };
  const times = { firstTimestamp: ago(600), lastTimestamp: ago(30), count: 5 };
  const series = { count: 3, lastObservedTime: '1999-12-31T23:59:01.000000Z' };
  return [
    object('v1', 'Event', {
      ...base,
      ...times,
      involvedObject: about,
      source: { component: 'c', host: 'h' },
    }),
    object('v1', 'Event', {
      ...base,
      involvedObject: { kind: 'Node' },
      eventTime: '1999-12-31T23:50:00.000000Z',
    }),
    object('v1', 'Event', {
      ...base,
      ...times,
      series,
      reportingComponent: 'rc',
      reportingInstance: 'ri',
    }),
    object('v1', 'Event', { ...base, firstTimestamp: ago(600), source: { component: 'c' } }),
    object('events.k8s.io/v1', 'Event', {
      ...base,
      message: undefined,
      note: 'n ',
      regarding: about,
      deprecatedFirstTimestamp: ago(90),
      deprecatedLastTimestamp: ago(9),
      deprecatedCount: 2,
      deprecatedSource: { component: 'dc' },
    }),
    object('events.k8s.io/v1', 'Event', {
      regarding: about,
      series,
      reportingController: 'rc',
      reportingInstance: 'ri',
    }),
  ];
}

function volumes(): JsonObject[] {
  const modes = [
    'ReadWriteMany',
    'ReadWriteOnce',
    'ReadWriteOnce',
    'ReadOnlyMany',
    'ReadWriteOncePod',
  ];
  const annotated = { annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } };
  const spec = { capacity: { storage: '10Gi' }, accessModes: modes, storageClassName: 'fast' };
  return [
    object('v1', 'PersistentVolume', { spec, status: { phase: 'Bound', reason: 'r' } }),
    object(
      'v1',
      'PersistentVolume',
      { spec: { claimRef: { namespace: 'n', name: 'c' } } },
      annotated,
    ),
    object('v1', 'PersistentVolume', { spec }, { deletionTimestamp: ago(1) }),
    object('v1', 'PersistentVolumeClaim', {
      spec: { storageClassName: 'fast' },
      status: { phase: 'Pending' },
    }),
    object('v1', 'PersistentVolumeClaim', {
      spec: { volumeName: 'v', volumeMode: 'Block', volumeAttributesClassName: 'gold' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: modes },
    }),
    object(
      'v1',
      'PersistentVolumeClaim',
      { spec: { volumeName: 'v' } },
      { ...annotated, deletionTimestamp: ago(1) },
    ),
    object(
      'storage.k8s.io/v1',
      'StorageClass',
      { provisioner: 'p', allowVolumeExpansion: true },
      {
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
    ),
    object(
      'storage.k8s.io/v1',
      'StorageClass',
      { provisioner: 'p' },
      {
        annotations: { 'storageclass.beta.kubernetes.io/is-default-class': 'true' },
      },
    ),
    object('storage.k8s.io/v1', 'CSIDriver', {
      spec: { tokenRequests: [{ audience: 'a' }, { audience: 'b' }] },
    }),
    object('storage.k8s.io/v1', 'CSIDriver', {
      spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral', 'Persistent'] },
    }),
    object('storage.k8s.io/v1', 'VolumeAttachment', {
      spec: { attacher: 'a', source: { persistentVolumeName: 'v' }, nodeName: 'n' },
      status: { attached: true },
    }),
  ];
}

function access(): JsonObject[] {
  const subjects = [
    { kind: 'User', name: 'u' },
    { kind: 'Group', name: 'g' },
    { kind: 'ServiceAccount', namespace: 'n', name: 's' },
    { kind: 'User', name: 'v' },
    { kind: 'Other', name: 'o' },
  ];
  const roleRef = { kind: 'ClusterRole', name: 'admin' };
  const types = [[], ['Approved'], ['Denied', 'Approved'], ['Approved', 'Failed']];
  const params = [
    { name: 'p' },
    { name: 'p', namespace: 'n' },
    ...selectors.map((selector) => ({ selector })),
    {},
  ];
  return [
    object('rbac.authorization.k8s.io/v1', 'RoleBinding', { roleRef, subjects }),
    object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', { roleRef }),
    ...types.flatMap((list) => [
      object('certificates.k8s.io/v1', 'CertificateSigningRequest', {
        spec: { signerName: 's', username: 'u', expirationSeconds: 3600 },
        status: { conditions: list.map((type) => condition(type)) },
      }),
      object('certificates.k8s.io/v1', 'CertificateSigningRequest', {
        status: { conditions: list.map((type) => condition(type)), certificate: 'AAAA' },
      }),
    ]),
    ...params.flatMap((paramRef) => [
      object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', {
        spec: { policyName: 'p', paramRef },
      }),
      object('admissionregistration.k8s.io/v1', 'MutatingAdmissionPolicyBinding', {
        spec: { policyName: 'p', paramRef },
      }),
    ]),
    object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', {
      spec: { paramKind: { apiVersion: 'a/v1', kind: 'K' }, validations: [{}] },
    }),
  ];
}

function flowControl(): JsonObject[] {
  const group = 'flowcontrol.apiserver.k8s.io/v1';
  return [
    object(group, 'FlowSchema', {
      spec: { matchingPrecedence: 5, distinguisherMethod: { type: 'ByUser' } },
    }),
    object(group, 'FlowSchema', { status: { conditions: [condition('Dangling', 'False')] } }),
    object(group, 'PriorityLevelConfiguration', { spec: { type: 'Exempt', exempt: {} } }),
    object(group, 'PriorityLevelConfiguration', {
      spec: {
        type: 'Limited',
        limited: { nominalConcurrencyShares: 0, limitResponse: { type: 'Reject' } },
      },
    }),
    object(group, 'PriorityLevelConfiguration', {
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 30,
          limitResponse: { queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
        },
      },
    }),
    object('scheduling.k8s.io/v1', 'PriorityClass', {
      value: -5,
      globalDefault: true,
      preemptionPolicy: 'Never',
    }),
    object('coordination.k8s.io/v1', 'Lease', { spec: { holderIdentity: 'h' } }),
  ];
}

function apiServices(): JsonObject[] {
  const spec = {
    group: 'a.example.com',
    version: 'v1',
    groupPriorityMinimum: 1,
    versionPriority: 1,
  };
  const states = ['True', 'False', 'Unknown'].flatMap((status) =>
    ['', 'Local', 'FailedDiscoveryCheck'].map((reason) => condition('Available', status, reason)),
  );
  return [
    ...states.map((state) => ({ spec, status: { conditions: [state] } })),
    { spec: { ...spec, service: { namespace: 'ns', name: 'api', port: 443 } }, status: {} },
    { spec: { ...spec, service: { name: 'api' } }, status: { conditions: [condition('Other')] } },
  ].map((rest) => object('apiregistration.k8s.io/v1', 'APIService', rest));
}
