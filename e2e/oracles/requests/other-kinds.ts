/** Kinds that histories of their own are about: `npm run parity:requests -- --kinds others`. */
import type { Chance } from '../../robustness/chance.ts';
import type { JsonObject, JsonValue } from '../../support/json.ts';
import { container, kindOf, podTemplate, type WalkedKind } from './walked-kinds.ts';

const RBAC = 'rbac.authorization.k8s.io';
const STATUS = ['status'];
const SCALED = ['status', 'scale'];

/** Of workloads whose pods go on. */
const running = (chance: Chance): JsonObject => ({
  metadata: { labels: { app: chance.happens(0.9) ? 'x' : 'y' } },
  spec: { containers: [container(chance)] },
});
const SELECTOR = { matchLabels: { app: 'x' } };

const WORKLOADS: readonly WalkedKind[] = [
  kindOf(
    'ReplicaSet',
    'replicasets',
    { apiVersion: 'apps/v1', subresources: SCALED },
    (chance) => ({
      spec: {
        replicas: chance.oneOf<JsonValue>([0, 1, 2, -1]),
        ...(chance.happens(0.9) ? { selector: SELECTOR } : {}),
        template: running(chance),
      },
    }),
  ),
  kindOf('DaemonSet', 'daemonsets', { apiVersion: 'apps/v1', subresources: STATUS }, (chance) => ({
    spec: {
      selector: SELECTOR,
      template: running(chance),
      ...(chance.happens(0.3)
        ? { updateStrategy: { type: chance.oneOf(['OnDelete', 'RollingUpdate', 'Odd']) } }
        : {}),
    },
  })),
  kindOf(
    'ReplicationController',
    'replicationcontrollers',
    { apiVersion: 'v1', subresources: SCALED },
    (chance) => ({
      spec: {
        replicas: chance.below(3),
        ...(chance.happens(0.6) ? { selector: { app: 'x' } } : {}),
        template: running(chance),
      },
    }),
  ),
  kindOf('PodTemplate', 'podtemplates', { apiVersion: 'v1' }, (chance) => ({
    template: chance.happens(0.8) ? running(chance) : podTemplate(chance),
  })),
  kindOf('ControllerRevision', 'controllerrevisions', { apiVersion: 'apps/v1' }, (chance) => ({
    revision: chance.oneOf<JsonValue>([1, 2, -1]),
    ...(chance.happens(0.8) ? { data: { spec: { a: chance.below(2) } } } : {}),
  })),
  kindOf(
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    { apiVersion: 'autoscaling/v1', subresources: STATUS },
    (chance) => ({
      spec: {
        maxReplicas: chance.oneOf<JsonValue>([3, 5, 0]),
        ...(chance.happens(0.5) ? { targetCPUUtilizationPercentage: 50 } : {}),
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
      },
    }),
  ),
];

const NAMESPACED: readonly WalkedKind[] = [
  kindOf(
    'ResourceQuota',
    'resourcequotas',
    { apiVersion: 'v1', subresources: STATUS },
    (chance) => ({
      spec: {
        hard: chance.oneOf<JsonObject>([
          { pods: '5' },
          { cpu: 2 },
          { odd: '1' },
          { 'x.io/y': '1' },
        ]),
        ...(chance.happens(0.2) ? { scopes: [chance.oneOf(['BestEffort', 'Odd'])] } : {}),
      },
    }),
  ),
  kindOf('Endpoints', 'endpoints', { apiVersion: 'v1' }, (chance) => ({
    subsets: [
      {
        addresses: [{ ip: chance.oneOf(['192.0.2.1', '127.0.0.1', 'x']) }],
        ports: [{ port: chance.oneOf<JsonValue>([80, 0]), name: chance.oneOf(['http', '']) }],
      },
    ],
  })),
  kindOf('EndpointSlice', 'endpointslices', { apiVersion: 'discovery.k8s.io/v1' }, (chance) => ({
    addressType: chance.oneOf(['IPv4', 'IPv4', 'IPv6', 'FQDN', 'Odd']),
    endpoints: [
      {
        addresses: [chance.oneOf(['192.0.2.1', '2001:db8::1', 'a.example.com'])],
        ...(chance.happens(0.5) ? { conditions: { ready: chance.happens(0.5) } } : {}),
      },
    ],
    ports: [{ name: 'http', port: 80, ...(chance.happens(0.3) ? { protocol: 'UDP' } : {}) }],
  })),
  kindOf('Role', 'roles', { apiVersion: `${RBAC}/v1` }, (chance) => ({
    rules: [
      {
        verbs: chance.oneOf<JsonValue>([['get'], ['*'], []]),
        apiGroups: [''],
        resources: chance.oneOf<JsonValue>([['pods'], ['pods', 'pods/log'], []]),
        ...(chance.happens(0.1) ? { nonResourceURLs: ['/x'] } : {}),
      },
    ],
  })),
  kindOf(
    'ResourceClaim',
    'resourceclaims',
    { apiVersion: 'resource.k8s.io/v1', subresources: STATUS },
    (chance) => ({
      spec: {
        devices: {
          requests: [
            {
              name: chance.oneOf(['r', 'R']),
              exactly: { deviceClassName: 'c', ...(chance.happens(0.5) ? { count: 2 } : {}) },
            },
          ],
        },
      },
    }),
  ),
  kindOf(
    'CSIStorageCapacity',
    'csistoragecapacities',
    { apiVersion: 'storage.k8s.io/v1' },
    (chance) => ({
      storageClassName: chance.oneOf(['c', 'd', '']),
      capacity: chance.oneOf<JsonValue>(['1Gi', 5, 'x']),
    }),
  ),
];

const OF_THE_CLUSTER: readonly WalkedKind[] = [
  cluster('PersistentVolume', 'persistentvolumes', 'v1', STATUS, (chance) => ({
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: chance.oneOf<JsonValue>(['1Gi', 5, 'x']) },
      hostPath: { path: '/a' },
      ...(chance.happens(0.3)
        ? { persistentVolumeReclaimPolicy: chance.oneOf(['Delete', 'Odd']) }
        : {}),
    },
  })),
  cluster('ClusterRoleBinding', 'clusterrolebindings', `${RBAC}/v1`, [], (chance) => ({
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: chance.oneOf(['a', 'view']) },
    subjects: [{ kind: chance.oneOf(['User', 'Group', 'Odd']), name: 'jane' }],
  })),
  cluster('IngressClass', 'ingressclasses', 'networking.k8s.io/v1', [], (chance) => ({
    spec: {
      controller: chance.oneOf(['example.com/c', 'example.com/d', 'c']),
      ...(chance.happens(0.3) ? { parameters: { kind: 'P', name: 'p', apiGroup: 'x.io' } } : {}),
    },
  })),
  cluster('RuntimeClass', 'runtimeclasses', 'node.k8s.io/v1', [], (chance) => ({
    handler: chance.oneOf(['runc', 'kata', 'A']),
    ...(chance.happens(0.3) ? { overhead: { podFixed: { cpu: '1m' } } } : {}),
  })),
  cluster('CSIDriver', 'csidrivers', 'storage.k8s.io/v1', [], (chance) => ({
    spec: { attachRequired: chance.happens(0.5), podInfoOnMount: chance.happens(0.5) },
  })),
  cluster('VolumeAttachment', 'volumeattachments', 'storage.k8s.io/v1', STATUS, (chance) => ({
    spec: {
      attacher: chance.oneOf(['a.example.com', 'b.example.com', 'A B']),
      nodeName: chance.oneOf(['n', '']),
      source: { persistentVolumeName: 'v' },
    },
  })),
  cluster('FlowSchema', 'flowschemas', 'flowcontrol.apiserver.k8s.io/v1', STATUS, (chance) => ({
    spec: {
      priorityLevelConfiguration: { name: chance.oneOf(['global-default', 'a', '']) },
      matchingPrecedence: chance.oneOf<JsonValue>([9_000, 1, 0, 10_001]),
    },
  })),
  cluster(
    'PriorityLevelConfiguration',
    'prioritylevelconfigurations',
    'flowcontrol.apiserver.k8s.io/v1',
    STATUS,
    (chance) => ({
      spec: {
        type: chance.oneOf(['Limited', 'Exempt', 'Odd']),
        ...(chance.happens(0.7)
          ? {
              limited: {
                nominalConcurrencyShares: chance.below(3),
                limitResponse: { type: 'Reject' },
              },
            }
          : {}),
      },
    }),
  ),
  cluster('DeviceClass', 'deviceclasses', 'resource.k8s.io/v1', [], (chance) => ({
    spec: {
      selectors: [
        {
          cel: {
            expression: chance.oneOf(['device.driver == "d"', 'true', 'x', 'device.nothing']),
          },
        },
      ],
    },
  })),
  cluster('Namespace', 'namespaces', 'v1', ['status', 'finalize'], (chance) => ({
    ...(chance.happens(0.3)
      ? { spec: { finalizers: chance.oneOf<JsonValue>([['kubernetes'], ['x.io/f'], ['f'], []]) } }
      : {}),
  })),
];

function cluster(
  kind: string,
  plural: string,
  apiVersion: string,
  subresources: readonly string[],
  content: (chance: Chance) => JsonObject,
): WalkedKind {
  return kindOf(kind, plural, { apiVersion, isNamespaced: false, subresources }, content);
}

/** None of them is among the usual ones. */
export const OTHER_KINDS: readonly WalkedKind[] = [...WORKLOADS, ...NAMESPACED, ...OF_THE_CLUSTER];
