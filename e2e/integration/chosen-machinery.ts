/** The machinery of the API, and small kinds whose tests are about it. */
import {
  ALPHA,
  type ChosenPackage,
  EMULATED,
  ETCD,
  IN_PROCESS,
  OWN_KINDS,
  TWO_SERVERS,
} from './chosen-package.ts';

/** The packages of the machinery of the API: its paths, its media types, admission and authentication. */
export const MACHINERY: readonly ChosenPackage[] = [
  {
    name: 'apiextensions',
    leftOut: [
      {
        why: ETCD,
        tests: [
          ...[
            'TestPruningFromStorage',
            'TestNonStructuralSchemaConditionUpdate',
            'TestEtcdStorage',
          ],
          ...['TestNonStructuralSchemaCondition', 'TestCBORStorageEnablement'],
          ...['TestInvalidObjectMetaInStorage', 'TestCustomResourceDefaultingOfMetaFields'],
        ],
      },
      {
        why: EMULATED,
        tests: ['DropFields', 'TestFieldSelectorDisablement'],
      },
      {
        why: 'compares the text of YAML within protobuf, which here is JSON',
        tests: ['TestFieldSelectorOpenAPI/OpenAPIv2'],
      },
      {
        why: 'waits for a condition that kube-apiserver shows for the five seconds until it looks again',
        tests: ['TestApplyCRDuringCRDFinalization'],
      },
    ],
  },
  {
    name: 'apiextensions/conversion',
    leftOut: [
      {
        why: ETCD,
        tests: ['TestWebhookConverter/nontrivial/check-5', 'WhitespaceCABundleEtcdBypass'],
      },
    ],
  },
  {
    name: 'apimachinery',
    leftOut: [{ why: ETCD, tests: ['TestReflectorWatchListFallback'] }],
  },
  {
    name: 'apiserver',
    leftOut: [
      {
        why: ETCD,
        tests: [
          ...['TestListOptions', 'TestDefaultStorageEncoding', 'TestWatchCacheUpdatedByEtcd'],
          ...['TestHealthHandler$', 'TestCustomResourceValidators/.*non-structural'],
        ],
      },
      { why: EMULATED, tests: ['Emulat', 'TestMinCompatibilityStorageVersion'] },
      {
        why: 'wants CBOR to differ from answer to answer: here the bytes stay what they are',
        tests: ['TestNondeterministicResponseEncoding'],
      },
      {
        why: 'switches strict addresses off, which cannot be here',
        tests: ['TestCanaryCVE_2021_29923'],
      },
      {
        why: 'wants a check of the certificate by which a server speaks to itself, which here is none',
        tests: ['TestHealthHandlerLoopbackServingCertificate'],
      },
      {
        why: 'wants a panic where protobuf holds what is no JSON, which here is answered with 400',
        tests: ['TestRequestObjectConvertibleToUnstructured'],
      },
    ],
  },
  {
    name: 'apiserver/admissionwebhook',
    leftOut: [
      { why: ETCD, tests: ['TestWebhookAdmissionWith'] },
      { why: ALPHA, tests: ['TestStaticWebhook'] },
      {
        why: 'wants one connection of HTTP/2 to a webhook on this machine, where this server has several of HTTP/1.1',
        tests: ['TestWebhookLoadBalance'],
      },
    ],
  },
  { name: 'apiserver/anonymous', leftOut: [] },
  {
    name: 'apiserver/apply',
    leftOut: [
      {
        why: ETCD,
        tests: [
          ...['TestApplyCRDUnhandledSchema', 'TestApplyCRDNoSchema'],
          'TestUpdateStatusWithOldVersion',
        ],
      },
      {
        why: 'wants objects to be refused at 1.5 MiB of protobuf, which is a limit of etcd',
        tests: ['VeryLargeObject'],
      },
    ],
  },
  {
    name: 'apiserver/cel',
    leftOut: [
      { why: EMULATED, tests: ['TestPolicyAdmissionV1beta1'] },
      { why: OWN_KINDS, tests: ['TestPolicyAdmission$/dev.everwatch'] },
      { why: ALPHA, tests: ['TestStaticPolicy'] },
    ],
  },
  { name: 'apiserver/cel/authorizerselector/selectorenabled', leftOut: [] },
  {
    name: 'apiserver/certreload',
    leftOut: [
      {
        why: 'wants no authority of clients but those in the file, beside which here the own one of the server is',
        tests: ['TestClientCA'],
      },
    ],
  },
  {
    name: 'apiserver/coordinatedleaderelection',
    leftOut: [
      { why: IN_PROCESS, tests: ['TestLeaseCandidateCleanup'] },
      {
        why: 'waits for the Lease by which servers agree on which of them elects: here all do',
        tests: ['TestCoordinatedLeaderElectionLeaseTransfer'],
      },
    ],
  },
  { name: 'apiserver/egressselector', leftOut: [] },
  {
    name: 'apiserver/oidc',
    leftOut: [
      {
        why: 'compares figures by the identity that it makes for a server in its process',
        tests: [
          ...['TestStructuredAuthenticationConfigReload', 'TestMultipleJWTAuthenticators'],
          'TestJWKSMetricsCleanupOnIssuerRemoval',
        ],
      },
    ],
  },
  { name: 'apiserver/podlogs', leftOut: [] },
  { name: 'apiserver/portforward', leftOut: [] },
  {
    name: 'apiserver/tracing',
    leftOut: [
      {
        why: 'wants spans of etcd, and of the envelopes in it',
        tests: ['TestAPIServerTracing$', 'TestAPIServerTracingWithKMSv2'],
      },
    ],
  },
  {
    name: 'client',
    leftOut: [{ why: 'compares the version with that of kube-apiserver', tests: ['TestClient$'] }],
  },
  {
    name: 'client/metrics',
    leftOut: [{ why: IN_PROCESS, tests: ['TestAPIServerTransportMetrics'] }],
  },
  { name: 'configmap', leftOut: [] },
  { name: 'dryrun', leftOut: [{ why: OWN_KINDS, tests: ['TestDryRun/dev.everwatch'] }] },
  { name: 'endpoints', leftOut: [] },
  { name: 'events', leftOut: [] },
  { name: 'evictions', leftOut: [] },
  {
    name: 'metrics',
    leftOut: [
      {
        why: 'counts comparisons of a watch cache with etcd',
        tests: ['TestWatchCacheConsistencyCheckMetrics'],
      },
    ],
  },
  {
    name: 'metrics/nativehistograms',
    leftOut: [{ why: ALPHA, tests: ['TestAPIServerNativeHistogramMetrics'] }],
  },
  { name: 'network', leftOut: [] },
  { name: 'openshift', leftOut: [] },
  { name: 'scale', leftOut: [] },
  { name: 'secrets', leftOut: [] },
  { name: 'staleness', leftOut: [] },
  { name: 'storageclasses', leftOut: [] },
  {
    name: 'tls',
    leftOut: [
      {
        why: 'wants an exchange of keys that OpenSSL has since 3.5, and Node 20 is built with 3.0',
        tests: ['TestAPICurvePreferences/supported_curve#03'],
      },
    ],
  },
  { name: 'apiserver/openapi', leftOut: [] },
  {
    name: 'apiserver/discovery',
    leftOut: [
      { why: TWO_SERVERS, tests: ['TestPeerAggregatedDiscovery'] },
      {
        why: 'shows what a server tells of itself although its check fails, which here is shown as stale',
        tests: ['TestAggregatedAPIServiceDiscovery'],
      },
    ],
  },
];
