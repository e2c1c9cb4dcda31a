/** What comes of scaling, budgets, flows and roles that are wrong. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { cluster, meta } from './written-objects.fixture.ts';

export const policyRuleCases: readonly RuleCase[] = [
  {
    when: 'metrics and behavior of an autoscaler are wrong',
    do: 'create',
    object: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: meta(),
      spec: {
        maxReplicas: 2,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        metrics: [
          { type: 'Pods', resource: { name: '', target: { type: 'Much', value: '0' } } },
          { type: 'Guess' },
          {
            type: 'External',
            external: {
              metric: { name: 'a/b' },
              target: { type: 'Value', value: '1', averageValue: '1' },
            },
          },
          {
            type: 'ContainerResource',
            containerResource: {
              name: 'disk',
              container: 'A',
              target: { type: 'Utilization', averageUtilization: 0 },
            },
          },
        ],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 3601,
            selectPolicy: 'Any',
            policies: [{ type: 'Some', value: 0, periodSeconds: 1801 }],
          },
        },
      },
    },
    errors: [
      'spec.metrics[0].resource.name: Required value: must specify a resource name',
      'spec.metrics[0].resource.target.type: Invalid value: "Much": must be either Utilization, Value, or AverageValue',
      'spec.metrics[0].resource.target.value: Invalid value: "0": must be positive',
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      'spec.metrics[0].pods: Required value: must populate information for the given metric source',
      'spec.metrics[1].type: Unsupported value: "Guess": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[1].type: Unsupported value: "Guess": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[2].external.metric.name: Invalid value: "a/b": may not contain \'/\'',
      'spec.metrics[2].external.target.value: Forbidden: may not set both a target value for metric and a per-pod target',
      'spec.metrics[3].containerResource.name: Invalid value: "disk": must be a standard resource type or fully qualified',
      'spec.metrics[3].containerResource.name: Invalid value: "disk": must be a standard resource for containers',
      "spec.metrics[3].containerResource.container: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'spec.metrics[3].containerResource.target.averageUtilization: Invalid value: 0: must be greater than 0',
      'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Any": supported values: "Disabled", "Max", "Min"',
      'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Some": supported values: "Percent", "Pods"',
      'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
    ],
  },
  {
    when: 'the status of a budget is wrong',
    do: 'status',
    object: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: meta(),
      status: {
        currentHealthy: -1,
        conditions: [{ type: 'a b', status: 'Maybe', observedGeneration: -1 }],
      },
    },
    old: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: meta() },
    errors: [
      "status.conditions[0].type: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      'status.conditions[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
      'status.conditions[0].lastTransitionTime: Required value',
      'status.conditions[0].reason: Required value',
      'status.currentHealthy: Invalid value: -1: must be greater than or equal to 0',
    ],
  },
  {
    when: 'rules of a flow schema are wrong',
    do: 'create',
    object: {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: cluster(),
      spec: {
        matchingPrecedence: 20000,
        distinguisherMethod: { type: 'ByChance' },
        priorityLevelConfiguration: { name: 'a' },
        rules: [
          {
            subjects: [
              { kind: 'User', group: { name: 'g' } },
              { kind: 'Robot' },
              { kind: 'ServiceAccount', serviceAccount: { name: 'a b' } },
            ],
            resourceRules: [
              { verbs: ['*', 'get'], apiGroups: [], resources: ['*', 'a'], namespaces: ['A'] },
            ],
            nonResourceRules: [
              { verbs: ['look'], nonResourceURLs: ['a', '/a b', '/a//b', '/*a', ''] },
            ],
          },
          {},
        ],
      },
    },
    errors: [
      'spec.matchingPrecedence: Invalid value: 20000: must not be greater than 10000',
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"ByChance"}: supported values: "ByNamespace", "ByUser"',
      "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'",
      "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
      'spec.rules[0].subjects[1].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
      "spec.rules[0].subjects[2].serviceAccount.name: Invalid value: \"a b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.rules[0].subjects[2].serviceAccount.namespace: Required value: must specify namespace for service account',
      'spec.rules[0].resourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is present, must not specify other verbs',
      'spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'spec.rules[0].resourceRules[0].resources: Invalid value: ["*","a"]: if \'*\' is present, must not specify other resources',
      "spec.rules[0].resourceRules[0].namespaces[0]: Invalid value: \"A\": each member of this list must be '*' or a DNS-1123 label; a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'spec.rules[0].nonResourceRules[0].verbs: Unsupported value: ["look"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "a": must start with slash',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[1]: Invalid value: "/a b": must not contain white-space',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[2]: Invalid value: "/a//b": must not contain double slash',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[3]: Invalid value: "/*a": wildcard can only do suffix matching',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[4]: Invalid value: "": must not be empty',
      'spec.rules[1].subjects: Required value: subjects must contain at least one value',
      'spec.rules[1]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
    ],
  },
  {
    when: 'a mandatory level is changed',
    do: 'create',
    object: {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: cluster({ name: 'catch-all' }),
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: -1,
          lendablePercent: 101,
          borrowingLimitPercent: -1,
          limitResponse: {
            type: 'Queue',
            queuing: { queues: 4, handSize: 8, queueLengthLimit: -1 },
          },
        },
      },
    },
    errors: [
      'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      'spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 8: should not be greater than queues (4)',
      'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      'spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer',
      'spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":-1,"LimitResponse":{"Type":"Queue","Queuing":{"Queues":4,"HandSize":8,"QueueLengthLimit":-1}},"LendablePercent":101,"BorrowingLimitPercent":-1},"Exempt":null}: spec of \'catch-all\' must equal the fixed value',
    ],
  },
  {
    when: 'a runtime class costs more than there is',
    do: 'create',
    object: {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: cluster(),
      handler: 'A',
      overhead: { podFixed: { disk: '-1' } },
      scheduling: {
        nodeSelector: { 'beta.kubernetes.io/os': 'a b' },
        tolerations: [
          { operator: 'Equal' },
          { key: 'a', operator: 'Exists', value: 'b' },
          { key: 'a', operator: 'Exists', value: 'b' },
        ],
      },
    },
    errors: [
      "handler: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'overhead.limits[disk]: Invalid value: "disk": must be a standard resource type or fully qualified',
      'overhead.limits[disk]: Invalid value: "disk": must be a standard resource for containers',
      'overhead.limits[disk]: Invalid value: "-1": must be greater than or equal to 0',
      "scheduling.nodeSelector: Invalid value: \"a b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      'scheduling.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      'scheduling.tolerations[1].operator: Invalid value: "b": value must be empty when `operator` is \'Exists\'',
      'scheduling.tolerations[2].operator: Invalid value: "b": value must be empty when `operator` is \'Exists\'',
      'scheduling.tolerations[2]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"b","Effect":"","TolerationSeconds":null}',
    ],
    warnings: ['scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead'],
  },
  {
    when: 'aggregated roles select wrongly',
    do: 'create',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: cluster({ finalizers: ['mine'] }),
      aggregationRule: {
        clusterRoleSelectors: [
          { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] },
        ],
      },
    },
    errors: [
      'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
      "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values[0]: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
    ],
  },
];
