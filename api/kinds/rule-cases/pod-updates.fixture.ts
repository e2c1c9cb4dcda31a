/** What comes of writes of pods that change. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { container, gated, meta, pod } from './written-objects.fixture.ts';

export const podUpdatesCases: readonly RuleCase[] = [
  {
    when: 'the image changes',
    do: 'update',
    old: pod({}, { metadata: meta({ generation: 4 }) }),
    object: pod({ containers: [container({ image: 'nginx:2' })] }),
    errors: [],
    shows: { 'metadata.generation': 5 },
  },
  {
    when: 'only a label changes',
    do: 'update',
    old: pod({}, { metadata: meta({ generation: 4 }) }),
    object: pod({}, { metadata: meta({ labels: { a: 'b' } }) }),
    errors: [],
    shows: { 'metadata.generation': 4 },
  },
  {
    when: 'the command changes',
    do: 'update',
    old: pod(),
    object: pod({ containers: [container({ command: ['sh'] })] }),
    errors: [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    ],
  },
  {
    when: 'a container is added',
    do: 'update',
    old: pod(),
    object: pod({ containers: [container(), container({ name: 'd' })] }),
    errors: ['spec.containers: Forbidden: pod updates may not add or remove containers'],
  },
  {
    when: 'an init container goes away',
    do: 'update',
    old: pod({ initContainers: [container({ name: 'i' })] }),
    object: pod(),
    errors: ['spec.initContainers: Forbidden: pod updates may not add or remove containers'],
  },
  {
    when: 'the deadline moves out',
    do: 'update',
    old: pod({ activeDeadlineSeconds: 10 }),
    object: pod({ activeDeadlineSeconds: 20 }),
    errors: [
      'spec.activeDeadlineSeconds: Invalid value: 20: must be less than or equal to previous value',
    ],
  },
  {
    when: 'the deadline comes nearer',
    do: 'update',
    old: pod({ activeDeadlineSeconds: 20 }),
    object: pod({ activeDeadlineSeconds: 10 }),
    errors: [],
  },
  {
    when: 'the deadline goes away',
    do: 'update',
    old: pod({ activeDeadlineSeconds: 10 }),
    object: pod(),
    errors: [
      'spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value',
    ],
  },
  {
    when: 'a toleration is added',
    do: 'update',
    old: pod({ tolerations: [{ key: 'a', operator: 'Exists' }] }),
    object: pod({
      tolerations: [
        { key: 'a', operator: 'Exists' },
        { key: 'b', operator: 'Exists' },
      ],
    }),
    errors: [],
  },
  {
    when: 'a toleration goes away',
    do: 'update',
    old: pod({ tolerations: [{ key: 'a', operator: 'Exists' }] }),
    object: pod(),
    errors: [
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ],
  },
  {
    when: 'a scheduling gate goes away',
    do: 'update',
    old: pod(gated),
    object: pod({ schedulingGates: [{ name: 'example.com/b' }] }),
    errors: [],
  },
  {
    when: 'a scheduling gate is added',
    do: 'update',
    old: pod({ schedulingGates: [{ name: 'example.com/b' }] }),
    object: pod(gated),
    errors: [
      "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/a'",
    ],
  },
  {
    when: 'a gated pod is bound to more labels',
    do: 'update',
    old: pod({ ...gated, nodeSelector: { a: 'b' } }),
    object: pod({ ...gated, nodeSelector: { a: 'b', c: 'd' } }),
    errors: [],
  },
  {
    when: 'a gated pod is bound to other labels',
    do: 'update',
    old: pod({ ...gated, nodeSelector: { a: 'b' } }),
    object: pod({ ...gated, nodeSelector: { a: 'c' } }),
    errors: [
      'spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    ],
  },
  {
    when: 'a pod without gates is bound to labels',
    do: 'update',
    old: pod(),
    object: pod({ nodeSelector: { a: 'b' } }),
    errors: [
      'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    ],
  },
  {
    when: 'a negative grace period becomes 1',
    do: 'update',
    old: pod({ terminationGracePeriodSeconds: -1 }),
    object: pod({ terminationGracePeriodSeconds: 1 }),
    errors: [],
  },
  {
    when: 'an update brings a status',
    do: 'update',
    old: pod({}, { status: { phase: 'Running', qosClass: 'BestEffort' } }),
    object: pod({}, { status: { phase: 'Failed' } }),
    errors: [],
    shows: { status: { phase: 'Running', qosClass: 'BestEffort' } },
  },
  {
    when: 'the mark of a mirror pod is added',
    do: 'update',
    old: pod(),
    object: pod({}, { metadata: meta({ annotations: { 'kubernetes.io/config.mirror': 'x' } }) }),
    errors: [
      'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
      'metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation',
    ],
  },
  {
    when: 'the status tells a phase and the spec changes',
    do: 'status',
    old: pod(
      {},
      {
        metadata: meta({ ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'b' }] }),
        status: { phase: 'Pending', qosClass: 'BestEffort', observedGeneration: 3 },
      },
    ),
    object: pod(
      { nodeName: 'n' },
      {
        metadata: meta({ labels: { a: 'b' } }),
        status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] },
      },
    ),
    errors: [],
    shows: {
      'spec.nodeName': null,
      status: {
        phase: 'Running',
        podIPs: [{ ip: '10.0.0.1' }],
        observedGeneration: 3,
        podIP: '10.0.0.1',
        qosClass: 'BestEffort',
      },
      'metadata.labels': { a: 'b' },
      'metadata.ownerReferences': [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'b' }],
    },
  },
  {
    when: 'the status tells another class',
    do: 'status',
    old: pod({}, { status: { phase: 'Running', qosClass: 'BestEffort' } }),
    object: pod({}, { status: { phase: 'Running', qosClass: 'Burstable' } }),
    errors: ['status.qosClass: Invalid value: "Burstable": field is immutable'],
  },
  {
    when: 'an ephemeral container joins',
    do: 'ephemeralcontainers',
    old: pod({}, { metadata: meta({ generation: 1 }) }),
    object: pod({ containers: [], ephemeralContainers: [{ name: 'e', image: 'i' }] }),
    errors: [],
    shows: {
      'spec.containers.0.name': 'c',
      'spec.ephemeralContainers.0.name': 'e',
      'metadata.generation': 2,
    },
  },
  {
    when: 'an ephemeral container is changed',
    do: 'ephemeralcontainers',
    old: pod({ ephemeralContainers: [{ name: 'e', image: 'i' }] }),
    object: pod({ ephemeralContainers: [{ name: 'e', image: 'j' }] }),
    errors: [
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed',
    ],
  },
  {
    when: 'an ephemeral container is taken away',
    do: 'ephemeralcontainers',
    old: pod({ ephemeralContainers: [{ name: 'e', image: 'i' }] }),
    object: pod(),
    errors: [
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed',
    ],
  },
  {
    when: 'an ephemeral container has ports and an unknown target',
    do: 'ephemeralcontainers',
    old: pod(),
    object: pod({
      ephemeralContainers: [
        { name: 'e', image: 'i', ports: [{ containerPort: 1 }], targetContainerName: 'x' },
      ],
    }),
    errors: [
      'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
      'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
    ],
  },
];
