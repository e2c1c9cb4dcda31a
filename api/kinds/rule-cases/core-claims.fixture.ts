/** What comes of writes of claims. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { pvc } from './written-objects.fixture.ts';

export const coreClaimsCases: readonly RuleCase[] = [
  {
    when: 'a claim asks for nothing',
    do: 'create',
    object: pvc({ accessModes: [], resources: {} }),
    errors: [
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ],
  },
  {
    when: 'a claim asks for no space and an unknown mode',
    do: 'create',
    object: pvc({
      accessModes: ['Never', 'ReadWriteOncePod', 'ReadWriteOnce'],
      resources: { requests: { storage: '0' } },
    }),
    errors: [
      'spec.accessModes: Unsupported value: "Never": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ],
  },
  {
    when: 'a claim is changed',
    do: 'update',
    old: pvc(),
    object: pvc({ accessModes: ['ReadWriteMany'] }),
    errors: [
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    ],
  },
  {
    when: 'a claim that is not bound grows',
    do: 'update',
    old: pvc(),
    object: pvc({ resources: { requests: { storage: '3Gi' } } }),
    errors: [
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    ],
  },
  {
    when: 'a bound claim grows',
    do: 'update',
    old: pvc({ volumeName: 'v' }, { status: { phase: 'Bound', capacity: { storage: '2Gi' } } }),
    object: pvc({ volumeName: 'v', resources: { requests: { storage: '3Gi' } } }),
    errors: [],
  },
  {
    when: 'a bound claim shrinks below what it has',
    do: 'update',
    old: pvc(
      { volumeName: 'v', resources: { requests: { storage: '3Gi' } } },
      { status: { phase: 'Bound', capacity: { storage: '2Gi' } } },
    ),
    object: pvc({ volumeName: 'v', resources: { requests: { storage: '1Gi' } } }),
    errors: [
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ],
  },
  {
    when: 'the binder names the volume',
    do: 'update',
    old: pvc(),
    object: pvc({ volumeName: 'v' }),
    errors: [],
  },
  {
    when: 'a claim without a class gets one',
    do: 'update',
    old: pvc(),
    object: pvc({ storageClassName: 'fast' }),
    errors: [],
  },
  {
    when: 'a claim is made from a snapshot',
    do: 'create',
    object: pvc({
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
    }),
    errors: [],
    shows: {
      'spec.dataSource': { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
      'spec.dataSourceRef': {
        apiGroup: 'snapshot.storage.k8s.io',
        kind: 'VolumeSnapshot',
        name: 's',
      },
      status: { phase: 'Pending' },
    },
  },
  {
    when: 'a claim names an unknown source in the old field',
    do: 'create',
    object: pvc({ dataSource: { apiGroup: 'example.com', kind: 'Thing', name: 's' } }),
    errors: [],
    shows: { 'spec.dataSource': null, 'spec.dataSourceRef': null },
  },
];
