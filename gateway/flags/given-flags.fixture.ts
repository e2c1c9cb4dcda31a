/** Command lines as the server reads them, with a config file or without one. */
import { parseServeOptions } from './flags.ts';
import type { ServeSections } from './serve-settings.ts';
import { parseAddressRange } from '../../api/kinds/core/services/service-ranges.ts';
import { StartupError } from '../process/startup-error.ts';
import { FeatureGates } from '../../actors/lifecycle/feature-gates.ts';

/** What is said of authentication where no flag says anything. */
export const AUTHORIZATION = {
  authorizationConfig: undefined,
  authorizationPolicyFile: undefined,
  authorizationWebhookConfigFile: undefined,
  authorizationWebhookVersion: 'v1beta1',
  authorizationWebhookCacheAuthorizedTtlMs: 300_000,
  authorizationWebhookCacheUnauthorizedTtlMs: 30_000,
};

export const AUTHENTICATION = {
  serviceAccountIssuer: ['https://kubernetes.default.svc.cluster.local'],
  serviceAccountKeyFile: [],
  apiAudiences: [],
  serviceAccountMaxTokenExpirationMs: 0,
  serviceAccountExtendTokenExpiration: true,
  serviceAccountLookup: true,
  enableBootstrapTokenAuth: false,
  requestheaderAllowedNames: [],
  requestheaderUsernameHeaders: [],
  requestheaderUidHeaders: [],
  requestheaderGroupHeaders: [],
  requestheaderExtraHeadersPrefix: [],
  oidcUsernameClaim: 'sub',
  oidcSigningAlgs: ['RS256'],
  oidcRequiredClaim: new Map(),
  authenticationTokenWebhookVersion: 'v1beta1',
  authenticationTokenWebhookCacheTtlMs: 120_000,
};

/** Of aggregated API servers. */
export const AGGREGATION = {
  proxyClientCertFile: undefined,
  proxyClientKeyFile: undefined,
  enableAggregatorRouting: false,
  aggregatorRejectForwardingRedirect: true,
  ...{ peerCaFile: undefined, peerAdvertiseIp: undefined, peerAdvertisePort: undefined },
};

/** Of the way to nodes. */
export const KUBELETS = {
  kubeletPreferredAddressTypes: [
    ...['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
  ],
  kubeletPort: 10_250,
  maxConnectionBytesPerSec: 0,
};

/** Of what services are given. */
export const SERVICES = {
  ranges: [parseAddressRange('10.0.0.0/24')],
  nodePorts: { first: 30_000, last: 32_767 },
  endpointReconcilerType: 'lease',
  apiserverCount: 1,
  kubernetesServiceNodePort: 0,
};

/** Of the audit. */
export const AUDIT = {
  auditLogFormat: 'json',
  auditLogVersion: 'audit.k8s.io/v1',
  auditLogMaxage: 366,
  auditLogMaxbackup: 100,
  auditLogMaxsize: 100,
  auditLogCompress: false,
  auditLogMode: 'blocking',
  auditLogBatchBufferSize: 10_000,
  auditLogBatchMaxSize: 1,
  auditLogBatchMaxWaitMs: 30_000,
  auditLogBatchThrottleEnable: false,
  auditLogBatchThrottleQps: 0,
  auditLogBatchThrottleBurst: 0,
  auditLogTruncateEnabled: false,
  auditLogTruncateMaxBatchSize: 10_485_760,
  auditLogTruncateMaxEventSize: 102_400,
  auditWebhookInitialBackoffMs: 10_000,
  auditWebhookVersion: 'audit.k8s.io/v1',
  auditWebhookMode: 'batch',
  auditWebhookBatchBufferSize: 10_000,
  auditWebhookBatchMaxSize: 400,
  auditWebhookBatchMaxWaitMs: 30_000,
  auditWebhookBatchThrottleEnable: true,
  auditWebhookBatchThrottleQps: 10,
  auditWebhookBatchThrottleBurst: 15,
  auditWebhookTruncateEnabled: false,
  auditWebhookTruncateMaxBatchSize: 10_485_760,
  auditWebhookTruncateMaxEventSize: 102_400,
};

/** Of the port. */
export const LISTENING = {
  advertiseAddress: undefined,
  advertisePort: undefined,
  externalHostname: undefined,
  permitPortSharing: false,
  disableHttp2: false,
};

/** Of TLS. */
export const TLS = {
  tlsSniCertKey: [],
  tlsMinVersion: 'TLSv1.2',
  tlsCipherSuites: [],
  tlsCurvePreferences: [],
};

/** Of the log. */
export const LOGGING = {
  logLevel: 'info',
  verbosity: 0,
  vmodule: [],
  loggingFormat: 'text',
  logFlushFrequencyMs: 5_000,
  logTextSplitStream: false,
  logTextInfoBufferSize: 0,
  logJsonSplitStream: false,
  logJsonInfoBufferSize: 0,
};

/** Of starting and stopping. */
export const LIFECYCLE = {
  measureFilters: false,
  livezGraceMs: 0,
  shutdownSendRetryAfter: false,
  shutdownWatchGraceMs: 0,
  goawayChance: 0,
  http2MaxStreams: 250,
  enablePriorityAndFairness: true,
  maxRequestsInFlight: 400,
  maxMutatingRequestsInFlight: 200,
  workers: 1,
  memoryFootprint: 'medium',
  featureGates: new FeatureGates(),
  runtimeConfig: new Map(),
  allowReset: false,
  headlampClusters: new Map([['everwatch', '']]),
  logFiles: false,
  profiling: true,
  showHiddenMetrics: false,
  disabledMetrics: [],
  allowMetricLabels: new Map(),
  allowMetricLabelsManifest: '',
};

function noFile(path: string): string {
  throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
}

/** All sections as one: no name is in two of them. */
export function parsed(argv: string[], config?: string): AllSettings {
  const readFile = config === undefined ? noFile : () => config;
  const { said: _, ...sections } = parseServeOptions(argv, readFile);
  return Object.assign({}, ...Object.values<object>(sections)) as AllSettings;
}

type Sections = ServeSections[keyof ServeSections];
type Both<One> = (One extends One ? (one: One) => void : never) extends (all: infer All) => void
  ? All
  : never;
type AllSettings = Both<Sections>;

/** What the operator is told. */
export function problem(argv: string[], config?: string): string {
  try {
    parsed(argv, config);
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  return 'no problem';
}
