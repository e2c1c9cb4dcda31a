/** The kinds that random histories of requests are about: built-in and custom ones, with and without a namespace. */
import type { Chance } from '../../robustness/chance.ts';
import type { JsonObject, JsonValue } from '../../support/json.ts';

export interface WalkedKind {
  readonly kind: string;
  readonly apiVersion: string;
  /** The path of its collection behind the namespace, as `apps/v1` and `deployments`. */
  readonly prefix: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly subresources: readonly string[];
  readonly fieldSelectors: readonly string[];
  /** Everything of an object but its type and its metadata, valid more often than not. */
  content(chance: Chance): JsonObject;
}

/** Of a pod. */
export const container = (chance: Chance): JsonObject => ({
  name: chance.oneOf(['main', 'main', 'side']),
  image: chance.oneOf(['a:1', 'b:2']),
  ...(chance.happens(0.3) ? { env: [{ name: 'A', value: chance.oneOf(['1', '2']) }] } : {}),
  ...(chance.happens(0.3) ? { ports: [{ containerPort: 80 + chance.below(2) }] } : {}),
});

const deployment = (apiVersion: string): WalkedKind => ({
  kind: 'Deployment',
  apiVersion,
  prefix: `/apis/${apiVersion}`,
  plural: 'deployments',
  isNamespaced: true,
  subresources: ['status', 'scale'],
  fieldSelectors: ['metadata.name=a', 'metadata.namespace!=default', 'spec.replicas=1'],
  content: (chance) => ({
    spec: {
      replicas: chance.below(3),
      selector: { matchLabels: { app: 'x' } },
      template: {
        metadata: { labels: { app: chance.happens(0.9) ? 'x' : 'y' } },
        spec: { containers: [container(chance)] },
      },
    },
  }),
});

const crontab = (version: string): WalkedKind => ({
  kind: 'CronTab',
  apiVersion: `walk.example.com/${version}`,
  prefix: `/apis/walk.example.com/${version}`,
  plural: 'crontabs',
  isNamespaced: true,
  subresources: ['status', 'scale'],
  fieldSelectors: ['metadata.name=a', 'spec.image=a:1', 'spec.replicas=1'],
  content: (chance) => ({
    spec: {
      replicas: chance.below(4),
      image: chance.oneOf(['a:1', 'b:2']),
      ...(chance.happens(0.3) ? { items: [{ key: 'k', value: chance.below(3) }] } : {}),
      ...(chance.happens(0.1) ? { nowhere: { a: 1 } } : {}),
    },
    ...(chance.happens(0.3) ? { status: { replicas: chance.below(3) } } : {}),
  }),
});

/** A kind whose objects are mostly like this one; what is wrong with the others is put into them afterwards. */
export function kindOf(
  kind: string,
  plural: string,
  {
    apiVersion,
    isNamespaced = true,
    subresources = [],
  }: Partial<WalkedKind> & { apiVersion: string },
  content: (chance: Chance) => JsonObject,
): WalkedKind {
  const prefix = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const fieldSelectors = ['metadata.name=a', 'type=Opaque', 'involvedObject.name=a', 'reason!=x'];
  return { kind, apiVersion, prefix, plural, isNamespaced, subresources, fieldSelectors, content };
}

/** Of pods that end. */
export const podTemplate = (chance: Chance): JsonObject => ({
  metadata: { labels: { app: 'x' } },
  spec: { restartPolicy: 'Never', containers: [container(chance)] },
});

const FURTHER_KINDS: readonly WalkedKind[] = [
  kindOf('Secret', 'secrets', { apiVersion: 'v1' }, (chance) => ({
    type: chance.oneOf(['Opaque', 'Opaque', 'kubernetes.io/tls', 'kubernetes.io/basic-auth']),
    ...(chance.happens(0.5) ? { stringData: { a: 'b' } } : { data: { a: 'Yg==' } }),
    ...(chance.happens(0.1) ? { immutable: true } : {}),
  })),
  kindOf(
    'ServiceAccount',
    'serviceaccounts',
    { apiVersion: 'v1', subresources: ['token'] },
    () => ({}),
  ),
  kindOf('Event', 'events', { apiVersion: 'v1' }, (chance) => ({
    involvedObject: { kind: 'Pod', name: 'a', namespace: chance.oneOf(['default', 'other', '']) },
    reason: chance.oneOf(['x', 'y']),
    message: 'm',
    type: chance.oneOf(['Normal', 'Odd']),
  })),
  kindOf('Event', 'events', { apiVersion: 'events.k8s.io/v1' }, (chance) => ({
    regarding: { kind: 'Pod', name: 'a', namespace: chance.oneOf(['default', 'other', '']) },
    reason: 'x',
    action: chance.oneOf(['a', '']),
    type: 'Normal',
    reportingController: 'walk/x',
    reportingInstance: 'i',
    eventTime: chance.oneOf<JsonValue>(['2026-01-02T03:04:05.000006Z', null]),
  })),
  kindOf('LimitRange', 'limitranges', { apiVersion: 'v1' }, () => ({
    spec: {
      limits: [
        {
          type: 'Container',
          default: { cpu: '1' },
          max: { cpu: '2' },
        },
      ],
    },
  })),
  kindOf(
    'PersistentVolumeClaim',
    'persistentvolumeclaims',
    { apiVersion: 'v1', subresources: ['status'] },
    (chance) => ({
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: chance.oneOf<JsonValue>(['1Gi', '2Gi', 5, 'x']) } },
      },
    }),
  ),
  kindOf('Job', 'jobs', { apiVersion: 'batch/v1', subresources: ['status'] }, (chance) => ({
    spec: { parallelism: chance.below(3), template: podTemplate(chance) },
  })),
  kindOf('CronJob', 'cronjobs', { apiVersion: 'batch/v1', subresources: ['status'] }, (chance) => ({
    spec: {
      schedule: chance.oneOf(['* * * * *', 'x', '@daily']),
      jobTemplate: { spec: { template: podTemplate(chance) } },
    },
  })),
  kindOf(
    'StatefulSet',
    'statefulsets',
    { apiVersion: 'apps/v1', subresources: ['status', 'scale'] },
    (chance) => ({
      spec: {
        serviceName: 's',
        replicas: chance.below(3),
        selector: { matchLabels: { app: 'x' } },
        template: { ...podTemplate(chance), spec: { containers: [container(chance)] } },
      },
    }),
  ),
  kindOf(
    'PodDisruptionBudget',
    'poddisruptionbudgets',
    { apiVersion: 'policy/v1', subresources: ['status'] },
    (chance) => ({
      spec: {
        selector: { matchLabels: { app: 'x' } },
        minAvailable: chance.oneOf<JsonValue>([1, '50%', '5', -1]),
        ...(chance.happens(0.1) ? { maxUnavailable: 1 } : {}),
      },
    }),
  ),
  kindOf('NetworkPolicy', 'networkpolicies', { apiVersion: 'networking.k8s.io/v1' }, (chance) => ({
    spec: {
      podSelector: {},
      ingress: [{ ports: [{ port: chance.oneOf<JsonValue>([80, 'http', 0]) }] }],
      ...(chance.happens(0.3) ? { policyTypes: chance.oneOf([['Ingress'], ['Odd']]) } : {}),
    },
  })),
  kindOf(
    'Ingress',
    'ingresses',
    { apiVersion: 'networking.k8s.io/v1', subresources: ['status'] },
    (chance) => ({
      spec: {
        ...(chance.happens(0.2) ? { ingressClassName: 'c' } : {}),
        defaultBackend: {
          service: {
            name: 's',
            port: chance.oneOf<JsonObject>([{ number: 80 }, { name: 'x' }, {}]),
          },
        },
      },
    }),
  ),
  kindOf(
    'RoleBinding',
    'rolebindings',
    { apiVersion: 'rbac.authorization.k8s.io/v1' },
    (chance) => ({
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: chance.oneOf(['ClusterRole', 'Role']),
        name: chance.oneOf(['a', 'view']),
      },
      subjects: [
        {
          kind: chance.oneOf(['User', 'ServiceAccount']),
          name: 'jane',
          ...(chance.happens(0.3) ? { namespace: 'default' } : {}),
        },
      ],
    }),
  ),
  kindOf(
    'PriorityClass',
    'priorityclasses',
    { apiVersion: 'scheduling.k8s.io/v1', isNamespaced: false },
    (chance) => ({
      value: chance.oneOf<JsonValue>([1, 2, 2_000_000_000]),
      ...(chance.happens(0.2) ? { globalDefault: true } : {}),
    }),
  ),
  kindOf(
    'StorageClass',
    'storageclasses',
    { apiVersion: 'storage.k8s.io/v1', isNamespaced: false },
    (chance) => ({
      provisioner: chance.oneOf(['p', 'q', '']),
      ...(chance.happens(0.3) ? { parameters: { a: 'b' } } : {}),
    }),
  ),
];

export const WALKED_KINDS: readonly WalkedKind[] = [
  {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    prefix: '/api/v1',
    plural: 'configmaps',
    isNamespaced: true,
    subresources: [],
    fieldSelectors: ['metadata.name=a', 'metadata.name!=a', 'data.k=v'],
    content: (chance) => ({
      data: { k: chance.oneOf(['v', 'w']), ...(chance.happens(0.2) ? { 'b c': 'x' } : {}) },
      ...(chance.happens(0.1) ? { immutable: chance.happens(0.5) } : {}),
      ...(chance.happens(0.1) ? { binaryData: { b: chance.oneOf(['AAEC', '!']) } } : {}),
    }),
  },
  deployment('apps/v1'),
  {
    kind: 'Pod',
    apiVersion: 'v1',
    prefix: '/api/v1',
    plural: 'pods',
    isNamespaced: true,
    subresources: ['status', 'ephemeralcontainers', 'eviction', 'binding', 'resize', 'log', 'exec'],
    fieldSelectors: [
      'spec.nodeName=n',
      'status.phase=Pending',
      'status.phase!=Running',
      'spec.x=1',
    ],
    content: (chance) => ({
      spec: {
        containers: [container(chance)],
        ...(chance.happens(0.2) ? { nodeName: 'n' } : {}),
        ...(chance.happens(0.2) ? { restartPolicy: chance.oneOf(['Never', 'Maybe']) } : {}),
      },
      ...(chance.happens(0.2) ? { status: { phase: 'Running' } } : {}),
    }),
  },
  {
    kind: 'Node',
    apiVersion: 'v1',
    prefix: '/api/v1',
    plural: 'nodes',
    isNamespaced: false,
    subresources: ['status', 'proxy'],
    fieldSelectors: ['spec.unschedulable=true', 'metadata.name=a', 'spec.podCIDR=x'],
    content: (chance) => ({
      spec: { ...(chance.happens(0.4) ? { unschedulable: true } : {}) },
      ...(chance.happens(0.4)
        ? { status: { capacity: { cpu: chance.oneOf<JsonValue>(['1', 'x', 2, '100m']) } } }
        : {}),
    }),
  },
  {
    kind: 'ClusterRole',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    prefix: '/apis/rbac.authorization.k8s.io/v1',
    plural: 'clusterroles',
    isNamespaced: false,
    subresources: ['status'],
    fieldSelectors: ['metadata.name=a'],
    content: (chance) => ({
      rules: [
        {
          verbs: chance.oneOf<JsonValue>([['get'], [], ['*']]),
          ...(chance.happens(0.8) ? { apiGroups: [''], resources: ['pods'] } : {}),
          ...(chance.happens(0.2) ? { nonResourceURLs: ['/x'] } : {}),
        },
      ],
    }),
  },
  {
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    prefix: '/apis/coordination.k8s.io/v1',
    plural: 'leases',
    isNamespaced: true,
    subresources: [],
    fieldSelectors: ['metadata.name=a'],
    content: (chance) => ({
      spec: {
        holderIdentity: chance.oneOf(['x', 'y', '']),
        leaseDurationSeconds: chance.oneOf<JsonValue>([10, 0, -1, '5']),
        ...(chance.happens(0.4)
          ? { renewTime: chance.oneOf(['2026-01-02T03:04:05.000006Z', 'soon']) }
          : {}),
      },
    }),
  },
  {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    prefix: '/apis/autoscaling/v2',
    plural: 'horizontalpodautoscalers',
    isNamespaced: true,
    subresources: ['status'],
    fieldSelectors: ['metadata.name=a'],
    content: (chance) => ({
      spec: {
        maxReplicas: chance.oneOf<JsonValue>([3, 0, '3']),
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
      },
    }),
  },
  crontab('v1'),
  crontab('v2'),
  ...FURTHER_KINDS,
];

/** The definition of the custom kind above: two versions of one schema, with status and scale. */
export const WALKED_DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.walk.example.com' },
  spec: {
    group: 'walk.example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', shortNames: ['ct'] },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
      selectableFields: [{ jsonPath: '.spec.image' }],
      additionalPrinterColumns: [{ name: 'Image', type: 'string', jsonPath: '.spec.image' }],
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              required: ['image'],
              properties: {
                replicas: { type: 'integer', minimum: 0, maximum: 5, default: 1 },
                image: { type: 'string', pattern: '^[a-z:0-9]+$' },
                items: {
                  type: 'array',
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['key'],
                  items: {
                    type: 'object',
                    required: ['key'],
                    properties: { key: { type: 'string' }, value: { type: 'integer' } },
                  },
                },
              },
              'x-kubernetes-validations': [
                { rule: 'self.replicas != 3 || self.image != "b:2"', message: 'not three of b' },
              ],
            },
            status: { type: 'object', properties: { replicas: { type: 'integer' } } },
          },
        },
      },
    })),
  },
};
