/** What comes of devices and certificates that are wrong. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { cluster, meta } from './written-objects.fixture.ts';

export const deviceRuleCases: readonly RuleCase[] = [
  {
    when: 'a claim asks for devices wrongly',
    do: 'create',
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: meta(),
      spec: {
        devices: {
          requests: [
            { name: 'A' },
            {
              name: 'a',
              exactly: {
                deviceClassName: '',
                allocationMode: 'All',
                count: 1,
                selectors: [
                  {},
                  { cel: { expression: 'device.nothing' } },
                  { cel: { expression: 'device.attributes["a"].b' } },
                  { cel: { expression: 'device.driver' } },
                ],
                tolerations: [
                  { key: 'a b', operator: 'Like' },
                  { operator: 'Exists', value: 'x', effect: 'Never' },
                ],
              },
            },
            {
              name: 'a',
              exactly: { deviceClassName: 'c' },
              firstAvailable: [{ name: 'x', deviceClassName: 'c' }],
            },
          ],
          constraints: [{ requests: ['a/x', 'a/y', 'a/b/c'], matchAttribute: 'nodomain' }, {}],
          config: [{}, { opaque: { driver: 'A b', parameters: [] } }],
        },
      },
    },
    errors: [
      "spec.devices.requests[0].name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      'spec.devices.requests[1].exactly.deviceClassName: Required value',
      'spec.devices.requests[1].exactly.selectors[0].cel: Required value',
      'spec.devices.requests[1].exactly.selectors[1].cel.expression: Invalid value: "device.nothing": compilation failed: ERROR: <input>:1:7: undefined field \'nothing\'',
      'spec.devices.requests[1].exactly.selectors[3].cel.expression: Invalid value: "device.driver": must evaluate to bool or the unknown type, not string',
      "spec.devices.requests[1].exactly.count: Invalid value: 1: must not be specified when allocationMode is 'All'",
      "spec.devices.requests[1].exactly.tolerations[0].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.devices.requests[1].exactly.tolerations[0].operator: Unsupported value: "Like": supported values: "Equal", "Exists"',
      'spec.devices.requests[1].exactly.tolerations[1].value: Invalid value: "x": must be empty for operator `Exists`',
      'spec.devices.requests[1].exactly.tolerations[1].effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "None"',
      'spec.devices.requests[2]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set',
      'spec.devices.requests[2]: Duplicate value: "a"',
      'spec.devices.constraints[0].requests[1]: Invalid value: "a/y": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.constraints[0].requests[2]: Invalid value: "a/b/c": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.constraints[0].matchAttribute: Invalid value: "nodomain": a fully qualified name must be a domain and a name separated by a slash',
      'spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
      'spec.devices.config[0].opaque: Required value',
      "spec.devices.config[1].opaque.driver: Invalid value: \"A b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.devices.config[1].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
    ],
  },
  {
    when: 'what was allocated is wrong',
    do: 'status',
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: meta(),
      spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'c' } }] } },
      status: {
        allocation: {
          devices: {
            results: [
              {
                request: 'b',
                driver: 'd',
                pool: 'P',
                device: 'x',
                shareID: 'none',
                bindingConditions: ['a', 'a'],
              },
            ],
            config: [{ source: 'FromNowhere', opaque: { driver: 'd', parameters: {} } }],
          },
          nodeSelector: {},
        },
        reservedFor: [{}],
        devices: [{ driver: 'd', pool: 'p', device: 'y', networkData: { ips: ['10.0.0.1'] } }],
      },
    },
    old: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: meta(),
      spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'c' } }] } },
    },
    errors: [
      'status.reservedFor[0].resource: Required value',
      'status.reservedFor[0].name: Required value',
      'status.reservedFor[0].uid: Required value',
      'status.devices[0]: Invalid value: {"Driver":"d","Pool":"p","Device":"y","ShareID":""}: must be an allocated device in the claim',
      'status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.1": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
      'status.allocation.devices.results[0].request: Invalid value: "b": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      "status.allocation.devices.results[0].pool: Invalid value: \"P\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'status.allocation.devices.results[0].bindingConditions[1]: Duplicate value: "a"',
      'status.allocation.devices.results[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions',
      'status.allocation.devices.results[0].shareID: Invalid value: "none": error validating uid: invalid UUID length: 4',
      'status.allocation.devices.config[0].source: Unsupported value: "FromNowhere": supported values: "FromClaim", "FromClass"',
      'status.allocation.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
  },
  {
    when: 'the spec of a claim changes',
    do: 'update',
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: meta(),
      spec: { devices: { requests: [{ name: 'b', exactly: { deviceClassName: 'c' } }] } },
    },
    old: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: meta(),
      spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'c' } }] } },
    },
    errors: [
      'spec: Invalid value: {"Devices":{"Requests":[{"Name":"b","Exactly":{"DeviceClassName":"c","Selectors":null,"AllocationMode":"ExactCount","Count":1,"AdminAccess":null,"Tolerations":null,"Capacity":null},"FirstAvailable":null}],"Constraints":null,"Config":null}}: field is immutable',
    ],
  },
  {
    when: 'a template names what it makes',
    do: 'create',
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: meta(),
      spec: {
        metadata: { name: 'x', labels: { 'a b': 'c' } },
        spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'c' } }] } },
      },
    },
    errors: [
      "spec.metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.metadata.name: Forbidden: cannot be set',
    ],
  },
  {
    when: 'devices of a slice are wrong',
    do: 'create',
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: cluster(),
      spec: {
        driver: 'A_b',
        nodeName: 'n',
        allNodes: true,
        pool: { name: 'a//b', generation: -1 },
        devices: [
          {
            name: 'A',
            nodeName: 'n',
            attributes: { '1x': { version: 'one', int: 1 } },
            capacity: { size: { value: '1', requestPolicy: { validValues: ['1'] } } },
            taints: [{ key: '' }],
            consumesCounters: [{}],
            bindingFailureConditions: ['a'],
          },
          {
            name: 'A',
            allowMultipleAllocations: true,
            capacity: {
              a: { value: '4', requestPolicy: { default: '3', validValues: ['2', '8', '1'] } },
            },
          },
          {
            name: 'b',
            allowMultipleAllocations: true,
            capacity: {
              b: {
                value: '4',
                requestPolicy: { default: '1', validRange: { min: '2', max: '9', step: '2' } },
              },
            },
          },
        ],
      },
    },
    errors: [
      "spec.driver: Invalid value: \"A_b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "spec.pool.name: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero',
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
      "spec.devices[0].name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.devices[0].attributes: Invalid value: \"1x\": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
      'spec.devices[0].attributes[1x].version: Invalid value: "one": must be a string compatible with semver.org spec 2.0.0',
      'spec.devices[0].attributes[1x]: Invalid value: {"IntValue":1,"BoolValue":null,"StringValue":null,"VersionValue":"one","IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified',
      'spec.devices[0].capacity[size].requestPolicy: Forbidden: allowMultipleAllocations must be true',
      'spec.devices[0].taints[0].key: Invalid value: "": name part must be non-empty',
      "spec.devices[0].taints[0].key: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.devices[0].taints[0].effect: Required value',
      'spec.devices[0].consumesCounters[0].counterSet: Required value',
      'spec.devices[0].consumesCounters[0].counters: Required value',
      'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
      'spec.devices[0].bindingConditions: Invalid value: null: bindingConditions are required to use bindingFailureConditions',
      "spec.devices[1].name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'spec.devices[1].capacity[a].requestPolicy.validValues[2]: Invalid value: "1": values must be sorted in ascending order',
      'spec.devices[1].capacity[a].requestPolicy.validValues[1]: Invalid value: "8": option is larger than capacity value: 4',
      'spec.devices[1].capacity[a].requestPolicy.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
      'spec.devices[2].capacity[b].requestPolicy.validRange.min: Invalid value: "1": default is less than min: 2',
      'spec.devices[2].capacity[b].requestPolicy.validRange.max: Invalid value: "9": max is larger than capacity value: 4',
      'spec.devices[2].capacity[b].requestPolicy.validRange.step: Invalid value: "1": value is not a multiple of a given step (2) from (2)',
      'spec.devices[2].capacity[b].requestPolicy.validRange.step: Invalid value: "9": value is not a multiple of a given step (2) from (2)',
      'spec.devices[1]: Duplicate value: "A"',
    ],
    warnings: [
      'spec.driver: driver names should be lowercase; "A_b" contains uppercase characters',
    ],
  },
  {
    when: 'a class names no resource',
    do: 'create',
    object: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: cluster(),
      spec: { extendedResourceName: 'cpu', selectors: [{ cel: { expression: '1' } }] },
    },
    errors: [
      'spec.selectors[0].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int',
      'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name',
    ],
  },
  {
    when: 'a request for a certificate is none',
    do: 'create',
    object: {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: cluster(),
      spec: {
        request: 'YQ==',
        signerName: 'A.b/c/d',
        usages: ['any', 'any', 'fun'],
        expirationSeconds: 1,
      },
    },
    errors: [
      'spec.request: Invalid value: "YQ==": PEM block type must be CERTIFICATE REQUEST',
      'spec.usages[2]: Unsupported value: "fun": supported values: "any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", "decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime", "server auth", "signing", "timestamping"',
      'spec.usages[1]: Duplicate value: "any"',
      'spec.signerName: Invalid value: "A.b/c/d": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      'spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 600 seconds (10 minutes)',
    ],
  },
  {
    when: 'a legacy signer is asked',
    do: 'create',
    object: {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: cluster(),
      spec: { request: 'YQ==', signerName: 'kubernetes.io/legacy-unknown', usages: ['any'] },
    },
    errors: [
      'spec.request: Invalid value: "YQ==": PEM block type must be CERTIFICATE REQUEST',
      'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
  },
];
