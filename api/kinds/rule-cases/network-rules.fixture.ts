/** What comes of writes of networking that are wrong. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { cluster, meta } from './written-objects.fixture.ts';

export const networkRuleCases: readonly RuleCase[] = [
  {
    when: 'ports and peers of a network policy are wrong',
    do: 'create',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: meta(),
      spec: {
        podSelector: {},
        policyTypes: ['Sideways'],
        ingress: [
          {
            ports: [
              { port: 90, endPort: 80, protocol: 'ICMP' },
              { port: 'UPPER', endPort: 1 },
              { endPort: 1 },
            ],
            from: [
              {},
              {
                ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16', '10.0.0.1/16'] },
                podSelector: {},
              },
              { ipBlock: { cidr: '010.0.0.0/8' } },
            ],
          },
        ],
      },
    },
    errors: [
      'spec.ingress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"',
      'spec.ingress[0].ports[0].endPort: Invalid value: 90: must be greater than or equal to `port`',
      'spec.ingress[0].ports[1].endPort: Invalid value: 1: may not be specified when `port` is non-numeric',
      'spec.ingress[0].ports[1].port: Invalid value: "UPPER": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.ingress[0].ports[1].port: Invalid value: "UPPER": must contain at least one letter (a-z)',
      'spec.ingress[0].ports[2].endPort: Invalid value: 1: may not be specified when `port` is not specified',
      'spec.ingress[0].from[0]: Required value: must specify a peer',
      'spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
      'spec.ingress[0].from[1].ipBlock.except[1]: Invalid value: "10.0.0.1/16": must not have bits set beyond the prefix length',
      'spec.ingress[0].from[1]: Forbidden: may not specify both ipBlock and another peer',
      'spec.ingress[0].from[2].ipBlock.cidr: Invalid value: "010.0.0.0/8": must not have leading 0s in IP or prefix length',
      'spec.policyTypes[0]: Unsupported value: "Sideways": supported values: "Ingress", "Egress"',
    ],
    warnings: [
      'spec.ingress[0].from[1].ipBlock.except[1]: CIDR value "10.0.0.1/16" is ambiguous in this context (should be "10.0.0.0/16" or "10.0.0.1/32"?)',
      'spec.ingress[0].from[2].ipBlock.cidr: non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8"',
    ],
  },
  {
    when: 'a range of a network policy was wrong before',
    do: 'update',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: meta(),
      spec: {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ ipBlock: { cidr: '010.0.0.0/8' } }] }],
      },
    },
    old: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: meta(),
      spec: {
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ from: [{ ipBlock: { cidr: '010.0.0.0/8' } }] }],
      },
    },
    errors: [],
    warnings: [
      'spec.ingress[0].from[0].ipBlock.cidr: non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8"',
    ],
  },
  {
    when: 'hosts and secrets of TLS are wrong',
    do: 'create',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: meta(),
      spec: {
        defaultBackend: { resource: { apiGroup: 'A', kind: 'a/b' } },
        ingressClassName: '',
        tls: [{ hosts: ['*', 'a.example.com', 'UPPER'], secretName: 'a b' }],
      },
    },
    errors: [
      "spec.defaultBackend.resource.apiGroup: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.defaultBackend.resource.kind: Invalid value: "a/b": may not contain \'/\'',
      'spec.defaultBackend.resource.name: Required value',
      "spec.tls[0].hosts[0]: Invalid value: \"*\": a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "spec.tls[0].hosts[2]: Invalid value: \"UPPER\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "spec.tls[0].secretName: Invalid value: \"a b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "spec.ingressClassName: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  },
  {
    when: 'a balancer says where it is',
    do: 'status',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: meta(),
      spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
      status: {
        loadBalancer: { ingress: [{ ip: '1.2.3', hostname: '1.2.3.4' }, { ip: '2001:DB8::1' }] },
      },
    },
    old: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: meta(),
      spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
    },
    errors: [
      'status.loadBalancer.ingress[0].ip: Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'status.loadBalancer.ingress[0].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ],
    warnings: [
      'status.loadBalancer.ingress[1]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ],
  },
  {
    when: 'parameters of an ingress class are wrong',
    do: 'create',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: cluster(),
      spec: { controller: 'nodomain', parameters: { apiGroup: 'A', scope: 'Namespace' } },
    },
    errors: [
      'spec.controller: Invalid value: "nodomain": must be a domain-prefixed path (such as "acme.io/foo")',
      "spec.parameters.apiGroup: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.parameters.kind: Required value',
      'spec.parameters.name: Required value',
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ],
  },
  {
    when: 'an address is written in another way',
    do: 'create',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IPAddress',
      metadata: cluster({ name: '2001:db8::1' }),
      spec: { parentRef: { resource: 'a/b', group: 'A' } },
    },
    errors: [
      "spec.parentRef.group: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.parentRef.resource: Invalid value: "a/b": may not contain \'/\'',
      'spec.parentRef.name: Required value',
    ],
  },
  {
    when: 'ranges are of one family',
    do: 'create',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: cluster(),
      spec: { cidrs: ['10.0.0.0/8', '10.1.0.1/16'] },
    },
    errors: [
      'spec.cidrs[1]: Invalid value: "10.1.0.1/16": must not have bits set beyond the prefix length',
      'spec.cidrs: Invalid value: ["10.0.0.0/8","10.1.0.1/16"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    ],
  },
  {
    when: 'endpoints cannot be reached',
    do: 'create',
    object: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: meta(),
      addressType: 'IPv4',
      endpoints: [
        { addresses: [] },
        {
          addresses: ['127.0.0.1', '169.254.1.1', '224.0.0.1', '0.0.0.0', '2001:db8::1', 'x'],
          hostname: 'A',
          nodeName: 'A',
          hints: { forZones: [{ name: 'z' }, { name: 'z' }] },
        },
      ],
      ports: [
        { name: 'a', port: 1 },
        { name: 'a', protocol: 'ICMP', appProtocol: 'a b' },
      ],
    },
    errors: [
      'ports[1].name: Duplicate value: "a"',
      'ports[1].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
      "ports[1].appProtocol: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'endpoints[0].addresses: Required value: must contain at least 1 address',
      'endpoints[1].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'endpoints[1].addresses[1]: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
      'endpoints[1].addresses[2]: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
      'endpoints[1].addresses[3]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
      'endpoints[1].addresses: Invalid value: "2001:db8::1": must be an IPv4 address',
      'endpoints[1].addresses[5]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      "endpoints[1].nodeName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "endpoints[1].hostname: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'endpoints[1].hints.forZones[1].name: Duplicate value: "z"',
    ],
  },
  {
    when: 'names of endpoints are no domains',
    do: 'create',
    object: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: meta(),
      addressType: 'FQDN',
      endpoints: [{ addresses: ['short', 'a..b', ''] }],
    },
    errors: [
      'endpoints[0].addresses[0]: Invalid value: "short": should be a domain with at least two segments separated by dots',
      "endpoints[0].addresses[1]: Invalid value: \"a..b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'endpoints[0].addresses[2]: Required value',
    ],
    warnings: ['spec.addressType: FQDN endpoints are deprecated'],
  },
];
