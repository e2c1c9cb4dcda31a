/** Devices, and claims of them. */
import type { ParityKind } from '../parity-kind.ts';
import { metadata } from './metadata.ts';

const common = { apiVersion: 'resource.k8s.io/v1' };
const clusterWide = metadata({ namespace: undefined });
const selectors = [{ cel: { expression: 'device.driver == "gpu.example.com"' } }];
const opaque = {
  driver: 'gpu.example.com',
  parameters: { apiVersion: 'example.com/v1', mode: 'x' },
};
const tolerations = [
  { key: 'example.com/broken', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 5 },
];
const devices = {
  requests: [
    {
      name: 'gpu',
      exactly: {
        deviceClassName: 'gpu.example.com',
        selectors,
        allocationMode: 'ExactCount',
        count: 2,
        tolerations,
      },
    },
    {
      name: 'any',
      firstAvailable: [
        { name: 'big', deviceClassName: 'big.example.com', allocationMode: 'All' },
        { name: 'small', deviceClassName: 'small.example.com', count: 1, selectors, tolerations },
      ],
    },
  ],
  constraints: [
    { requests: ['gpu'], matchAttribute: 'example.com/numa' },
    { requests: ['gpu', 'any/big'], distinctAttribute: 'example.com/slot' },
  ],
  config: [{ requests: ['gpu'], opaque }, { opaque }],
};
const binding = { bindingConditions: ['ready'], bindingFailureConditions: ['failed'] };
const allocated = { driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0' };
const nodeSelector = {
  nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
};

export const deviceKinds: readonly ParityKind[] = [
  {
    name: 'ResourceClaim',
    bases: [
      { ...common, kind: 'ResourceClaim', metadata: metadata(), spec: { devices }, status: {} },
      {
        ...common,
        kind: 'ResourceClaim',
        metadata: metadata(),
        spec: { devices },
        status: {
          allocation: {
            devices: {
              results: [
                {
                  ...allocated,
                  ...binding,
                  request: 'gpu',
                  shareID: 'a2f6d3f0-6c8c-4f5e-9a57-2b0b8a2ad9f4',
                },
                { ...allocated, request: 'any/big', device: 'gpu-1' },
              ],
              config: [{ source: 'FromClaim', requests: ['gpu'], opaque }],
            },
            nodeSelector,
          },
          reservedFor: [
            { resource: 'pods', name: 'p', uid: 'u-1' },
            { resource: 'pods', name: 'q', uid: 'u-2' },
          ],
          devices: [
            {
              ...allocated,
              device: 'gpu-1',
              data: { state: 'good' },
              conditions: [
                {
                  type: 'Ready',
                  status: 'True',
                  reason: 'R',
                  message: 'm',
                  lastTransitionTime: '2020-01-01T00:00:00Z',
                },
              ],
              networkData: {
                interfaceName: 'eth0',
                hardwareAddress: 'aa:bb',
                ips: ['10.0.0.5/24', '2001:db8::1/64'],
              },
            },
          ],
        },
      },
    ],
  },
  {
    name: 'ResourceClaimTemplate',
    bases: [
      {
        ...common,
        kind: 'ResourceClaimTemplate',
        metadata: metadata(),
        spec: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: { devices } },
      },
    ],
  },
  {
    name: 'DeviceClass',
    bases: [
      {
        ...common,
        kind: 'DeviceClass',
        metadata: clusterWide,
        spec: { selectors, config: [{ opaque }], extendedResourceName: 'example.com/gpu' },
      },
    ],
  },
  {
    name: 'ResourceSlice',
    bases: [
      {
        ...common,
        kind: 'ResourceSlice',
        metadata: clusterWide,
        spec: {
          driver: 'gpu.example.com',
          nodeName: 'node-1',
          pool: { name: 'node-1', generation: 1, resourceSliceCount: 1 },
          devices: [
            {
              name: 'gpu-0',
              attributes: {
                'example.com/model': { string: 'x' },
                index: { int: 0 },
                shared: { bool: true },
                version: { version: '1.2.3-rc.1+b' },
              },
              capacity: {
                memory: {
                  value: '8Gi',
                  requestPolicy: { default: '1Gi', validValues: ['1Gi', '2Gi'] },
                },
                cores: {
                  value: '16',
                  requestPolicy: {
                    default: '2',
                    validRange: { min: '2', max: '8', step: '2' },
                  },
                },
              },
              allowMultipleAllocations: true,
              taints: [{ key: 'example.com/broken', value: 'yes', effect: 'NoSchedule' }],
              consumesCounters: [{ counterSet: 'parts', counters: { slots: { value: '1' } } }],
              ...binding,
            },
            { name: 'gpu-1', capacity: { memory: { value: '8Gi' } } },
          ],
        },
      },
      {
        ...common,
        kind: 'ResourceSlice',
        metadata: clusterWide,
        spec: {
          driver: 'gpu.example.com',
          allNodes: true,
          pool: { name: 'shared/pool', generation: 1, resourceSliceCount: 2 },
          sharedCounters: [{ name: 'parts', counters: { slots: { value: '4' } } }],
        },
      },
      {
        ...common,
        kind: 'ResourceSlice',
        metadata: clusterWide,
        spec: {
          driver: 'gpu.example.com',
          perDeviceNodeSelection: true,
          pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
          devices: [
            { name: 'a', nodeName: 'node-1' },
            { name: 'b', nodeSelector },
            { name: 'c', allNodes: true },
          ],
        },
      },
      {
        ...common,
        kind: 'ResourceSlice',
        metadata: clusterWide,
        spec: {
          driver: 'gpu.example.com',
          nodeSelector,
          pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
          devices: [{ name: 'a' }],
        },
      },
    ],
  },
];
