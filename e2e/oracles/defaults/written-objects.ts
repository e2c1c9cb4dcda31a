/**
 * Objects as people write them, each with something in it that decides which default applies.
 */
import type { JsonObject } from '../../../api/json/json.ts';

const images = [
  'nginx',
  'nginx:latest',
  'nginx:1.27',
  'NGINX:1.27',
  'nginx:',
  '',
  '/nginx',
  'nginx/',
  'nginx@sha256:' + 'a'.repeat(64),
  'nginx:latest@sha256:' + 'a'.repeat(64),
  'nginx:1@sha256:' + 'a'.repeat(64),
  'nginx@sha256:abc',
  'nginx@sha1:' + 'a'.repeat(40),
  'nginx@sha512:' + 'b'.repeat(128),
  'registry.example.com:5000/team/app',
  'registry.example.com:5000/team/app:v1',
  'registry:5000/app:latest',
  'localhost/app',
  'docker.io/library/busybox',
  'docker.io/busybox:latest',
  'index.docker.io/busybox',
  'Team/app',
  'team/App',
  'a__b/c',
  'a___b/c',
  'a__b.c/d',
  'a--b/c---d:x',
  '[::1]:5000/app',
  '[::1]/app:latest',
  'exa_mple.com/app',
  'a..b/c',
  'a/b:c/d',
  'app:' + 't'.repeat(128),
  'app:' + 't'.repeat(129),
  'app:.t',
  'x'.repeat(240),
  'x'.repeat(248),
  'x'.repeat(256),
  'f'.repeat(64),
  'f'.repeat(63),
  'a b',
  'app:latest ',
  'ünïcode',
];

const amounts = [
  '1',
  '100m',
  '1.5',
  '0.1',
  '0.0001',
  '100u',
  '1500u',
  '1n',
  '-1500u',
  '-100n',
  '0.1234567',
  '1.0001Ki',
  '0.0001Ki',
  '1025',
  '2Gi',
  '1.5Gi',
  '0.5Gi',
  '1e3',
  '1e-4',
  '12345e-7',
  '1E2',
  '3E',
  '0',
  '0.0000000001',
  '1.1111111111Mi',
];

function pod(spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
}

function container(resources: JsonObject, more: JsonObject = {}): JsonObject {
  return { name: 'c', image: 'i:1', resources, ...more };
}

function service(spec: JsonObject, status: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec, status };
}

const podLevel: JsonObject[] = [
  { limits: { cpu: '1' } },
  { requests: { cpu: '1' } },
  { limits: { cpu: '1', memory: '1Gi', 'hugepages-2Mi': '4Mi', 'example.com/gpu': '1' } },
  { limits: {}, requests: { memory: '1Gi' } },
  { requests: { 'hugepages-2Mi': '4Mi' }, limits: { 'hugepages-2Mi': '4Mi' } },
  {},
];

const containersOfPods: JsonObject[] = [
  { containers: [container({})] },
  { containers: [container({ limits: { cpu: '0.5', 'hugepages-2Mi': '2Mi', memory: '100Mi' } })] },
  {
    containers: [
      container({ requests: { cpu: '100m', memory: '1.5Gi' }, limits: { 'hugepages-2Mi': '2Mi' } }),
      container({ requests: { cpu: '1500u' }, limits: { 'hugepages-2Mi': '6Mi', cpu: '2' } }),
    ],
    initContainers: [
      container({ requests: { cpu: '3' } }),
      container({ requests: { cpu: '250m', memory: '64Mi' } }, { restartPolicy: 'Always' }),
      container({ requests: { memory: '4Gi' }, limits: { 'hugepages-1Gi': '1Gi' } }),
    ],
  },
];

const pods: JsonObject[] = [
  ...images.map((image) => pod({ containers: [{ name: 'c', image }] })),
  ...images.map((reference) => pod({ volumes: [{ name: 'v', image: { reference } }] })),
  ...amounts.map((cpu) => pod({ containers: [container({ limits: { cpu } })] })),
  ...amounts.map((cpu) => pod({ overhead: { cpu }, containers: [] })),
  ...podLevel.flatMap((resources) =>
    containersOfPods.map((containers) => pod({ ...containers, resources })),
  ),
  ...amounts.map((memory) =>
    pod({
      resources: { limits: { memory } },
      containers: [container({ requests: { memory } }), container({ requests: { memory: '1Ki' } })],
    }),
  ),
  pod({
    hostNetwork: true,
    containers: [{ name: 'c', ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 9 }] }],
    initContainers: [{ name: 'i', ports: [{ containerPort: 82, hostPort: 0 }] }],
    ephemeralContainers: [{ name: 'e', ports: [{ containerPort: 83 }] }],
  }),
  pod({ volumes: [{ name: 'v' }, { name: 'n', emptyDir: null }, { name: 'h', hostPath: {} }] }),
  pod({
    containers: [
      {
        name: 'c',
        livenessProbe: {},
        readinessProbe: { httpGet: { port: 80 }, timeoutSeconds: 0 },
        startupProbe: { grpc: { port: 1 }, periodSeconds: 3 },
        lifecycle: { preStop: { httpGet: { port: 'http', path: '' } } },
      },
    ],
    terminationGracePeriodSeconds: 0,
  }),
];

const services: JsonObject[] = [
  ...['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName', ''].flatMap((type) => [
    service({ type, ports: [{ port: 80 }, { port: 81, targetPort: 0 }] }),
    service({ type, externalIPs: ['1.2.3.4'], ports: [{ port: 80, targetPort: 'web' }] }),
    service(
      { type, sessionAffinity: 'ClientIP', allocateLoadBalancerNodePorts: false },
      {
        loadBalancer: {
          ingress: [{ ip: '1.1.1.1' }, { hostname: 'h' }, { ip: '2', ipMode: 'Proxy' }],
        },
      },
    ),
  ]),
  service({ sessionAffinity: 'None', sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } } }),
  service({ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: {} } }),
  service({
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
  }),
  service({ ports: [{ port: 80, targetPort: '' }] }),
];

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c' }] } };

function workload(apiVersion: string, kind: string, spec: JsonObject, labels = {}): JsonObject {
  return { apiVersion, kind, metadata: { name: 'w', labels }, spec };
}

const workloads: JsonObject[] = [
  ...[{}, { type: 'RollingUpdate' }, { type: 'OnDelete' }, { rollingUpdate: {} }].flatMap(
    (strategy) => [
      workload('apps/v1', 'StatefulSet', { updateStrategy: strategy, template }),
      workload('apps/v1', 'DaemonSet', { updateStrategy: strategy, template }),
      workload('apps/v1', 'Deployment', { strategy, template }),
    ],
  ),
  workload('apps/v1', 'Deployment', { strategy: { type: 'Recreate' }, replicas: 0, template }),
  workload('apps/v1', 'StatefulSet', { volumeClaimTemplates: [{ metadata: { name: 'd' } }] }),
  ...[{}, { parallelism: 2 }, { completions: 3 }, { parallelism: 0, completions: 0 }].map((spec) =>
    workload('batch/v1', 'Job', { ...spec, template }),
  ),
  workload('batch/v1', 'Job', { template, backoffLimitPerIndex: 1 }, { own: 'label' }),
  workload('batch/v1', 'Job', {
    podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'T' }] }] },
  }),
  workload('batch/v1', 'CronJob', { jobTemplate: { spec: { template } } }),
  workload('v1', 'ReplicationController', { template }),
  workload(
    'v1',
    'ReplicationController',
    { selector: { b: 'c' }, replicas: 0, template },
    { x: 'y' },
  ),
  workload('v1', 'ReplicationController', {}),
];

const others: JsonObject[] = [
  ...[{}, { scaleUp: {} }, { scaleDown: { policies: [], selectPolicy: 'Min' } }].map((behavior) =>
    workload('autoscaling/v2', 'HorizontalPodAutoscaler', { behavior, maxReplicas: 3 }),
  ),
  workload('autoscaling/v1', 'HorizontalPodAutoscaler', { maxReplicas: 3 }),
  workload('networking.k8s.io/v1', 'NetworkPolicy', { egress: [{ ports: [{ port: 1 }] }] }),
  workload('networking.k8s.io/v1', 'NetworkPolicy', { ingress: [{ ports: [{}] }], egress: [] }),
  workload('v1', 'LimitRange', {
    limits: [
      { type: 'Container', max: { cpu: '2', memory: '1Gi' }, min: { cpu: '1500u', x: '1' } },
      { type: 'Pod', max: { cpu: '100u' } },
    ],
  }),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', labels: { a: 'b' } } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'n-' } },
  { apiVersion: 'v1', kind: 'Node', status: { capacity: { cpu: '4', memory: '1.5Gi' } } },
  { apiVersion: 'v1', kind: 'Secret', stringData: { a: 'b' } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    roleRef: { kind: 'Role', name: 'r' },
    subjects: [{ kind: 'User' }, { kind: 'Group' }, { kind: 'ServiceAccount' }, { kind: 'Other' }],
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    spec: {
      rbd: {},
      azureDisk: {},
      iscsi: {},
      scaleIO: {},
      hostPath: {},
      capacity: { storage: '1u' },
    },
  },
];

export const writtenObjects: readonly JsonObject[] = [
  ...pods,
  ...services,
  ...workloads,
  ...others,
];
