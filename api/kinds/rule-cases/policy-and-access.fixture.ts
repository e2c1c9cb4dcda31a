/** What comes of writes of autoscalers, budgets, roles, classes and leases. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import {
  binding,
  cluster,
  clusterBinding,
  clusterRole,
  hpa,
  meta,
  pdb,
  plain,
  rbac,
  role,
} from './written-objects.fixture.ts';

export const policyAndAccessCases: readonly RuleCase[] = [
  {
    when: 'an autoscaler goes down to nothing',
    do: 'create',
    object: hpa({ minReplicas: 0 }),
    errors: [
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
  },
  {
    when: 'an autoscaler has no upper end',
    do: 'create',
    object: hpa({ maxReplicas: 0 }),
    errors: [
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
    ],
  },
  {
    when: 'an autoscaler has its ends the wrong way round',
    do: 'create',
    object: hpa({ minReplicas: 5 }),
    errors: ['spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`'],
  },
  {
    when: 'an autoscaler scales nothing',
    do: 'create',
    object: hpa({ scaleTargetRef: {} }),
    errors: [
      'spec.scaleTargetRef.kind: Required value',
      'spec.scaleTargetRef.name: Required value',
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
    ],
  },
  {
    when: 'the status of an autoscaler counts below nothing',
    do: 'status',
    old: hpa(),
    object: hpa({}, { status: { currentReplicas: -1, desiredReplicas: -1 } }),
    errors: [
      'status.currentReplicas: Invalid value: -1: must be greater than or equal to 0',
      'status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0',
    ],
  },
  {
    when: 'a budget says both',
    do: 'create',
    object: pdb({ minAvailable: 1, maxUnavailable: '10%' }),
    errors: [
      'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":"10%","UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ],
  },
  {
    when: 'a budget is above everything',
    do: 'create',
    object: pdb({ minAvailable: '101%' }),
    errors: ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%'],
  },
  {
    when: 'a budget is made',
    do: 'create',
    object: pdb({ maxUnavailable: 1 }, { status: { currentHealthy: 3 } }),
    errors: [],
    shows: {
      'metadata.generation': 1,
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    },
  },
  {
    when: 'rules of a role are empty',
    do: 'create',
    object: role({ rules: [{}, { verbs: ['get'], nonResourceURLs: ['/'], resources: ['pods'] }] }),
    errors: [
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
      'rules[1].nonResourceURLs: Invalid value: ["/"]: namespaced rules cannot apply to non-resource URLs',
      'rules[1].nonResourceURLs: Invalid value: ["/"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  },
  {
    when: 'a cluster role aggregates nothing',
    do: 'create',
    object: clusterRole({ aggregationRule: {} }),
    errors: [
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
  },
  {
    when: 'a binding binds nothing',
    do: 'create',
    object: binding({ roleRef: { apiGroup: 'x', kind: 'User' } }),
    errors: [
      'roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
      'roleRef.kind: Unsupported value: "User": supported values: "Role", "ClusterRole"',
      'roleRef.name: Required value',
    ],
  },
  {
    when: 'subjects of a binding are wrong',
    do: 'create',
    object: binding({
      subjects: [
        { kind: 'User', name: 'a' },
        { kind: 'ServiceAccount', name: 'A' },
        { kind: 'Robot', name: 'r' },
        { kind: 'Group', apiGroup: 'x' },
      ],
    }),
    errors: [
      "subjects[1].name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'subjects[2].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
      'subjects[3].name: Required value',
      'subjects[3].apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
    ],
  },
  {
    when: 'a binding gets another role',
    do: 'update',
    old: binding(),
    object: binding({ roleRef: { apiGroup: rbac, kind: 'Role', name: 'other' } }),
    errors: [
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: cannot change roleRef',
    ],
  },
  {
    when: 'a cluster binding binds a role',
    do: 'create',
    object: clusterBinding({
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'r' },
      subjects: [{ kind: 'ServiceAccount', name: 'a' }],
    }),
    errors: [
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      'subjects[0].namespace: Required value',
    ],
  },
  {
    when: 'a priority class is above all',
    do: 'create',
    object: plain('scheduling.k8s.io/v1', 'PriorityClass', cluster())({ value: 1000000001 }),
    errors: ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
  },
  {
    when: 'a priority class takes a name of the system',
    do: 'create',
    object: plain(
      'scheduling.k8s.io/v1',
      'PriorityClass',
      cluster({ name: 'system-mine' }),
    )({ value: 1 }),
    errors: [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    ],
  },
  {
    when: 'a priority class changes',
    do: 'update',
    old: plain(
      'scheduling.k8s.io/v1',
      'PriorityClass',
      cluster({ generation: 1 }),
    )({ value: 1, preemptionPolicy: 'Never' }),
    object: plain(
      'scheduling.k8s.io/v1',
      'PriorityClass',
      cluster(),
    )({ value: 2, preemptionPolicy: 'PreemptLowerPriority' }),
    errors: [
      'value: Forbidden: may not be changed in an update.',
      'preemptionPolicy: Invalid value: "PreemptLowerPriority": field is immutable',
    ],
    shows: { 'metadata.generation': 1 },
  },
  {
    when: 'the handler of a runtime class changes',
    do: 'update',
    old: plain('node.k8s.io/v1', 'RuntimeClass', cluster())({ handler: 'a' }),
    object: plain('node.k8s.io/v1', 'RuntimeClass', cluster())({ handler: 'B' }),
    errors: [
      "handler: Invalid value: \"B\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'handler: Invalid value: "B": field is immutable',
    ],
  },
  {
    when: 'a lease lasts no time',
    do: 'create',
    object: plain(
      'coordination.k8s.io/v1',
      'Lease',
      meta(),
    )({ spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } }),
    errors: [
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
      'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
    ],
  },
  {
    when: 'the status of a flow schema is written',
    do: 'status',
    old: plain(
      'flowcontrol.apiserver.k8s.io/v1',
      'FlowSchema',
      cluster({ labels: { a: 'b' } }),
    )({ spec: { matchingPrecedence: 5, priorityLevelConfiguration: { name: 'p' } } }),
    object: plain(
      'flowcontrol.apiserver.k8s.io/v1',
      'FlowSchema',
      cluster(),
    )({ spec: {}, status: { conditions: [{ type: 'Dangling', status: 'True' }] } }),
    errors: [],
    shows: {
      'metadata.labels': { a: 'b' },
      'spec.matchingPrecedence': 5,
      status: { conditions: [{ type: 'Dangling', status: 'True', lastTransitionTime: null }] },
    },
  },
  {
    when: 'a flow schema takes the first place',
    do: 'create',
    object: plain(
      'flowcontrol.apiserver.k8s.io/v1',
      'FlowSchema',
      cluster(),
    )({ spec: { matchingPrecedence: 1, priorityLevelConfiguration: {} } }),
    errors: [
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
      'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
    ],
  },
];
