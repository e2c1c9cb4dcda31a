/** What comes of writes of workloads. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import {
  container,
  daemonSet,
  deployment,
  meta,
  podSpec,
  pvc,
  replicaSet,
  statefulSet,
  template,
} from './written-objects.fixture.ts';

export const workloadsCases: readonly RuleCase[] = [
  {
    when: 'a deployment has no selector',
    do: 'create',
    object: deployment({ selector: undefined }),
    errors: [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
  },
  {
    when: 'a deployment selects everything',
    do: 'create',
    object: deployment({ selector: {} }),
    errors: ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
  },
  {
    when: 'a deployment does not select its own pods',
    do: 'create',
    object: deployment({ selector: { matchLabels: { app: 'other' } } }),
    errors: [
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
  },
  {
    when: 'the operator of a selector is unknown',
    do: 'create',
    object: deployment({ selector: { matchExpressions: [{ key: 'app', operator: 'Like' }] } }),
    errors: [
      'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Like"}]}: invalid label selector',
    ],
  },
  {
    when: 'a deployment has less than no replicas',
    do: 'create',
    object: deployment({ replicas: -1, minReadySeconds: -1 }),
    errors: [
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
    ],
  },
  {
    when: 'a deployment that recreates says how it rolls',
    do: 'create',
    object: deployment({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
    errors: [
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
  },
  {
    when: 'a deployment can never roll',
    do: 'create',
    object: deployment({
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
    }),
    errors: [
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ],
  },
  {
    when: 'percentages are wrong',
    do: 'create',
    object: deployment({
      strategy: { rollingUpdate: { maxSurge: 'many', maxUnavailable: '101%' } },
    }),
    errors: [
      "spec.strategy.rollingUpdate.maxSurge: Invalid value: \"many\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
  },
  {
    when: 'a deployment is given too little time',
    do: 'create',
    object: deployment({ progressDeadlineSeconds: 5, minReadySeconds: 5 }),
    errors: [
      'spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds',
    ],
  },
  {
    when: 'the pods of a deployment end',
    do: 'create',
    object: deployment({
      template: template({ restartPolicy: 'Never', activeDeadlineSeconds: 5 }),
    }),
    errors: [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
    ],
  },
  {
    when: 'a deployment is made',
    do: 'create',
    object: deployment({}, { status: { replicas: 3 } }),
    errors: [],
    shows: { 'metadata.generation': 1, status: {} },
  },
  {
    when: 'the selector of a deployment changes',
    do: 'update',
    old: deployment(),
    object: deployment({
      selector: { matchLabels: { app: 'other' } },
      template: template({}, { app: 'other' }),
    }),
    errors: ['spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable'],
  },
  {
    when: 'the replicas of a deployment change',
    do: 'update',
    old: deployment({ replicas: 1 }, { metadata: meta({ generation: 2 }) }),
    object: deployment({ replicas: 2 }, { status: { replicas: 5 } }),
    errors: [],
    shows: { 'metadata.generation': 3, status: {} },
  },
  {
    when: 'an annotation of a deployment changes',
    do: 'update',
    old: deployment({}, { metadata: meta({ generation: 2 }) }),
    object: deployment({}, { metadata: meta({ annotations: { a: 'b' } }) }),
    errors: [],
    shows: { 'metadata.generation': 3 },
  },
  {
    when: 'a label of a deployment changes',
    do: 'update',
    old: deployment({}, { metadata: meta({ generation: 2 }) }),
    object: deployment({}, { metadata: meta({ labels: { a: 'b' } }) }),
    errors: [],
    shows: { 'metadata.generation': 2 },
  },
  {
    when: 'the status of a deployment is written',
    do: 'status',
    old: deployment({ replicas: 1 }),
    object: deployment(
      { replicas: 2 },
      {
        metadata: meta({ labels: { a: 'b' }, annotations: { a: 'b' } }),
        status: { replicas: 1, readyReplicas: 1 },
      },
    ),
    errors: [],
    shows: {
      'spec.replicas': 1,
      status: { replicas: 1, readyReplicas: 1 },
      'metadata.labels': null,
      'metadata.annotations': { a: 'b' },
    },
  },
  {
    when: 'the status of a deployment cannot be',
    do: 'status',
    old: deployment({}, { status: { collisionCount: 2 } }),
    object: deployment(
      {},
      {
        status: {
          replicas: 1,
          updatedReplicas: 2,
          readyReplicas: 0,
          availableReplicas: 1,
          collisionCount: 1,
        },
      },
    ),
    errors: [
      'status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas',
      'status.collisionCount: Invalid value: 1: cannot be decremented',
    ],
  },
  {
    when: 'a replica set has no selector',
    do: 'create',
    object: replicaSet({ selector: {} }),
    errors: ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
  },
  {
    when: 'the selector of a replica set changes',
    do: 'update',
    old: replicaSet(),
    object: replicaSet({
      selector: { matchLabels: { app: 'other' } },
      template: template({}, { app: 'other' }),
    }),
    errors: ['spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable'],
  },
  {
    when: 'the status of a replica set cannot be',
    do: 'status',
    old: replicaSet(),
    object: replicaSet({}, { status: { replicas: -1, readyReplicas: 1 } }),
    errors: [
      'status.replicas: Invalid value: -1: must be greater than or equal to 0',
      'status.fullyLabeledReplicas: Invalid value: 0: cannot be greater than status.replicas',
      'status.readyReplicas: Invalid value: 1: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas',
    ],
  },
  {
    when: 'a stateful set changes what is fixed',
    do: 'update',
    old: statefulSet(),
    object: statefulSet({ serviceName: 'other' }),
    errors: [
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
  },
  {
    when: 'a stateful set changes what is not fixed',
    do: 'update',
    old: statefulSet({ replicas: 1 }, { metadata: meta({ generation: 1 }) }),
    object: statefulSet({
      replicas: 2,
      minReadySeconds: 5,
      template: template({ hostNetwork: true }),
    }),
    errors: [],
    shows: { 'metadata.generation': 2 },
  },
  {
    when: 'a stateful set has unknown policies',
    do: 'create',
    object: statefulSet({
      podManagementPolicy: 'Any',
      updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Maybe', whenScaled: 'Retain' },
      serviceName: 'S',
    }),
    errors: [
      "spec.podManagementPolicy: Invalid value: \"Any\": must be 'OrderedReady' or 'Parallel'",
      'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Maybe": supported values: "Retain", "Delete"',
      "spec.serviceName: Invalid value: \"S\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  },
  {
    when: 'the pods of a stateful set mount its claims',
    do: 'create',
    object: statefulSet({
      template: template({
        containers: [container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
      }),
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: pvc().spec }],
    }),
    errors: [],
    shows: { 'spec.volumeClaimTemplates.0.kind': 'PersistentVolumeClaim' },
  },
  {
    when: 'a daemon set is made',
    do: 'create',
    object: daemonSet(),
    errors: [],
    shows: {
      'metadata.annotations': { 'deprecated.daemonset.template.generation': '1' },
      status: {
        currentNumberScheduled: 0,
        numberMisscheduled: 0,
        desiredNumberScheduled: 0,
        numberReady: 0,
      },
    },
  },
  {
    when: 'the template of a daemon set changes',
    do: 'update',
    old: daemonSet(
      {},
      {
        metadata: meta({
          generation: 1,
          annotations: { 'deprecated.daemonset.template.generation': '1' },
        }),
      },
    ),
    object: daemonSet({ template: template({ hostNetwork: true }) }),
    errors: [],
    shows: {
      'metadata.annotations': { 'deprecated.daemonset.template.generation': '2' },
      'metadata.generation': 2,
    },
  },
  {
    when: 'the selector of a daemon set changes',
    do: 'update',
    old: daemonSet(),
    object: daemonSet({
      selector: { matchLabels: { app: 'other' } },
      template: template({}, { app: 'other' }),
    }),
    errors: ['spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable'],
  },
  {
    when: 'a daemon set rolls both ways',
    do: 'create',
    object: daemonSet({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
    errors: [
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
    ],
  },
  {
    when: 'a replication controller has no selector',
    do: 'create',
    object: {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: meta(),
      spec: { replicas: -1, selector: {}, template: { spec: podSpec() } },
    },
    errors: [
      'spec.selector: Required value',
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
  },
  {
    when: 'a replication controller does not select its pods',
    do: 'create',
    object: {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: meta(),
      spec: { selector: { app: 'other' }, template: template() },
    },
    errors: [
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
  },
  {
    when: 'the selector of a replication controller changes',
    do: 'update',
    old: {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: meta({ generation: 1 }),
      spec: { selector: { app: 'web' }, template: template() },
    },
    object: {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: meta(),
      spec: { selector: { app: 'other' }, template: template({}, { app: 'other' }) },
    },
    errors: [],
    shows: { 'metadata.generation': 2 },
  },
  {
    when: 'the data of a revision changes',
    do: 'update',
    old: {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: meta(),
      revision: 1,
      data: { a: 1 },
    },
    object: {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: meta(),
      revision: -1,
      data: { a: 1 },
    },
    errors: ['revision: Invalid value: -1: must be greater than or equal to 0'],
  },
  {
    when: 'the template of a pod template changes',
    do: 'update',
    old: {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: meta({ generation: 1 }),
      template: template(),
    },
    object: {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: meta(),
      template: template({ hostNetwork: true }),
    },
    errors: [],
    shows: { 'metadata.generation': 2 },
  },
];
