/** How traffic gets in, and which pods may talk to which. */
import type { ParityKind } from '../parity-kind.ts';
import { metadata } from './metadata.ts';

const common = { apiVersion: 'networking.k8s.io/v1', metadata: metadata() };
const backend = { service: { name: 'web', port: { number: 80 } } };
const resourceBackend = { resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'b' } };
const clusterWide = { ...common, metadata: metadata({ namespace: undefined }) };

export const networkingKinds: readonly ParityKind[] = [
  {
    name: 'Ingress',
    bases: [
      { ...common, kind: 'Ingress', spec: { defaultBackend: backend, ingressClassName: 'nginx' } },
      {
        ...common,
        kind: 'Ingress',
        spec: {
          rules: [
            {
              host: 'a.example.com',
              http: {
                paths: [
                  { path: '/a', pathType: 'Prefix', backend },
                  { path: '/b', pathType: 'Exact', backend: resourceBackend },
                ],
              },
            },
            {
              host: '*.example.com',
              http: {
                paths: [
                  {
                    pathType: 'ImplementationSpecific',
                    backend: { service: { name: 'b', port: { name: 'http' } } },
                  },
                ],
              },
            },
          ],
          tls: [{ hosts: ['a.example.com', '*.example.com'], secretName: 'cert' }],
        },
        status: {
          loadBalancer: {
            ingress: [
              {
                ip: '1.2.3.4',
                hostname: 'lb.example.com',
                ports: [{ port: 80, protocol: 'TCP' }],
              },
            ],
          },
        },
      },
    ],
  },
  {
    name: 'IngressClass',
    bases: [
      { ...clusterWide, kind: 'IngressClass', spec: { controller: 'example.com/controller' } },
      {
        ...clusterWide,
        kind: 'IngressClass',
        spec: {
          controller: 'example.com/controller',
          parameters: {
            apiGroup: 'example.com',
            kind: 'Parameters',
            name: 'p',
            scope: 'Namespace',
            namespace: 'ns',
          },
        },
      },
      {
        ...clusterWide,
        kind: 'IngressClass',
        spec: {
          controller: 'example.com/controller',
          parameters: { kind: 'Parameters', name: 'p', scope: 'Cluster' },
        },
      },
    ],
  },
  {
    name: 'NetworkPolicy',
    bases: [
      {
        ...common,
        kind: 'NetworkPolicy',
        spec: {
          podSelector: { matchLabels: { app: 'web' } },
          policyTypes: ['Ingress', 'Egress'],
          ingress: [
            {
              from: [
                {
                  podSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
                },
                { namespaceSelector: { matchLabels: { team: 'x' } }, podSelector: {} },
                { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
              ],
              ports: [
                { port: 80, protocol: 'TCP', endPort: 90 },
                { port: 'http', protocol: 'UDP' },
              ],
            },
          ],
          egress: [{ to: [{ ipBlock: { cidr: '2001:db8::/32' } }], ports: [{ protocol: 'SCTP' }] }],
        },
      },
      { ...common, kind: 'NetworkPolicy', spec: { podSelector: {} } },
    ],
  },
  {
    name: 'IPAddress',
    bases: [
      {
        ...clusterWide,
        kind: 'IPAddress',
        metadata: metadata({ namespace: undefined, name: '10.0.0.1' }),
        spec: { parentRef: { group: '', resource: 'services', namespace: 'ns', name: 's' } },
      },
      {
        ...clusterWide,
        kind: 'IPAddress',
        metadata: metadata({ namespace: undefined, name: '2001:db8::1' }),
        spec: {
          parentRef: { group: 'example.com', resource: 'gateways', namespace: 'ns', name: 'g' },
        },
      },
    ],
  },
  {
    name: 'ServiceCIDR',
    bases: [
      {
        ...clusterWide,
        kind: 'ServiceCIDR',
        spec: { cidrs: ['10.96.0.0/16'] },
        status: {
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
      },
      {
        ...clusterWide,
        kind: 'ServiceCIDR',
        spec: { cidrs: ['10.96.0.0/16', '2001:db8::/64'] },
      },
    ],
  },
];
