/** Volumes of many sorts, and claims on them. */
import type { JsonObject } from '../../../../api/json/json.ts';
import type { ParityKind } from '../parity-kind.ts';
import { clusterMetadata, metadata } from './metadata.ts';

function volume(source: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: clusterMetadata(),
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'fast',
      mountOptions: ['ro'],
      volumeMode: 'Filesystem',
      ...source,
      ...more,
    },
    status: { phase: 'Bound' },
  };
}

const nodeAffinity = {
  required: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
  },
};
const reference = { name: 's', namespace: 'ns' };

function claim(spec: JsonObject, status: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadata(more),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    status,
  };
}

export const coreVolumeKinds: readonly ParityKind[] = [
  {
    name: 'PersistentVolume',
    bases: [
      volume({ hostPath: { path: '/data', type: '' } }),
      volume({ local: { path: '/disk', fsType: 'ext4' } }, { nodeAffinity }),
      volume(
        {
          csi: {
            driver: 'example.com',
            volumeHandle: 'h',
            fsType: 'ext4',
            volumeAttributes: { a: 'b' },
            controllerPublishSecretRef: reference,
            nodeStageSecretRef: reference,
            nodePublishSecretRef: reference,
            controllerExpandSecretRef: reference,
            nodeExpandSecretRef: reference,
          },
        },
        {
          claimRef: { kind: 'PersistentVolumeClaim', name: 'c', namespace: 'ns', uid: 'u-9' },
          volumeAttributesClassName: 'gold',
        },
      ),
      volume({ nfs: { server: 's', path: '/p' } }),
      volume({
        iscsi: {
          targetPortal: '1.2.3.4',
          iqn: 'iqn.2015-02.example.com:test',
          lun: 1,
          chapAuthDiscovery: true,
          secretRef: reference,
          initiatorName: 'iqn.2015-02.example.com:init',
        },
      }),
      volume({ gcePersistentDisk: { pdName: 'd', partition: 1 } }),
      volume({ awsElasticBlockStore: { volumeID: 'v' } }),
      volume({ glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: 'n' } }),
      volume({ flocker: { datasetUUID: 'd' } }),
      volume({ rbd: { monitors: ['m'], image: 'i', secretRef: reference } }),
      volume({ cinder: { volumeID: 'v', secretRef: reference } }),
      volume({ cephfs: { monitors: ['m'] } }),
      volume({ quobyte: { registry: 'r:1', volume: 'v' } }),
      volume({ fc: { wwids: ['w'] } }),
      volume({ flexVolume: { driver: 'example.com/d', options: { a: 'b' } } }),
      volume({ azureFile: { secretName: 's', shareName: 'n', secretNamespace: 'ns' } }),
      volume({ azureDisk: { diskName: 'd', diskURI: '/subscriptions/x', kind: 'Managed' } }),
      volume({ vsphereVolume: { volumePath: 'p' } }),
      volume({ photonPersistentDisk: { pdID: 'p' } }),
      volume({ portworxVolume: { volumeID: 'v' } }),
      volume({ storageos: { volumeName: 'v', secretRef: { name: 's', namespace: 'ns' } } }),
      volume({ scaleIO: { gateway: 'g', system: 's', volumeName: 'v', secretRef: reference } }),
    ],
  },
  {
    name: 'PersistentVolumeClaim',
    bases: [
      claim({
        storageClassName: 'fast',
        volumeMode: 'Filesystem',
        selector: { matchLabels: { a: 'b' } },
      }),
      claim({
        storageClassName: 'fast',
        volumeName: 'v',
        dataSource: { kind: 'PersistentVolumeClaim', name: 'o' },
        dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'o' },
      }),
      claim(
        { storageClassName: 'fast', volumeName: 'v', volumeAttributesClassName: 'gold' },
        {
          phase: 'Bound',
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          allocatedResources: { storage: '1Gi' },
          allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' },
          conditions: [{ type: 'Resizing', status: 'True' }],
        },
      ),
      claim(
        {
          dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
          dataSourceRef: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
        },
        { phase: 'Bound', capacity: { storage: '2Gi' } },
      ),
    ],
  },
];
