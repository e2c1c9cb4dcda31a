/** What describes the cluster and bounds what may be in it. */
import type { ParityKind } from '../parity-kind.ts';
import { clusterMetadata, metadata } from './metadata.ts';

export const coreClusterKinds: readonly ParityKind[] = [
  {
    name: 'Namespace',
    bases: [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: clusterMetadata({ labels: { 'kubernetes.io/metadata.name': 'one' } }),
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      },
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: clusterMetadata({
          labels: { 'kubernetes.io/metadata.name': 'one' },
          deletionTimestamp: '2020-01-02T00:00:00Z',
        }),
        spec: { finalizers: ['kubernetes', 'example.com/f'] },
        status: {
          phase: 'Terminating',
          conditions: [
            {
              type: 'NamespaceDeletionContentFailure',
              status: 'True',
              lastTransitionTime: '2020-01-01T00:00:00Z',
            },
          ],
        },
      },
    ],
  },
  {
    name: 'Node',
    bases: [
      { apiVersion: 'v1', kind: 'Node', metadata: clusterMetadata() },
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: clusterMetadata(),
        spec: {
          podCIDR: '10.1.0.0/24',
          podCIDRs: ['10.1.0.0/24'],
          providerID: 'p',
          taints: [
            { key: 'a', value: 'b', effect: 'NoSchedule', timeAdded: '2020-01-01T00:00:00Z' },
            { key: 'c', effect: 'NoExecute' },
          ],
          unschedulable: true,
        },
        status: {
          capacity: { cpu: '4', memory: '8Gi', 'example.com/gpu': '2' },
          allocatable: { cpu: '3', memory: '7Gi', 'example.com/gpu': '2' },
          conditions: [{ type: 'Ready', status: 'True' }],
          addresses: [
            { type: 'InternalIP', address: '10.0.0.1' },
            { type: 'Hostname', address: 'h' },
          ],
          nodeInfo: {
            architecture: 'amd64',
            bootID: 'b',
            containerRuntimeVersion: 'c',
            kernelVersion: 'k',
            kubeProxyVersion: 'v',
            kubeletVersion: 'v',
            machineID: 'm',
            operatingSystem: 'linux',
            osImage: 'o',
            systemUUID: 's',
          },
          images: [{ names: ['i'], sizeBytes: 5 }],
          volumesInUse: ['v'],
          volumesAttached: [{ name: 'v', devicePath: 'd' }],
        },
      },
    ],
  },
  {
    name: 'ResourceQuota',
    bases: [
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: metadata(),
        spec: {
          hard: {
            cpu: '4',
            'requests.memory': '8Gi',
            pods: '10',
            'count/deployments.apps': '5',
            'requests.storage': '1Ti',
          },
        },
        status: { hard: { cpu: '4' }, used: { cpu: '1' } },
      },
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: metadata(),
        spec: { hard: { pods: '10' }, scopes: ['BestEffort', 'NotTerminating'] },
      },
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: metadata(),
        spec: {
          hard: { pods: '10', 'limits.cpu': '2' },
          scopeSelector: {
            matchExpressions: [
              { scopeName: 'PriorityClass', operator: 'In', values: ['high'] },
              { scopeName: 'NotBestEffort', operator: 'Exists' },
            ],
          },
        },
      },
    ],
  },
  {
    name: 'LimitRange',
    bases: [
      {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: metadata(),
        spec: {
          limits: [
            {
              type: 'Container',
              max: { cpu: '4', memory: '4Gi' },
              min: { cpu: '100m' },
              default: { cpu: '2', memory: '1Gi' },
              defaultRequest: { cpu: '1', memory: '1Gi' },
              maxLimitRequestRatio: { cpu: '4' },
            },
            { type: 'Pod', max: { cpu: '8' }, min: { cpu: '1' } },
            { type: 'PersistentVolumeClaim', max: { storage: '10Gi' }, min: { storage: '1Gi' } },
          ],
        },
      },
    ],
  },
];
