/** What comes of writes of namespaces, nodes, volumes, quotas and events. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { cluster, meta, namespace, node, plain, pv } from './written-objects.fixture.ts';

const AVOIDED = 'scheduler.alpha.kubernetes.io/preferAvoidPods';
const MOUNTED_WITH_OPTIONS = {
  metadata: cluster({ annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } }),
};

export const coreClusterCases: readonly RuleCase[] = [
  {
    when: 'a Namespace is made',
    do: 'create',
    object: namespace({ status: { phase: 'Terminating' } }),
    errors: [],
    shows: {
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
      'metadata.labels': { 'kubernetes.io/metadata.name': 'one' },
    },
  },
  {
    when: 'a Namespace is made with a finalizer of its own',
    do: 'create',
    object: namespace({ spec: { finalizers: ['example.com/a'] } }),
    errors: [],
    shows: { spec: { finalizers: ['example.com/a', 'kubernetes'] } },
  },
  {
    when: 'a Namespace has an unknown finalizer',
    do: 'create',
    object: namespace({ spec: { finalizers: ['unknown'] } }),
    errors: [
      'spec.finalizers: Invalid value: "unknown": name is neither a standard finalizer name nor is it fully qualified',
    ],
  },
  {
    when: 'an update changes finalizers and phase of a Namespace',
    do: 'update',
    old: namespace({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }),
    object: namespace({ spec: { finalizers: [] }, status: { phase: 'Terminating' } }),
    errors: [],
    shows: { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } },
  },
  {
    when: 'a Namespace is said to be terminating and is not',
    do: 'status',
    old: namespace(),
    object: namespace({ status: { phase: 'Terminating' } }),
    errors: [
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ],
  },
  {
    when: 'a Namespace is finalized',
    do: 'finalize',
    old: namespace({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }),
    object: namespace({ spec: {}, status: { phase: 'Terminating' } }),
    errors: [],
    shows: { spec: {}, status: { phase: 'Active' } },
  },
  {
    when: 'a Node changes its pod range and provider',
    do: 'update',
    old: node({ spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'], providerID: 'a' } }),
    object: node({ spec: { podCIDR: '10.2.0.0/24', podCIDRs: ['10.2.0.0/24'], providerID: 'b' } }),
    errors: [
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ],
  },
  {
    when: 'a Node has one taint twice and one without effect',
    do: 'create',
    object: node({
      spec: {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', value: 'b', effect: 'NoSchedule' },
          { key: 'c' },
          { key: 'd', effect: 'Never' },
        ],
      },
    }),
    errors: [
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"b","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      'metadata.taints[2].effect: Required value',
      'metadata.taints[3].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  },
  {
    when: 'a Node avoids pods of no controller',
    do: 'create',
    object: node({
      metadata: cluster({
        annotations: {
          [AVOIDED]: JSON.stringify({
            preferAvoidPods: [
              { podSignature: { podController: { kind: 'ReplicaSet', controller: false } } },
              { podSignature: { podController: { kind: 'ReplicaSet', controller: true } } },
              { podSignature: {} },
            ],
          }),
        },
      }),
    }),
    errors: [
      `metadata.annotations.${AVOIDED}[0].PodSignature.PodController.Controller: Invalid value: false: must point to a controller`,
      `metadata.annotations.${AVOIDED}[2].PodSignature: Required value`,
    ],
  },
  {
    when: 'a Node says which pods it avoids by what is no JSON',
    do: 'create',
    object: node({ metadata: cluster({ annotations: { [AVOIDED]: 'x' } }) }),
    errors: [
      `metadata.annotations.AvoidPods: Invalid value: "${AVOIDED}": invalid character 'x' looking for beginning of value`,
    ],
  },
  {
    when: 'a Node says which pods it avoids by half of an object',
    do: 'create',
    object: node({ metadata: cluster({ annotations: { [AVOIDED]: '{' } }) }),
    errors: [
      `metadata.annotations.AvoidPods: Invalid value: "${AVOIDED}": unexpected end of JSON input`,
    ],
  },
  {
    when: 'a Node says which pods it avoids by a list',
    do: 'create',
    object: node({ metadata: cluster({ annotations: { [AVOIDED]: '[]' } }) }),
    errors: [
      `metadata.annotations.AvoidPods: Invalid value: "${AVOIDED}": json: cannot unmarshal array into Go value of type v1.AvoidPods`,
    ],
  },
  {
    when: 'a Node says which pods it avoids by a number',
    do: 'create',
    object: node({ metadata: cluster({ annotations: { [AVOIDED]: '1' } }) }),
    errors: [
      `metadata.annotations.AvoidPods: Invalid value: "${AVOIDED}": json: cannot unmarshal number into Go value of type v1.AvoidPods`,
    ],
  },
  {
    when: 'a Node says which pods it avoids by a truth',
    do: 'create',
    object: node({ metadata: cluster({ annotations: { [AVOIDED]: 'true' } }) }),
    errors: [
      `metadata.annotations.AvoidPods: Invalid value: "${AVOIDED}": json: cannot unmarshal bool into Go value of type v1.AvoidPods`,
    ],
  },
  {
    when: 'a PersistentVolume is mounted with options that its source cannot have',
    do: 'create',
    object: pv({}, MOUNTED_WITH_OPTIONS),
    errors: [
      'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type',
    ],
    warnings: [
      'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
    ],
  },
  {
    when: 'a PersistentVolume is mounted with options that its source can have',
    do: 'create',
    object: pv({ hostPath: undefined, nfs: { server: 's', path: '/a' } }, MOUNTED_WITH_OPTIONS),
    errors: [],
    warnings: [
      'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
    ],
  },
  {
    when: 'a Node is made with a status',
    do: 'create',
    object: node({ status: { capacity: { cpu: '2' } } }),
    errors: [],
    shows: { 'status.capacity': { cpu: '2' } },
  },
  {
    when: 'an update of a Node brings a status',
    do: 'update',
    old: node({ status: { capacity: { cpu: '2' } } }),
    object: node({ status: { capacity: { cpu: '4' } } }),
    errors: [],
    shows: { 'status.capacity': { cpu: '2' } },
  },
  {
    when: 'a PersistentVolume has no source, capacity or modes',
    do: 'create',
    object: pv({ hostPath: undefined, capacity: undefined, accessModes: undefined }),
    errors: [
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      'spec: Required value: must specify a volume type',
    ],
  },
  {
    when: 'a PersistentVolume changes its source',
    do: 'update',
    old: pv(),
    object: pv({ hostPath: { path: '/other' } }),
    errors: [
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    ],
  },
  {
    when: 'a PersistentVolume changes its mode',
    do: 'update',
    old: pv({ volumeMode: 'Filesystem' }),
    object: pv({ volumeMode: 'Block' }),
    errors: ['volumeMode: Invalid value: "Block": field is immutable'],
  },
  {
    when: 'a PersistentVolume is bound',
    do: 'status',
    old: pv(
      {},
      { status: { phase: 'Available', lastPhaseTransitionTime: '2020-01-01T00:00:00Z' } },
    ),
    object: pv({}, { status: { phase: 'Bound', lastPhaseTransitionTime: '2020-01-01T00:00:00Z' } }),
    errors: [],
    shows: { status: { phase: 'Bound', lastPhaseTransitionTime: '2026-11-21T09:00:00Z' } },
  },
  {
    when: 'a ResourceQuota changes what it counts',
    do: 'update',
    old: plain('v1', 'ResourceQuota', meta())({ spec: { scopes: ['BestEffort'] } }),
    object: plain('v1', 'ResourceQuota', meta())({ spec: { scopes: ['NotBestEffort'] } }),
    errors: ['spec.scopes: Invalid value: ["NotBestEffort"]: field is immutable'],
  },
  {
    when: 'an Event is not of the namespace of what it is about',
    do: 'create',
    object: plain('v1', 'Event', meta())({ involvedObject: { namespace: 'other' } }),
    errors: ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
  },
  {
    when: 'an Event of the newer sort says too little',
    do: 'create',
    object: plain(
      'v1',
      'Event',
      meta(),
    )({ eventTime: '2020-01-01T00:00:00.000000Z', involvedObject: { namespace: 'ns' } }),
    errors: [
      'reportingComponent: Required value',
      'reportingComponent: Invalid value: "": name part must be non-empty',
      "reportingComponent: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'reportingInstance: Required value',
      'action: Required value',
      'reason: Required value',
    ],
  },
];
