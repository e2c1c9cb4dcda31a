/** Where storage comes from. */
import type { ParityKind } from '../parity-kind.ts';
import { metadata } from './metadata.ts';

const common = { apiVersion: 'storage.k8s.io/v1', metadata: metadata({ namespace: undefined }) };

export const storageKinds: readonly ParityKind[] = [
  {
    name: 'StorageClass',
    bases: [
      {
        ...common,
        kind: 'StorageClass',
        provisioner: 'example.com/disk',
        parameters: { type: 'fast' },
        reclaimPolicy: 'Retain',
        volumeBindingMode: 'WaitForFirstConsumer',
        allowVolumeExpansion: true,
        mountOptions: ['ro'],
        allowedTopologies: [
          {
            matchLabelExpressions: [
              { key: 'topology.kubernetes.io/zone', values: ['a', 'b'] },
              { key: 'topology.kubernetes.io/region', values: ['r'] },
            ],
          },
          { matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['c'] }] },
        ],
      },
      { ...common, kind: 'StorageClass', provisioner: 'disk' },
    ],
  },
  {
    name: 'VolumeAttributesClass',
    bases: [
      {
        ...common,
        kind: 'VolumeAttributesClass',
        driverName: 'disk.example.com',
        parameters: { iops: '100' },
      },
    ],
  },
  {
    name: 'VolumeAttachment',
    bases: [
      {
        ...common,
        kind: 'VolumeAttachment',
        spec: {
          attacher: 'disk.example.com',
          nodeName: 'node-1',
          source: { persistentVolumeName: 'pv-1' },
        },
        status: {
          attached: true,
          attachmentMetadata: { a: 'b' },
          attachError: { message: 'm', time: '2020-01-01T00:00:00Z', errorCode: 3 },
          detachError: { message: 'm' },
        },
      },
      {
        ...common,
        kind: 'VolumeAttachment',
        spec: {
          attacher: 'disk.example.com',
          nodeName: 'node-1',
          source: {
            inlineVolumeSpec: {
              accessModes: ['ReadWriteOnce'],
              csi: { driver: 'disk.example.com', volumeHandle: 'h' },
            },
          },
        },
        status: { attached: false },
      },
    ],
  },
  {
    name: 'CSIDriver',
    bases: [
      {
        ...common,
        kind: 'CSIDriver',
        spec: {
          attachRequired: true,
          podInfoOnMount: true,
          storageCapacity: true,
          fsGroupPolicy: 'File',
          tokenRequests: [
            { audience: 'a', expirationSeconds: 3600 },
            { audience: 'b', expirationSeconds: 600 },
          ],
          volumeLifecycleModes: ['Persistent', 'Ephemeral'],
          requiresRepublish: true,
          seLinuxMount: true,
          nodeAllocatableUpdatePeriodSeconds: 60,
          serviceAccountTokenInSecrets: true,
        },
      },
      { ...common, kind: 'CSIDriver', spec: {} },
    ],
  },
  {
    name: 'CSINode',
    bases: [
      {
        ...common,
        kind: 'CSINode',
        spec: {
          drivers: [
            {
              name: 'disk.example.com',
              nodeID: 'n1',
              topologyKeys: ['example.com/zone', 'example.com/rack'],
              allocatable: { count: 4 },
            },
            { name: 'other.example.com', nodeID: 'n2' },
          ],
        },
      },
    ],
  },
  {
    name: 'CSIStorageCapacity',
    bases: [
      {
        ...common,
        metadata: metadata(),
        kind: 'CSIStorageCapacity',
        storageClassName: 'fast',
        capacity: '10Gi',
        maximumVolumeSize: '1Gi',
        nodeTopology: {
          matchLabels: { zone: 'a' },
          matchExpressions: [{ key: 'rack', operator: 'In', values: ['1'] }],
        },
      },
    ],
  },
];
