/**
 * Which packages of Kubernetes' integration tests run against this server, and which of their tests are left out, with
 * the reason: what they look at is not there, or differs on purpose.
 */

/** A package below `test/integration` of Kubernetes, or `apiextensions` and what is below its tests. */
export interface ChosenPackage {
  readonly name: string;
  readonly leftOut: readonly LeftOut[];
}

interface LeftOut {
  readonly why: string;
  /** As Go matches them: by parts between slashes, each a regular expression. */
  readonly tests: readonly string[];
}

const ETCD = 'writes to etcd, or reads it';
const EMULATED = 'emulates an older release, which this server does not';
const OWN_KINDS = 'makes every kind that is served, and knows none of the forks of this server';
const IN_PROCESS = 'changes or reads variables of the server, which runs in another process';
const TWO_SERVERS = 'lets two servers share an etcd: here they share a topic of Kafka';
const SECOND_EVENT =
  'reads the second event of a request at once, which here is in the file 10 ms later';
const ALPHA = 'needs a feature that is alpha and not there';

/** One expression for what is left out; '' for nothing. */
export function leftOutOf(leftOut: readonly LeftOut[]): string {
  return leftOut.flatMap(({ tests }) => tests).join('|');
}

export const PACKAGES: readonly ChosenPackage[] = [
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
        why: 'selects by a field that a webhook renames, which here is looked for in the stored version',
        tests: ['TestSelectableFields/.*/v1beta1/spec.hue'],
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
      { why: SECOND_EVENT, tests: ['TestWebhookReinvocationPolicy'] },
      {
        why: 'wants one connection of HTTP/2 to a webhook, where this server has several of HTTP/1.1',
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
      { why: SECOND_EVENT, tests: ['Test_ValidateAnnotationsAndWarnings'] },
      {
        why: 'has a webhook without TLS',
        tests: ['TestAuthorizationDecisionCaching'],
      },
    ],
  },
  { name: 'apiserver/cel/authorizerselector/selectorenabled', leftOut: [] },
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
  { name: 'network', leftOut: [] },
  { name: 'openshift', leftOut: [] },
  { name: 'scale', leftOut: [] },
  { name: 'secrets', leftOut: [] },
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
