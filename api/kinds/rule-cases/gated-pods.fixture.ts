/**
 * What comes of fields of pods that belong to features: dropped where the feature is off, kept where it is
 * on or the stored object has such a field, and checked wherever they stay. Made with kube-apiserver's
 * answers.
 */
import type { JsonObject } from '../../json/json.ts';
import type { RuleCase } from './judge.fixture.ts';
import { asking } from './pod-resize.fixture.ts';
import { container, deployment, meta, pod, template } from './written-objects.fixture.ts';

const projected = (...sources: JsonObject[]): JsonObject => ({
  volumes: [{ name: 'v', projected: { sources } }],
});
const bundle = (more: JsonObject): JsonObject => ({
  clusterTrustBundle: { path: 'ca.pem', ...more },
});
const certificate = (more: JsonObject = {}): JsonObject => ({
  podCertificate: {
    signerName: 'example.com/signer',
    keyType: 'ED25519',
    credentialBundlePath: 'bundle.pem',
    ...more,
  },
});
const named = bundle({ name: 'roots' });
const CERTIFICATES = { ClusterTrustBundleProjection: true, PodCertificateRequest: true } as const;
const grouped = { schedulingGroup: { podGroupName: 'group' } };
const stopping = container({ lifecycle: { stopSignal: 'SIGUSR1' } });
const SOURCE = 'spec.volumes.0.projected.sources.0';
const SOURCES = 'spec.volumes[0].projected.sources[0]';
const IN_TEMPLATE = 'spec.template.spec';

const dropped: readonly RuleCase[] = [
  {
    when: 'a pod is of a group, and groups are off',
    do: 'create',
    object: pod(grouped),
    errors: [],
    shows: { 'spec.schedulingGroup': null },
  },
  {
    when: 'a pod is of a group, and groups are on',
    do: 'create',
    gates: { GenericWorkload: true },
    object: pod(grouped),
    errors: [],
    shows: { 'spec.schedulingGroup.podGroupName': 'group' },
  },
  {
    when: 'a template is of a group, and groups are on',
    do: 'create',
    gates: { GenericWorkload: true },
    object: deployment({ template: template(grouped) }),
    errors: [],
    shows: { [`${IN_TEMPLATE}.schedulingGroup.podGroupName`]: 'group' },
  },
  {
    when: 'a template was of a group when groups were on',
    do: 'update',
    old: deployment({ template: template(grouped) }),
    object: deployment({ template: template({ schedulingGroup: { podGroupName: 'b' } }) }),
    errors: [],
    shows: { [`${IN_TEMPLATE}.schedulingGroup.podGroupName`]: 'b' },
  },
  {
    when: 'a pod shows authorities and has a certificate, and both are off',
    do: 'create',
    object: pod(projected(named, certificate())),
    errors: [],
    warnings: [
      'volume "v" (Projected) has no sources provided',
      'volume "v" (Projected) has no sources provided',
    ],
    shows: { [SOURCE]: {}, 'spec.volumes.0.projected.sources.1': {} },
  },
  {
    when: 'a pod shows authorities and has a certificate, and both are on',
    do: 'create',
    gates: CERTIFICATES,
    object: pod(projected(named, certificate())),
    errors: [],
    shows: {
      [`${SOURCE}.clusterTrustBundle.name`]: 'roots',
      'spec.volumes.0.projected.sources.1.podCertificate.keyType': 'ED25519',
    },
  },
  {
    when: 'a template showed authorities when that was on',
    do: 'update',
    old: deployment({ template: template(projected(named)) }),
    object: deployment({ template: template(projected(bundle({ name: 'b' }))) }),
    errors: [],
    shows: { [`${IN_TEMPLATE}.volumes.0.projected.sources.0.clusterTrustBundle.name`]: 'b' },
  },
  {
    when: 'a container has a signal to stop, and signals are on',
    do: 'create',
    gates: { ContainerStopSignals: true },
    object: pod({ containers: [stopping], os: { name: 'linux' } }),
    errors: [],
    shows: { 'spec.containers.0.lifecycle.stopSignal': 'SIGUSR1' },
  },
  {
    when: 'a status tells of the resources of a pod, and pods as a whole are not resized',
    do: 'status',
    gates: { InPlacePodLevelResourcesVerticalScaling: false },
    old: pod(),
    object: pod({}, { status: { resources: { requests: { cpu: '1' } } } }),
    errors: [],
    shows: { 'status.resources': null },
  },
];

const refusedBundle = (more: JsonObject, errors: readonly string[]): RuleCase => ({
  when: `authorities are shown by ${JSON.stringify(more)}`,
  do: 'create',
  gates: CERTIFICATES,
  object: pod(projected(bundle(more))),
  errors: errors.map((error) => `${SOURCES}.clusterTrustBundle${error}`),
});
const refusedCertificate = (more: JsonObject, errors: readonly string[]): RuleCase => ({
  when: `a certificate is asked for with ${JSON.stringify(more)}`,
  do: 'create',
  gates: CERTIFICATES,
  object: pod(projected(certificate(more))),
  errors: errors.map((error) => `${SOURCES}.podCertificate${error}`),
});
const NO_NAME =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const KEY_TYPES = '"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"';

const refused: readonly RuleCase[] = [
  refusedBundle({ name: '' }, [
    '.name: Required value: must be a valid object name',
    `.name: Invalid value: "": not a valid clustertrustbundlename: ${NO_NAME}`,
  ]),
  refusedBundle({ name: 'example.com:signer:roots' }, []),
  refusedBundle({ name: 'example.com:signer:Roots' }, [
    `.name: Invalid value: "example.com:signer:Roots": not a valid clustertrustbundlename: ${NO_NAME}`,
  ]),
  refusedBundle({ name: 'roots', labelSelector: {} }, [
    '.labelSelector: Invalid value: {}: labelSelector must be unset if name is specified',
  ]),
  refusedBundle({ name: 'a', signerName: 'example.com/b' }, [
    ': Invalid value: {"Name":"a","SignerName":"example.com/b","LabelSelector":null,"Optional":null,"Path":"ca.pem"}: only one of name and signerName may be used',
  ]),
  refusedBundle({ signerName: 'example.com/signer' }, []),
  refusedBundle({ signerName: '' }, [
    '.signerName: Required value: must be a valid signer name',
    '.signerName: Required value',
  ]),
  refusedBundle({ signerName: 'signer' }, [
    `.signerName: Invalid value: "signer": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
  ]),
  refusedBundle({ name: 'roots', path: '' }, ['.path: Required value']),
  refusedBundle({ name: 'roots', path: '../a' }, [
    `.path: Invalid value: "../a": must not contain '..'`,
  ]),
  {
    // Where upstream would tell of paths that overlap, it does not get over this.
    when: 'authorities are shown by nothing',
    do: 'ephemeralcontainers',
    old: pod(projected(bundle({}))),
    object: pod(projected(bundle({}))),
    errors: [
      `${SOURCES}.clusterTrustBundle: Required value: either name or signerName must be specified`,
    ],
  },
  refusedCertificate({}, []),
  refusedCertificate({ signerName: '' }, ['.signerName: Required value']),
  refusedCertificate({ keyType: 'DSA' }, [
    `.keyType: Unsupported value: "DSA": supported values: ${KEY_TYPES}`,
  ]),
  refusedCertificate({ maxExpirationSeconds: 60 }, [
    '.maxExpirationSeconds: Invalid value: 60: if provided, maxExpirationSeconds must be >= 3600',
  ]),
  refusedCertificate({ maxExpirationSeconds: 7_862_401 }, [
    '.maxExpirationSeconds: Invalid value: 7862401: if provided, maxExpirationSeconds must be <= 7862400',
  ]),
  refusedCertificate(
    { maxExpirationSeconds: 86_401, signerName: 'kubernetes.io/kube-apiserver-client-pod' },
    [
      '.maxExpirationSeconds: Invalid value: 86401: if provided, maxExpirationSeconds must be <= 86400',
    ],
  ),
  refusedCertificate({ credentialBundlePath: '' }, [
    ': Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath',
  ]),
  refusedCertificate({ userAnnotations: { 'no-domain': 'a' } }, [
    '.userAnnotations: Invalid value: "no-domain": must be a domain-prefixed key (such as "acme.io/foo")',
  ]),
  {
    when: 'files of certificates have one path',
    do: 'create',
    gates: CERTIFICATES,
    object: pod(
      projected(named, bundle({ name: 'b' }), certificate({ keyPath: 'bundle.pem' }), {
        ...certificate({ credentialBundlePath: 'other' }),
        ...bundle({ name: 'c', path: 'c' }),
      }),
    ),
    errors: [
      'spec.volumes[0].projected: Invalid value: "ca.pem": conflicting duplicate paths',
      'spec.volumes[0].projected: Invalid value: "bundle.pem": conflicting duplicate paths',
      'spec.volumes[0].projected.sources[3]: Forbidden: may not specify more than 1 volume type per source',
    ],
    warnings: [
      'volume "v" (Projected): overlapping paths: "ca.pem" (ClusterTrustBundle "b") with "ca.pem" (ClusterTrustBundle "roots")',
      'volume "v" (Projected): overlapping paths: "bundle.pem" (PodCertificate credential bundle) with "bundle.pem" (PodCertificate key)',
    ],
  },
  {
    when: 'a pod is of a group without a name',
    do: 'create',
    gates: { GenericWorkload: true },
    object: pod({ schedulingGroup: {} }),
    errors: [
      'spec.schedulingGroup.podGroupName: Invalid value: null: must specify one of: `podGroupName`',
    ],
  },
  {
    when: 'a pod is of a group whose name is none',
    do: 'create',
    gates: { GenericWorkload: true },
    object: pod({ schedulingGroup: { podGroupName: 'A' } }),
    errors: [`spec.schedulingGroup.podGroupName: Invalid value: "A": ${NO_NAME}`],
  },
];

const whole = { resources: { requests: { cpu: '1' } } };
const init = (cpu: string, more: JsonObject = {}): JsonObject => ({
  initContainers: [{ ...asking({ cpu }, more), name: 'i' }],
});
const sidecar = { restartPolicy: 'Always' };

const resized: readonly RuleCase[] = [
  {
    when: 'a pod as a whole is resized, and that is off',
    do: 'resize',
    gates: { InPlacePodLevelResourcesVerticalScaling: false },
    old: pod(whole, { metadata: meta({ generation: 1 }) }),
    object: pod({ resources: { requests: { cpu: '2' } } }),
    errors: [
      '[]: Forbidden: resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled',
    ],
    shows: { 'spec.resources.requests.cpu': '1' },
  },
  {
    when: 'an init container is resized, and that is off',
    do: 'resize',
    gates: { InPlacePodVerticalScalingInitContainers: false },
    old: pod(init('1'), { metadata: meta({ generation: 1 }) }),
    object: pod(init('2')),
    errors: ['spec: Forbidden: resources for non-sidecar init containers are immutable'],
  },
  {
    when: 'a sidecar is resized, and init containers are not',
    do: 'resize',
    gates: { InPlacePodVerticalScalingInitContainers: false },
    old: pod(init('1', sidecar), { metadata: meta({ generation: 1 }) }),
    object: pod(init('2', sidecar)),
    errors: [],
    shows: { 'spec.initContainers.0.resources.requests.cpu': '2' },
  },
  {
    when: 'what an init container asks for is removed, and init containers are not resized',
    do: 'resize',
    gates: { InPlacePodVerticalScalingInitContainers: false },
    old: pod(init('1'), { metadata: meta({ generation: 1 }) }),
    object: pod({ initContainers: [container({ name: 'i' })] }),
    errors: [
      'spec: Invalid value: "": Pod QOS Class may not change as a result of resizing',
      'spec: Forbidden: resources for non-sidecar init containers are immutable',
    ],
  },
];

/** Cases of pods and of templates of pods. */
export const gatedPodCases: readonly RuleCase[] = [...dropped, ...refused, ...resized];
