/** What comes of writes of networking and storage. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { backend, cluster, ingress, meta, plain, storageClass } from './written-objects.fixture.ts';

export const networkAndStorageCases: readonly RuleCase[] = [
  {
    when: 'an ingress leads nowhere',
    do: 'create',
    object: ingress(),
    errors: ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
  },
  {
    when: 'a backend is nothing',
    do: 'create',
    object: ingress({ defaultBackend: {} }),
    errors: ['spec.defaultBackend: Invalid value: "": resource or service backend is required'],
  },
  {
    when: 'a backend has two ports',
    do: 'create',
    object: ingress({ defaultBackend: { service: { name: 'A', port: { name: 'a', number: 1 } } } }),
    errors: [
      "spec.defaultBackend.service.name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'spec.defaultBackend: Invalid value: "": cannot set both port name & port number',
    ],
  },
  {
    when: 'paths are wrong',
    do: 'create',
    object: ingress({
      rules: [
        {
          host: 'A',
          http: {
            paths: [
              { backend },
              { path: 'a', pathType: 'Exact', backend },
              { path: '/a/../b', pathType: 'Prefix', backend },
              { path: '/', pathType: 'Guess', backend },
            ],
          },
        },
        { host: '*.*', http: { paths: [] } },
        { host: '1.2.3.4' },
      ],
    }),
    errors: [
      "spec.rules[0].host: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified',
      'spec.rules[0].http.paths[1].path: Invalid value: "a": must be an absolute path',
      'spec.rules[0].http.paths[2].path: Invalid value: "/a/../b": must not contain \'/../\'',
      'spec.rules[0].http.paths[3].pathType: Unsupported value: "Guess": supported values: "Exact", "ImplementationSpecific", "Prefix"',
      "spec.rules[1].host: Invalid value: \"*.*\": a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.rules[1].http.paths: Required value',
      'spec.rules[2].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ],
  },
  {
    when: 'an ingress still uses the annotation',
    do: 'create',
    object: ingress(
      { defaultBackend: backend },
      { metadata: meta({ annotations: { 'kubernetes.io/ingress.class': 'a' } }) },
    ),
    errors: [],
    warnings: [
      'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead',
    ],
  },
  {
    when: 'the spec of an ingress changes',
    do: 'update',
    old: ingress({ defaultBackend: backend }, { metadata: meta({ generation: 1 }) }),
    object: ingress({ defaultBackend: { service: { name: 'other', port: { number: 80 } } } }),
    errors: [],
    shows: { 'metadata.generation': 2, status: { loadBalancer: {} } },
  },
  {
    when: 'the controller of an ingress class changes',
    do: 'update',
    old: plain(
      'networking.k8s.io/v1',
      'IngressClass',
      cluster(),
    )({ spec: { controller: 'example.com/a' } }),
    object: plain(
      'networking.k8s.io/v1',
      'IngressClass',
      cluster(),
    )({ spec: { controller: 'example.com/b' } }),
    errors: ['spec.controller: Invalid value: "example.com/b": field is immutable'],
  },
  {
    when: 'the spec of a network policy changes',
    do: 'update',
    old: plain(
      'networking.k8s.io/v1',
      'NetworkPolicy',
      meta({ generation: 1 }),
    )({
      spec: {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: {} }] }],
      },
    }),
    object: plain(
      'networking.k8s.io/v1',
      'NetworkPolicy',
      meta(),
    )({
      spec: {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ namespaceSelector: {} }] }],
      },
    }),
    errors: [],
    shows: { 'metadata.generation': 2 },
  },
  {
    when: 'an address gets another parent',
    do: 'update',
    old: plain(
      'networking.k8s.io/v1',
      'IPAddress',
      cluster({ name: '10.0.0.1' }),
    )({ spec: { parentRef: { resource: 'services', name: 'a' } } }),
    object: plain(
      'networking.k8s.io/v1',
      'IPAddress',
      cluster({ name: '10.0.0.1' }),
    )({ spec: { parentRef: { resource: 'services', name: 'b' } } }),
    errors: [
      'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"","Name":"b"}: field is immutable',
    ],
  },
  {
    when: 'a range is exchanged',
    do: 'update',
    old: plain(
      'networking.k8s.io/v1',
      'ServiceCIDR',
      cluster(),
    )({ spec: { cidrs: ['10.0.0.0/24'] } }),
    object: plain(
      'networking.k8s.io/v1',
      'ServiceCIDR',
      cluster(),
    )({ spec: { cidrs: ['10.1.0.0/24'] } }),
    errors: ['spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable'],
  },
  {
    when: 'a range is joined by another',
    do: 'update',
    old: plain(
      'networking.k8s.io/v1',
      'ServiceCIDR',
      cluster(),
    )({ spec: { cidrs: ['10.0.0.0/24'] } }),
    object: plain(
      'networking.k8s.io/v1',
      'ServiceCIDR',
      cluster(),
    )({ spec: { cidrs: ['10.0.0.0/24', 'fd00::/64'] } }),
    errors: [],
  },
  {
    when: 'an endpoint slice changes its type',
    do: 'update',
    old: plain(
      'discovery.k8s.io/v1',
      'EndpointSlice',
      meta(),
    )({ addressType: 'IPv4', endpoints: [] }),
    object: plain(
      'discovery.k8s.io/v1',
      'EndpointSlice',
      meta(),
    )({ addressType: 'IPv6', endpoints: [] }),
    errors: ['addressType: Invalid value: "IPv6": field is immutable'],
  },
  {
    when: 'an endpoint slice gets a label',
    do: 'update',
    old: plain(
      'discovery.k8s.io/v1',
      'EndpointSlice',
      meta({ generation: 1 }),
    )({ addressType: 'IPv4', endpoints: [] }),
    object: plain(
      'discovery.k8s.io/v1',
      'EndpointSlice',
      meta({ labels: { a: 'b' } }),
    )({ addressType: 'IPv4', endpoints: [] }),
    errors: [],
    shows: { 'metadata.generation': 2 },
  },
  {
    when: 'a storage class has no provisioner',
    do: 'create',
    object: storageClass({ provisioner: '', reclaimPolicy: 'Burn', volumeBindingMode: 'Later' }),
    errors: [
      'provisioner: Required value',
      'reclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Retain"',
      'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
    ],
  },
  {
    when: 'a storage class changes',
    do: 'update',
    old: storageClass({ parameters: { b: '1' } }),
    object: storageClass({
      provisioner: 'example.com/other',
      parameters: { b: '2', a: '1' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
    }),
    errors: [
      'parameters: Invalid value: {"a":"1","b":"2"}: field is immutable',
      'provisioner: Invalid value: "example.com/other": field is immutable',
      'reclaimPolicy: Invalid value: "Retain": field is immutable',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ],
  },
  {
    when: 'a class of attributes changes',
    do: 'update',
    old: plain(
      'storage.k8s.io/v1',
      'VolumeAttributesClass',
      cluster(),
    )({ driverName: 'example.com', parameters: { a: 'b' } }),
    object: plain(
      'storage.k8s.io/v1',
      'VolumeAttributesClass',
      cluster(),
    )({ driverName: 'other.com', parameters: { a: 'c' } }),
    errors: [
      'driverName: Forbidden: updates to driverName are forbidden.',
      'parameters: Forbidden: updates to parameters are forbidden.',
    ],
  },
  {
    when: 'a driver on a node changes',
    do: 'update',
    old: plain(
      'storage.k8s.io/v1',
      'CSINode',
      cluster(),
    )({ spec: { drivers: [{ name: 'a.com', nodeID: 'n', topologyKeys: [] }] } }),
    object: plain(
      'storage.k8s.io/v1',
      'CSINode',
      cluster(),
    )({
      spec: {
        drivers: [{ name: 'a.com', nodeID: 'n', topologyKeys: [], allocatable: { count: 3 } }],
      },
    }),
    errors: [],
  },
  {
    when: 'capacity moves to another class',
    do: 'update',
    old: plain(
      'storage.k8s.io/v1',
      'CSIStorageCapacity',
      meta(),
    )({ storageClassName: 'a', nodeTopology: {} }),
    object: plain(
      'storage.k8s.io/v1',
      'CSIStorageCapacity',
      meta(),
    )({ storageClassName: 'b', nodeTopology: { matchLabels: { a: 'b' } } }),
    errors: [
      'nodeTopology: Invalid value: {"matchLabels":{"a":"b"}}: field is immutable',
      'storageClassName: Invalid value: "b": field is immutable',
    ],
  },
  {
    when: 'a CSI driver changes',
    do: 'update',
    old: plain('storage.k8s.io/v1', 'CSIDriver', cluster())({ spec: { attachRequired: true } }),
    object: plain(
      'storage.k8s.io/v1',
      'CSIDriver',
      cluster(),
    )({ spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral'] } }),
    errors: [
      'spec.attachedRequired: Invalid value: false: field is immutable',
      'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
    ],
    shows: { 'metadata.generation': 1 },
  },
  {
    when: 'the status of an attachment is written',
    do: 'status',
    old: plain(
      'storage.k8s.io/v1',
      'VolumeAttachment',
      cluster({ labels: { a: 'b' } }),
    )({ spec: { attacher: 'a.com', nodeName: 'n', source: { persistentVolumeName: 'v' } } }),
    object: plain(
      'storage.k8s.io/v1',
      'VolumeAttachment',
      cluster({ labels: { a: 'c' }, finalizers: ['example.com/a'] }),
    )({
      spec: { attacher: 'b.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
      status: { attached: true },
    }),
    errors: [],
    shows: {
      'metadata.labels': { a: 'b' },
      'metadata.finalizers': null,
      'spec.attacher': 'a.com',
      status: { attached: true },
    },
  },
];
