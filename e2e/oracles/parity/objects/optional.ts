/** Kinds that are served only where they are switched on. */
import type { JsonObject } from '../../../../api/json/json.ts';
import {
  CHAIN,
  ED25519_KEY,
  ED25519_PROOF,
  STUB,
} from '../../../../api/kinds/rule-cases/pod-certificates.fixture.ts';
import type { ParityKind } from '../parity-kind.ts';
import { metadata } from './metadata.ts';

const clusterWide = metadata({ namespace: undefined });
const condition = (type: string, status = 'True'): JsonObject => ({
  ...{ type, status, reason: 'R', message: 'm', lastTransitionTime: '2020-01-01T00:00:00Z' },
});

const rule: JsonObject = {
  ...{ apiVersion: 'resource.k8s.io/v1alpha3', kind: 'DeviceTaintRule', metadata: clusterWide },
  spec: {
    deviceSelector: { driver: 'gpu.example.com', pool: 'rack-1/node-1', device: 'gpu-0' },
    taint: {
      ...{ key: 'example.com/broken', value: 'yes', effect: 'NoExecute' },
      timeAdded: '2020-01-01T00:00:00Z',
    },
  },
  status: { conditions: [condition('EvictionInProgress')] },
};

const question: JsonObject = {
  ...{ apiVersion: 'resource.k8s.io/v1alpha3', kind: 'ResourcePoolStatusRequest' },
  metadata: clusterWide,
  spec: { driver: 'GPU.example.com', poolName: 'rack-1/node-1', limit: 7 },
};
const pool: JsonObject = {
  ...{ driver: 'gpu.example.com', poolName: 'rack-1/node-1', generation: 3 },
  ...{ resourceSliceCount: 1, totalDevices: 4, allocatedDevices: 1, availableDevices: 2 },
  ...{ unavailableDevices: 1, nodeName: 'node-1', validationError: 'incomplete' },
};
const answered = {
  ...{ poolCount: 2, pools: [pool, { ...pool, poolName: 'b' }] },
  conditions: [condition('Complete'), condition('Failed', 'False')],
};

const storageVersion: JsonObject = {
  ...{ apiVersion: 'internal.apiserver.k8s.io/v1alpha1', kind: 'StorageVersion' },
  metadata: { ...clusterWide, name: 'apps.deployments' },
  spec: {},
  status: {
    storageVersions: [
      {
        ...{ apiServerID: 'apiserver-a', encodingVersion: 'apps/v1' },
        ...{ decodableVersions: ['apps/v1', 'apps/v1beta1'], servedVersions: ['apps/v1'] },
      },
      { apiServerID: 'apiserver-b', encodingVersion: 'apps/v1', decodableVersions: ['apps/v1'] },
    ],
    commonEncodingVersion: 'apps/v1',
    conditions: [condition('AllEncodingVersionsEqual'), condition('Other', 'False')],
  },
};

const scheduling = { apiVersion: 'scheduling.k8s.io/v1alpha2', metadata: metadata() };
const group: JsonObject = {
  ...{ ...scheduling, kind: 'PodGroup' },
  spec: {
    podGroupTemplateRef: {
      workload: { workloadName: 'training', podGroupTemplateName: 'workers' },
    },
    schedulingPolicy: { gang: { minCount: 4 } },
    schedulingConstraints: { topology: [{ key: 'example.com/rack' }] },
    resourceClaims: [
      { name: 'gpu', resourceClaimTemplateName: 'gpus' },
      { name: 'net', resourceClaimName: 'shared' },
    ],
    ...{ disruptionMode: 'PodGroup', priorityClassName: 'high', priority: 7 },
  },
  status: {
    conditions: [condition('PodGroupScheduled')],
    resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'gpu-7xkq2' }, { name: 'net' }],
  },
};
const plainGroup: JsonObject = {
  ...{ ...scheduling, kind: 'PodGroup', spec: { schedulingPolicy: { basic: {} } }, status: {} },
};
const template: JsonObject = {
  ...{ name: 'workers', schedulingPolicy: { gang: { minCount: 4 } } },
  resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpus' }],
  ...{ disruptionMode: 'Pod', priorityClassName: 'high', priority: 7 },
};
const workload: JsonObject = {
  ...{ ...scheduling, kind: 'Workload' },
  spec: {
    controllerRef: { apiGroup: 'batch', kind: 'Job', name: 'training' },
    podGroupTemplates: [template, { name: 'driver', schedulingPolicy: { basic: {} } }],
  },
};

const podCertificate: JsonObject = {
  ...{ apiVersion: 'certificates.k8s.io/v1beta1', kind: 'PodCertificateRequest' },
  metadata: metadata(),
  spec: {
    ...{ signerName: 'example.com/signer', podName: 'web', podUID: 'u-pod' },
    ...{ serviceAccountName: 'default', serviceAccountUID: 'u-account' },
    ...{ nodeName: 'node-1', nodeUID: 'u-node', maxExpirationSeconds: 86_400 },
    ...{ stubPKCS10Request: STUB, unverifiedUserAnnotations: { 'example.com/a': 'b' } },
  },
  status: {},
};
const issued: JsonObject = {
  conditions: [condition('Issued')],
  ...{ certificateChain: CHAIN, notBefore: '2026-11-21T08:58:00Z' },
  ...{ beginRefreshAt: '2026-11-22T00:00:00Z', notAfter: '2026-11-22T08:58:00Z' },
};
const olderKey: JsonObject = {
  ...podCertificate,
  spec: {
    ...{ signerName: 'kubernetes.io/kube-apiserver-client-pod', podName: 'web', podUID: 'u-pod' },
    ...{ serviceAccountName: 'default', serviceAccountUID: 'u-account' },
    ...{ nodeName: 'node-1', nodeUID: 'u-node', maxExpirationSeconds: 3_600 },
    ...{ pkixPublicKey: ED25519_KEY, proofOfPossession: ED25519_PROOF },
  },
  status: { conditions: [condition('Denied')] },
};

export const optionalKinds: readonly ParityKind[] = [
  { name: 'DeviceTaintRule', bases: [rule] },
  { name: 'ResourcePoolStatusRequest', bases: [question, { ...question, status: answered }] },
  { name: 'StorageVersion', bases: [storageVersion] },
  { name: 'PodGroup', bases: [group, plainGroup] },
  { name: 'Workload', bases: [workload] },
  {
    name: 'PodCertificateRequest',
    bases: [podCertificate, { ...podCertificate, status: issued }, olderKey],
  },
];
