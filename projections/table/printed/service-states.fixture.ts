/** Services, where they lead and what leads to them. */
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { object } from './cluster-object.fixture.ts';

function service(spec: JsonObject, ingress: JsonValue[] = []): JsonObject {
  return object('v1', 'Service', { spec, status: { loadBalancer: { ingress } } });
}

const ports = [
  { port: 80, protocol: 'TCP' },
  { port: 443, nodePort: 30443, protocol: 'TCP' },
  { port: 53, protocol: 'UDP' },
];
const addresses = [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }];

export const serviceStates: JsonObject[] = [
  service({ type: 'ClusterIP', clusterIPs: ['10.0.0.1', 'fd00::1'], ports, selector: { a: 'b' } }),
  service({ type: 'ClusterIP', clusterIPs: ['None'] }),
  service({ type: 'NodePort', externalIPs: ['1.2.3.4', '5.6.7.8'], ports }),
  service({ type: 'LoadBalancer' }),
  service({ type: 'LoadBalancer' }, [
    { ip: '9.9.9.9' },
    { hostname: 'lb' },
    { ip: '1.1.1.1' },
    { ip: '9.9.9.9' },
  ]),
  service({ type: 'LoadBalancer', externalIPs: ['1.2.3.4'] }, [{ ip: '9.9.9.9' }]),
  service({ type: 'ExternalName', externalName: 'example.com' }),
  service({}),
  object('v1', 'Endpoints', {}),
  object('v1', 'Endpoints', { subsets: [{}] }),
  object('v1', 'Endpoints', { subsets: [{ addresses }, { addresses, ports }] }),
  object('v1', 'Endpoints', { subsets: [{ addresses, ports: [{ port: 80 }] }] }),
  object('discovery.k8s.io/v1', 'EndpointSlice', {
    addressType: 'IPv4',
    ports: [{ port: 80 }, { name: 'web' }, {}, { port: 1 }],
    endpoints: [{ addresses: ['a', 'b'] }, { addresses: ['c', 'd', 'e'] }],
  }),
  object('discovery.k8s.io/v1', 'EndpointSlice', {
    addressType: 'IPv6',
    ports: [{ name: '' }],
    endpoints: [],
  }),
  ...[1, 2, 3, 4, 5].map((count) =>
    object('networking.k8s.io/v1', 'Ingress', {
      spec: {
        rules: Array.from({ length: count }, (_, i) => (i === 1 ? {} : { host: `h${String(i)}` })),
      },
      status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }, { hostname: 'a.b' }] } },
    }),
  ),
  object('networking.k8s.io/v1', 'Ingress', { spec: { ingressClassName: 'nginx', tls: [{}] } }),
  object(
    'networking.k8s.io/v1',
    'IngressClass',
    { spec: { controller: 'c' } },
    {
      annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' },
    },
  ),
  ...[{ apiGroup: 'g' }, {}, { apiGroup: '' }].map((group) =>
    object('networking.k8s.io/v1', 'IngressClass', {
      spec: { parameters: { ...group, kind: 'K', name: 'n' } },
    }),
  ),
  ...[{}, { group: 'G.io' }, { namespace: 'ns' }, { group: 'g', namespace: 'ns' }].map((ref) =>
    object('networking.k8s.io/v1', 'IPAddress', {
      spec: { parentRef: { resource: 'Services', name: 'n', ...ref } },
    }),
  ),
];
