/** What comes of writes of the subresource `resize` of pods. Made with kube-apiserver's answers. */
import type { JsonObject } from '../../json/json.ts';
import type { RuleCase } from './judge.fixture.ts';
import { container, meta, pod } from './written-objects.fixture.ts';

const IMMUTABLE = 'spec: Forbidden: only cpu and memory resources are mutable';

/** A container that asks for these amounts. */
export function asking(requests: JsonObject, more: JsonObject = {}): JsonObject {
  return container({ resources: { requests }, ...more });
}

const running = (resources?: JsonObject): JsonObject => ({
  status: {
    phase: 'Running',
    qosClass: 'Burstable',
    containerStatuses: [
      {
        ...{ name: 'c', ready: true, restartCount: 0, image: 'i', imageID: 'i' },
        state: { running: {} },
        ...(resources && { resources }),
      },
    ],
  },
});

const half = pod({ containers: [asking({ cpu: '500m' })] }, { metadata: meta({ generation: 1 }) });
const sidecar = { ...{ name: 'i', image: 'i' }, restartPolicy: 'Always' };

/** Cases of one kind: each with what is asked for now and before. */
export const podResizeCases: readonly RuleCase[] = [
  {
    when: 'more cpu is asked for',
    do: 'resize',
    old: half,
    object: pod(
      { containers: [asking({ cpu: '1' }, { image: 'other' })] },
      { metadata: meta({ labels: { a: 'b' } }), status: { phase: 'Failed' } },
    ),
    errors: [],
    shows: {
      'spec.containers.0.resources.requests.cpu': '1',
      'spec.containers.0.image': 'nginx:1',
      'metadata.generation': 2,
      'metadata.labels': null,
      'status.phase': null,
    },
  },
  {
    when: 'the same amount is written in another way',
    do: 'resize',
    old: pod({ containers: [asking({ memory: '1Gi' })] }, { metadata: meta({ generation: 1 }) }),
    object: pod({ containers: [asking({ memory: '1073741824' })] }),
    errors: [],
    shows: { 'metadata.generation': 1 },
  },
  {
    when: 'memory is asked for beside cpu',
    do: 'resize',
    old: half,
    object: pod({ containers: [asking({ cpu: '500m', memory: '1Gi' })] }),
    errors: [],
    shows: { 'metadata.generation': 2 },
  },
  {
    when: 'a request is taken away',
    do: 'resize',
    old: pod({ containers: [asking({ cpu: '1', memory: '1Gi' })] }),
    object: pod({ containers: [asking({ cpu: '1' })] }),
    errors: [
      'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
    ],
  },
  {
    when: 'a limit is taken away',
    do: 'resize',
    old: pod({ containers: [container({ resources: { limits: { cpu: '1', memory: '1' } } })] }),
    object: pod({
      containers: [
        container({ resources: { limits: { cpu: '1' }, requests: { cpu: '1', memory: '1' } } }),
      ],
    }),
    errors: [
      'spec: Invalid value: "": Pod QOS Class may not change as a result of resizing',
      'spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed',
    ],
  },
  {
    when: 'it would change the class',
    do: 'resize',
    old: pod(),
    object: half,
    errors: ['spec: Invalid value: "": Pod QOS Class may not change as a result of resizing'],
  },
  {
    when: 'other resources are asked for',
    do: 'resize',
    old: half,
    object: pod({ containers: [asking({ cpu: '500m', 'ephemeral-storage': '1Gi' })] }),
    errors: [IMMUTABLE],
  },
  {
    when: 'a container has claims',
    do: 'resize',
    old: pod({
      resourceClaims: [{ name: 'a', resourceClaimName: 'a' }],
      containers: [container({ resources: { requests: { cpu: '1' }, claims: [{ name: 'a' }] } })],
    }),
    object: pod({
      resourceClaims: [{ name: 'a', resourceClaimName: 'a' }],
      containers: [container({ resources: { requests: { cpu: '2' }, claims: [{ name: 'a' }] } })],
    }),
    errors: [IMMUTABLE],
  },
  {
    when: 'the resize policy changes',
    do: 'resize',
    old: half,
    object: pod({
      containers: [
        asking(
          { cpu: '1' },
          { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
        ),
      ],
    }),
    errors: [IMMUTABLE],
  },
  {
    when: 'a container is added and one is renamed',
    do: 'resize',
    old: pod({ containers: [container()], initContainers: [container({ name: 'i' })] }),
    object: pod({
      containers: [container(), container({ name: 'd' })],
      initContainers: [container({ name: 'j' })],
    }),
    errors: [
      'spec.containers: Forbidden: containers may not be added or removed on resize',
      'spec.initContainers[0].name: Forbidden: initContainers may not be renamed or reordered on resize',
    ],
  },
  {
    when: 'a sidecar asks for more memory, and for storage',
    do: 'resize',
    old: pod({ initContainers: [{ ...sidecar, resources: { requests: { memory: '1' } } }] }),
    object: pod({
      initContainers: [
        { ...sidecar, resources: { requests: { memory: '2', 'ephemeral-storage': '1' } } },
      ],
    }),
    errors: [
      'spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable',
    ],
  },
  {
    when: 'an init container asks for more',
    do: 'resize',
    old: pod({ initContainers: [asking({ memory: '1' }, { name: 'i' })] }),
    object: pod({ initContainers: [asking({ memory: '2' }, { name: 'i' })] }),
    errors: [],
    shows: { 'spec.initContainers.0.resources.requests.memory': '2' },
  },
  {
    when: 'the pod as a whole asks for more',
    do: 'resize',
    old: pod({ resources: { requests: { cpu: '1' } } }, { metadata: meta({ generation: 7 }) }),
    object: pod({ resources: { requests: { cpu: '2' } } }),
    errors: [],
    shows: { 'spec.resources.requests.cpu': '2', 'metadata.generation': 8 },
  },
  {
    when: 'the pod as a whole asks for nothing any more',
    do: 'resize',
    old: pod({ resources: { requests: { cpu: '1' } }, containers: [asking({ cpu: '1' })] }),
    object: pod({ containers: [asking({ cpu: '1' })] }),
    errors: ['spec.resources: Forbidden: pod-level resources cannot be removed'],
  },
  {
    when: 'the pod as a whole is limited to fewer resources, and to pages',
    do: 'resize',
    old: pod({ resources: { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1' } } }),
    object: pod({
      resources: { requests: { cpu: '1' }, limits: { cpu: '2', 'hugepages-2Mi': '2Mi' } },
    }),
    errors: [
      'spec.resources.requests: Forbidden: pod-level resource requests cannot be removed',
      'spec.resources.limits: Forbidden: pod-level resource limits cannot be removed',
      'spec: Forbidden: only cpu and memory resources are mutable at pod-level',
    ],
  },
  {
    when: 'its kubelet cannot resize',
    do: 'resize',
    old: pod({ containers: [asking({ cpu: '1' })] }, running()),
    object: pod({ containers: [asking({ cpu: '2' })] }),
    errors: ['spec: Forbidden: Pod running on node without support for resize'],
  },
  {
    when: 'its kubelet can resize',
    do: 'resize',
    old: pod({ containers: [asking({ cpu: '1' })] }, running({ requests: { cpu: '1' } })),
    object: pod({ containers: [asking({ cpu: '2' })] }),
    errors: [],
    shows: { 'status.containerStatuses.0.resources.requests.cpu': '1' },
  },
  {
    when: 'devices stand for its resources',
    do: 'resize',
    old: pod(
      { containers: [asking({ cpu: '1' })] },
      {
        status: {
          nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: 'a', containers: ['c'] }],
        },
      },
    ),
    object: pod({ containers: [asking({ cpu: '2' })] }),
    errors: ['spec: Forbidden: pods with node allocatable resource claims cannot be resized'],
  },
  {
    when: 'it is a static pod',
    do: 'resize',
    old: pod({}, { metadata: meta({ annotations: { 'kubernetes.io/config.mirror': 'a' } }) }),
    object: half,
    errors: ['[]: Forbidden: static pods cannot be resized'],
  },
  {
    when: 'it is a pod for Windows',
    do: 'resize',
    old: pod({ os: { name: 'windows' } }),
    object: half,
    errors: ['[]: Forbidden: windows pods cannot be resized'],
  },
];
