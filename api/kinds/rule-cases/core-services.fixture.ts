/** What comes of writes of services. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { ip, service } from './written-objects.fixture.ts';

export const coreServicesCases: readonly RuleCase[] = [
  {
    when: 'a service has no ports',
    do: 'create',
    object: service({ ports: [] }),
    errors: ['spec.ports: Required value'],
  },
  {
    when: 'a headless service has no ports',
    do: 'create',
    object: service({ ports: [], clusterIP: 'None', clusterIPs: ['None'] }),
    errors: [],
  },
  {
    when: 'two ports have no names',
    do: 'create',
    object: service({ ports: [{ port: 80 }, { port: 81 }] }),
    errors: ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
  },
  {
    when: 'a port is there twice, and one is none',
    do: 'create',
    object: service({
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 80 },
        { name: 'c', port: 0 },
      ],
    }),
    errors: [
      'spec.ports[2].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[2].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
  },
  {
    when: 'a name of ports is none and there twice',
    do: 'create',
    object: service({
      ports: [
        { name: 'A', port: 80 },
        { name: 'A', port: 81 },
      ],
    }),
    errors: [
      `spec.ports[0].name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      `spec.ports[1].name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      'spec.ports[1].name: Duplicate value: "A"',
    ],
  },
  {
    when: 'a service inside the cluster asks for a node port',
    do: 'create',
    object: service({ ports: [{ port: 80, nodePort: 30000 }] }),
    errors: ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  },
  {
    when: 'an external name is missing',
    do: 'create',
    object: service({ type: 'ExternalName', ports: [] }),
    errors: ['spec.externalName: Required value'],
  },
  {
    when: 'a service is of an unknown type',
    do: 'create',
    object: service({ type: 'Other' }),
    errors: [
      'spec.type: Unsupported value: "Other": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
  },
  {
    when: 'the affinity has no configuration',
    do: 'create',
    object: service({
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
    }),
    errors: [
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400',
    ],
  },
  {
    when: 'the address changes',
    do: 'update',
    old: service(ip),
    object: service({ ...ip, clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'] }),
    errors: ['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set'],
  },
  {
    when: 'the family changes',
    do: 'update',
    old: service(ip),
    object: service({ ...ip, ipFamilies: ['IPv6'] }),
    errors: [
      'spec.ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set',
      'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ],
  },
  {
    when: 'a service becomes an external name',
    do: 'update',
    old: service(ip),
    object: service({ ...ip, type: 'ExternalName', externalName: 'example.com' }),
    errors: [],
    shows: { 'spec.clusterIP': null, 'spec.clusterIPs': null, 'spec.ipFamilies': null },
  },
  {
    when: 'a service no longer has node ports',
    do: 'update',
    old: service({ ...ip, type: 'NodePort', ports: [{ port: 80, nodePort: 30000 }] }),
    object: service({ ...ip, type: 'ClusterIP', ports: [{ port: 80, nodePort: 30000 }] }),
    errors: [],
    shows: { 'spec.ports': [{ port: 80, targetPort: 80, protocol: 'TCP' }] },
  },
  {
    when: 'an update of a service brings a status',
    do: 'update',
    old: service(
      { ...ip, type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30000 }] },
      { status: { loadBalancer: { ingress: [{ hostname: 'a' }] } } },
    ),
    object: service(
      { ...ip, type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30000 }] },
      { status: {} },
    ),
    errors: [],
    shows: { status: { loadBalancer: { ingress: [{ hostname: 'a' }] } } },
  },
  {
    when: 'the status of a service inside the cluster has an address',
    do: 'status',
    old: service(ip),
    object: service(ip, { status: { loadBalancer: { ingress: [{ hostname: 'a' }] } } }),
    errors: [
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ],
  },
  {
    when: 'the class of a load balancer changes',
    do: 'update',
    old: service({
      ...ip,
      type: 'LoadBalancer',
      loadBalancerClass: 'example.com/a',
      ports: [{ port: 80, nodePort: 30000 }],
    }),
    object: service({
      ...ip,
      type: 'LoadBalancer',
      loadBalancerClass: 'example.com/b',
      ports: [{ port: 80, nodePort: 30000 }],
    }),
    errors: ['spec.loadBalancerClass: Invalid value: "example.com/b": may not change once set'],
  },
];
