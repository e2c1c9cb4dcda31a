/** What keeps workloads running as they should, and what serves requests in which order. */
import type { ParityKind } from '../parity-kind.ts';
import { metadata } from './metadata.ts';

const clusterWide = metadata({ namespace: undefined });
const scaler = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' };
const flow = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', metadata: clusterWide };
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const rules = {
  stabilizationWindowSeconds: 60,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 60 },
    { type: 'Percent', value: 10, periodSeconds: 60 },
  ],
  tolerance: '0.1',
};
const everything = {
  resourceRules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
    { verbs: ['get', 'list'], apiGroups: ['apps'], resources: ['deployments'], namespaces: ['ns'] },
  ],
  nonResourceRules: [
    { verbs: ['get'], nonResourceURLs: ['/healthz', '/api/*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ],
};
const condition = { type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' };

export const policyKinds: readonly ParityKind[] = [
  {
    name: 'HorizontalPodAutoscaler',
    bases: [
      {
        ...scaler,
        metadata: metadata(),
        spec: {
          minReplicas: 2,
          maxReplicas: 10,
          scaleTargetRef: target,
          metrics: [
            {
              type: 'Resource',
              resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
            },
            {
              type: 'ContainerResource',
              containerResource: {
                name: 'memory',
                container: 'c',
                target: { type: 'AverageValue', averageValue: '1Gi' },
              },
            },
            {
              type: 'Pods',
              pods: {
                metric: { name: 'hits', selector: { matchLabels: { a: 'b' } } },
                target: { type: 'AverageValue', averageValue: '10' },
              },
            },
            {
              type: 'Object',
              object: {
                describedObject: { apiVersion: 'v1', kind: 'Service', name: 's' },
                metric: { name: 'hits' },
                target: { type: 'Value', value: '10' },
              },
            },
            {
              type: 'External',
              external: {
                metric: { name: 'queue' },
                target: { type: 'AverageValue', averageValue: '3' },
              },
            },
          ],
          behavior: { scaleUp: rules, scaleDown: rules },
        },
        status: { currentReplicas: 1, desiredReplicas: 2, observedGeneration: 1 },
      },
      {
        ...scaler,
        metadata: metadata(),
        spec: { minReplicas: 1, maxReplicas: 3, scaleTargetRef: target },
        status: { currentReplicas: 1, desiredReplicas: 2 },
      },
    ],
  },
  {
    name: 'PodDisruptionBudget',
    bases: [
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: metadata(),
        spec: {
          minAvailable: 1,
          selector: {
            matchLabels: { a: 'b' },
            matchExpressions: [{ key: 'c', operator: 'In', values: ['d'] }],
          },
          unhealthyPodEvictionPolicy: 'AlwaysAllow',
        },
        status: {
          disruptionsAllowed: 1,
          currentHealthy: 2,
          desiredHealthy: 1,
          expectedPods: 2,
          conditions: [
            {
              type: 'DisruptionAllowed',
              status: 'True',
              reason: 'Enough',
              message: 'm',
              lastTransitionTime: '2020-01-01T00:00:00Z',
            },
          ],
        },
      },
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: metadata(),
        spec: { maxUnavailable: '25%', selector: {} },
        status: {
          disruptionsAllowed: 1,
          currentHealthy: 2,
          desiredHealthy: 1,
          expectedPods: 2,
        },
      },
    ],
  },
  {
    name: 'PriorityClass',
    bases: [
      {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: clusterWide,
        value: 1000,
        globalDefault: true,
        description: 'd',
        preemptionPolicy: 'Never',
      },
      {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: metadata({ namespace: undefined, name: 'system-node-critical' }),
        value: 2_000_001_000,
      },
    ],
  },
  {
    name: 'RuntimeClass',
    bases: [
      {
        apiVersion: 'node.k8s.io/v1',
        kind: 'RuntimeClass',
        metadata: clusterWide,
        handler: 'runsc',
        overhead: { podFixed: { cpu: '100m', memory: '64Mi' } },
        scheduling: {
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          tolerations: [
            { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' },
            { key: 'c', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
          ],
        },
      },
      { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: clusterWide, handler: 'r' },
    ],
  },
  {
    name: 'FlowSchema',
    bases: [
      {
        ...flow,
        kind: 'FlowSchema',
        spec: {
          matchingPrecedence: 500,
          priorityLevelConfiguration: { name: 'level' },
          distinguisherMethod: { type: 'ByUser' },
          rules: [
            {
              subjects: [
                { kind: 'User', user: { name: 'jane' } },
                { kind: 'Group', group: { name: 'team' } },
                { kind: 'ServiceAccount', serviceAccount: { name: 'robot', namespace: 'ns' } },
              ],
              ...everything,
            },
          ],
        },
        status: { conditions: [condition, { type: 'Dangling', status: 'False' }] },
      },
    ],
  },
  {
    name: 'PriorityLevelConfiguration',
    bases: [
      {
        ...flow,
        kind: 'PriorityLevelConfiguration',
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 10,
            lendablePercent: 20,
            borrowingLimitPercent: 50,
            limitResponse: {
              type: 'Queue',
              queuing: { queues: 32, handSize: 4, queueLengthLimit: 50 },
            },
          },
        },
        status: { conditions: [condition] },
      },
      {
        ...flow,
        kind: 'PriorityLevelConfiguration',
        spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
        status: {},
      },
      {
        ...flow,
        kind: 'PriorityLevelConfiguration',
        metadata: metadata({ namespace: undefined, name: 'exempt' }),
        spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 1, lendablePercent: 10 } },
        status: {},
      },
    ],
  },
  {
    name: 'Lease',
    bases: [
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: metadata(),
        spec: {
          holderIdentity: 'h',
          leaseDurationSeconds: 15,
          acquireTime: '2020-01-01T00:00:00.000000Z',
          renewTime: '2020-01-01T00:00:00.000000Z',
          leaseTransitions: 1,
        },
      },
    ],
  },
  {
    name: 'EndpointSlice',
    bases: [
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: metadata(),
        addressType: 'IPv4',
        endpoints: [
          {
            addresses: ['10.1.2.3', '10.1.2.4'],
            conditions: { ready: true, serving: true, terminating: false },
            hostname: 'h',
            nodeName: 'node-1',
            zone: 'z',
            targetRef: { kind: 'Pod', name: 'p', namespace: 'ns' },
            hints: { forZones: [{ name: 'z' }], forNodes: [{ name: 'node-1' }] },
          },
        ],
        ports: [
          { name: 'http', port: 80, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
          { name: 'dns', port: 53, protocol: 'UDP' },
        ],
      },
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: metadata(),
        addressType: 'IPv6',
        endpoints: [{ addresses: ['2001:db8::1'] }],
        ports: [{ name: '', port: 80, protocol: 'TCP' }],
      },
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: metadata(),
        addressType: 'FQDN',
        endpoints: [{ addresses: ['a.example.com'] }],
      },
    ],
  },
  {
    name: 'APIService',
    bases: [
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: metadata({ namespace: undefined, name: 'v1.example.com' }),
        spec: {
          group: 'example.com',
          version: 'v1',
          groupPriorityMinimum: 100,
          versionPriority: 10,
          service: { namespace: 'ns', name: 's', port: 443 },
          caBundle: 'YQ==',
        },
        status: {
          conditions: [
            {
              type: 'Available',
              status: 'True',
              reason: 'R',
              message: 'm',
              lastTransitionTime: null,
            },
          ],
        },
      },
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: metadata({ namespace: undefined, name: 'v1.example.com' }),
        spec: {
          group: 'example.com',
          version: 'v1',
          groupPriorityMinimum: 100,
          versionPriority: 10,
        },
        status: {},
      },
    ],
  },
];
