/** What comes of writes of storage that are wrong. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { cluster, meta } from './written-objects.fixture.ts';

export const storageRuleCases: readonly RuleCase[] = [
  {
    when: 'topologies of a storage class repeat',
    do: 'create',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: cluster(),
      provisioner: 'a b',
      reclaimPolicy: 'Recycle',
      volumeBindingMode: 'Later',
      allowedTopologies: [
        {
          matchLabelExpressions: [
            { key: 'zone', values: ['a', 'a'] },
            { key: 'zone', values: [] },
          ],
        },
        {},
      ],
    },
    errors: [
      "provisioner: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
      'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
      'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
      'allowedTopologies[0].matchLabelExpressions[1].values: Required value',
      'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"',
      'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
    ],
  },
  {
    when: 'a driver asks for tokens in vain',
    do: 'create',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: cluster(),
      spec: {
        fsGroupPolicy: 'Never',
        volumeLifecycleModes: ['Forever'],
        tokenRequests: [
          { audience: 'a', expirationSeconds: 1 },
          { audience: 'a' },
          { audience: 'b', expirationSeconds: 4294967297 },
        ],
        nodeAllocatableUpdatePeriodSeconds: 1,
      },
    },
    errors: [
      'spec.fsGroupPolicy: Unsupported value: "Never": supported values: "File", "None", "ReadWriteOnceWithFSType"',
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      'spec.tokenRequests[2].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
      'spec.volumeLifecycleModes: Unsupported value: "Forever": supported values: "Persistent", "Ephemeral"',
      'spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 1: must be greater than or equal to 10 seconds',
    ],
    warnings: [
      'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
    ],
  },
  {
    when: 'drivers of a node are wrong',
    do: 'create',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: cluster(),
      spec: {
        drivers: [
          { name: 'a', nodeID: '', topologyKeys: ['', 'x', 'x'], allocatable: { count: -1 } },
          { name: 'a', nodeID: 'n' },
        ],
      },
    },
    errors: [
      'spec.drivers[0].nodeID: Required value',
      'spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
      'spec.drivers[0]: Required value',
      'spec.drivers[0]: Invalid value: "": name part must be non-empty',
      "spec.drivers[0]: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.drivers[0]: Duplicate value: "x"',
      'spec.drivers[1].name: Duplicate value: "a"',
    ],
  },
  {
    when: 'an attachment has two sources',
    do: 'create',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: cluster(),
      spec: {
        attacher: 'A b',
        nodeName: 'N',
        source: { persistentVolumeName: 'v', inlineVolumeSpec: {} },
      },
    },
    errors: [
      "spec.attacher: Invalid value: \"A b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      "spec.nodeName: Invalid value: \"N\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  },
  {
    when: 'an inline volume is what binds to claims',
    do: 'create',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: cluster(),
      spec: {
        attacher: 'a',
        nodeName: 'n',
        source: {
          inlineVolumeSpec: {
            capacity: { storage: '1' },
            storageClassName: 's',
            volumeMode: 'Block',
            hostPath: { path: '/a' },
          },
        },
      },
    },
    errors: [
      'spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.accessModes: Required value',
      'spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes',
    ],
  },
  {
    when: 'capacity is less than nothing',
    do: 'create',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIStorageCapacity',
      metadata: meta(),
      storageClassName: 'A',
      capacity: '-1',
      nodeTopology: { matchExpressions: [{ key: 'a', operator: 'Like' }] },
    },
    errors: [
      'nodeTopology.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
      "storageClassName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'capacity: Invalid value: "-1": must be greater than or equal to 0',
    ],
  },
];
