/** Large writes whose errors show, compare or list a map or a list of very many items. */
import type { JsonObject } from '../../../api/json/json.ts';
import {
  ADMISSION,
  container,
  COUNT,
  many,
  MANY,
  posted,
  postedTo,
  SHORT,
  shortKeys,
  type LargeWrite,
} from './large-write.ts';

/** Which means nothing in the version that is stored, and goes. */
const AUTOSCALER_METRICS = 'autoscaling.alpha.kubernetes.io/metrics';

const DEFINITIONS_PATH = 'apiextensions.k8s.io/v1/customresourcedefinitions';

/** Of as many bytes as a large body may have. */
const LONG_LINES = '\n'.repeat(44 * 1024);

const POD_SPEC: JsonObject = { containers: [container({})] };

export const SHOWN_WRITES: readonly LargeWrite[] = [
  {
    ...posted('a PersistentVolume of many amounts', '', {
      kind: 'PersistentVolume',
      spec: {
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/a' },
        capacity: Object.fromEntries(many((at) => [String(at * 7), '1'], MANY)),
      },
    }),
    url: '/api/v1/persistentvolumes?dryRun=All',
  },
  postedTo('a StatefulSet of a large selector', 'apps/v1/namespaces/default/statefulsets', {
    kind: 'StatefulSet',
    apiVersion: 'apps/v1',
    spec: {
      selector: { matchLabels: shortKeys() },
      template: { metadata: { labels: { a: 'b' } }, spec: POD_SPEC },
    },
  }),
  postedTo(
    'an autoscaler of v1 with many annotations',
    'autoscaling/v1/namespaces/default/horizontalpodautoscalers',
    {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'a', annotations: { ...shortKeys(), [AUTOSCALER_METRICS]: '[]' } },
      spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'a' } },
    },
  ),
  postedTo('webhooks of many review versions', `${ADMISSION}/v1/mutatingwebhookconfigurations`, {
    kind: 'MutatingWebhookConfiguration',
    apiVersion: `${ADMISSION}/v1`,
    webhooks: [
      {
        name: 'a.example.com',
        admissionReviewVersions: many((at) => `v${String(at)}`, 4 * COUNT),
        sideEffects: 'None',
        clientConfig: { url: 'https://example.com/a' },
      },
    ],
  }),
  postedTo('a CronJob of many exit codes', 'batch/v1/namespaces/default/cronjobs', {
    kind: 'CronJob',
    apiVersion: 'batch/v1',
    spec: {
      schedule: '* * * * *',
      jobTemplate: {
        spec: {
          podFailurePolicy: {
            rules: [
              {
                action: 'Ignore',
                onExitCodes: { operator: 'In', values: many((at) => at + 1, 5 * COUNT) },
              },
            ],
          },
          template: { spec: { ...POD_SPEC, restartPolicy: 'Never' } },
        },
      },
    },
  }),
  postedTo('a definition of a long kind that is escaped', DEFINITIONS_PATH, {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: 'rules.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'rules', kind: LONG_LINES },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
  }),
  postedTo(
    'a binding of a long kind that is escaped',
    'rbac.authorization.k8s.io/v1/clusterrolebindings',
    {
      kind: 'ClusterRoleBinding',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: LONG_LINES, name: 'a' },
    },
  ),
  postedTo(
    'a policy of a long name that is escaped',
    `${ADMISSION}/v1/validatingadmissionpolicies`,
    {
      kind: 'ValidatingAdmissionPolicy',
      apiVersion: `${ADMISSION}/v1`,
      metadata: { name: LONG_LINES },
      spec: { auditAnnotations: [{ key: 'a', valueExpression: "'a'" }] },
    },
  ),
  postedTo(
    'a custom set of a long text that is escaped',
    'example.com/v1/namespaces/default/things',
    {
      kind: 'Thing',
      apiVersion: 'example.com/v1',
      spec: { set: [LONG_LINES] },
    },
  ),
  posted('a ConfigMap of many owners', 'configmaps', {
    kind: 'ConfigMap',
    metadata: { name: 'a', ownerReferences: many((at) => ({ uid: String(at) }), SHORT) },
  }),
  postedTo('a definition of many versions', DEFINITIONS_PATH, {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: 'rules.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'rules', kind: 'Rule' },
      versions: many((at) => ({ name: `v${String(at)}` }), SHORT),
    },
  }),
];
