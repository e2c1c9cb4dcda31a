/** Services of every type, and the addresses behind them. */
import type { Service } from '../../../../api/generated/kinds/core-v1.ts';
import type { JsonObject } from '../../../../api/json/json.ts';
import {
  carryOverAllocations,
  pairClusterIps,
  pairNewClusterIps,
} from '../../../../api/kinds/core/services/allocations.ts';
import type { ParityKind } from '../parity-kind.ts';
import { metadata } from './metadata.ts';

const address = {
  clusterIP: '10.0.0.1',
  clusterIPs: ['10.0.0.1'],
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
  internalTrafficPolicy: 'Cluster',
};

function service(spec: JsonObject, status: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(),
    spec: {
      selector: { app: 'web' },
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ports: [
        {
          name: 'http',
          port: 80,
          targetPort: 'web',
          protocol: 'TCP',
          appProtocol: 'kubernetes.io/h2c',
        },
        { name: 'dns', port: 53, targetPort: 53, protocol: 'UDP' },
      ],
      ...spec,
    },
    status,
  };
}

const nodePorts = [{ name: 'http', port: 80, targetPort: 80, nodePort: 30_080, protocol: 'TCP' }];

export const coreServiceKinds: readonly ParityKind[] = [
  {
    name: 'Service',
    // The two fields of addresses are paired in the registry, in front of the strategy.
    beforehand(object, old) {
      const service = object as unknown as Service; // Written below, and decoded by the oracle since.
      if (old === undefined) pairNewClusterIps(service);
      else {
        carryOverAllocations(service, old as unknown as Service);
        pairClusterIps(service, old as unknown as Service);
      }
    },
    bases: [
      service(address),
      service({
        ...address,
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
        externalIPs: ['1.2.3.4'],
        trafficDistribution: 'PreferClose',
        publishNotReadyAddresses: true,
      }),
      service({ ...address, clusterIP: 'None', clusterIPs: ['None'] }),
      service({ ...address, type: 'NodePort', ports: nodePorts, externalTrafficPolicy: 'Local' }),
      service(
        {
          ...address,
          type: 'LoadBalancer',
          ports: nodePorts,
          externalTrafficPolicy: 'Local',
          healthCheckNodePort: 31_000,
          allocateLoadBalancerNodePorts: true,
          loadBalancerClass: 'example.com/lb',
          loadBalancerSourceRanges: ['10.0.0.0/8'],
          loadBalancerIP: '1.2.3.4',
        },
        {
          loadBalancer: {
            ingress: [
              { ip: '1.2.3.4', ipMode: 'VIP', ports: [{ port: 80, protocol: 'TCP' }] },
              { hostname: 'lb.example.com' },
            ],
          },
          conditions: [
            {
              type: 'Ready',
              status: 'True',
              reason: 'R',
              message: 'm',
              lastTransitionTime: '2020-01-01T00:00:00Z',
            },
          ],
        },
      ),
      service({
        ...address,
        clusterIPs: ['10.0.0.1', 'fd00::1'],
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: 'RequireDualStack',
      }),
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: metadata(),
        spec: { type: 'ExternalName', externalName: 'other.example.com', sessionAffinity: 'None' },
      },
    ],
  },
  {
    name: 'Endpoints',
    bases: [
      {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: metadata(),
        subsets: [
          {
            addresses: [
              {
                ip: '10.1.0.1',
                hostname: 'a',
                nodeName: 'node-1',
                targetRef: { kind: 'Pod', name: 'p', namespace: 'ns' },
              },
            ],
            notReadyAddresses: [{ ip: '10.1.0.2' }],
            ports: [
              { name: 'http', port: 80, protocol: 'TCP', appProtocol: 'http' },
              { name: 'dns', port: 53, protocol: 'UDP' },
            ],
          },
        ],
      },
    ],
  },
];
