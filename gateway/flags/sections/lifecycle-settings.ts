/**
 * How the server starts and stops, which features, APIs and controllers there are, and tracing.
 */
import {
  parseBoolean,
  parseControllers,
  parseCount,
  parseDelay,
  parseText,
  quoted,
} from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';
import { type FeatureGates, parseFeatureGates } from '../../../actors/lifecycle/feature-gates.ts';
import { parseRuntimeConfig, type RuntimeConfig } from '../../../api/kinds/runtime-config.ts';
import { StartupError } from '../../process/startup-error.ts';

/** Where spans of requests are sent. */
export interface TracingSettings {
  readonly tracingConfigFile: string | undefined;
}

/** The flags of {@link TracingSettings}. */
export const TRACING_SETTINGS: SettingsOf<TracingSettings> = {
  tracingConfigFile: {
    flag: 'tracing-config-file',
    placeholder: 'FILE',
    help: 'a TracingConfiguration of apiserver.config.k8s.io: to which collector spans are sent, by OTLP over gRPC or HTTP, and of how many requests',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
};

/** Which features, APIs and controllers there are. */
export interface FeatureSettings {
  readonly featureGates: FeatureGates;
  readonly runtimeConfig: RuntimeConfig;
  /** Names of controllers that can be left out. */
  readonly controllers: ReadonlySet<string>;
  /** Whether all objects can be put back to what they were. */
  readonly allowReset: boolean;
}

/** The flags of {@link FeatureSettings}. */
export const FEATURE_SETTINGS: SettingsOf<FeatureSettings> = {
  featureGates: {
    flag: 'feature-gates',
    placeholder: 'NAME=BOOLEAN,...',
    help: 'features to switch on or off, by their names in Kubernetes; /metrics shows them as kubernetes_feature_enabled',
    takes: 'list',
    form: 'pairs',
    default: [],
    parse: parseGates,
  },
  runtimeConfig: {
    flag: 'runtime-config',
    placeholder: 'KEY=BOOLEAN,...',
    help: 'APIs to switch on or off: group/version, group/version/resource, api/all, api/ga, api/beta, api/alpha; api/v1 is the core group',
    takes: 'list',
    form: 'pairs',
    default: [],
    parse: parseConfig,
  },
  controllers: {
    flag: 'controllers',
    placeholder: 'LIST',
    help: 'controllers to run beside the server: * for all, NAME for one, -NAME for all but one; they stand aside while a kube-controller-manager holds its lease. There are garbage-collector-controller, namespace-controller, serviceaccount-controller, serviceaccount-token-controller, root-ca-certificate-publisher-controller, clusterrole-aggregation-controller, resourcequota-controller, service-cidr-controller and validatingadmissionpolicy-status-controller',
    takes: 'list',
    default: ['*'],
    parse: parseControllers,
  },
  allowReset: {
    flag: 'allow-reset',
    placeholder: 'BOOLEAN',
    help: 'serve POST /everwatch/v1/reset to users that may do everything: it puts all objects back to what they were, which is for test suites',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
};

function parseGates(texts: readonly string[]): FeatureGates {
  const gates = parseFeatureGates(texts);
  if (typeof gates === 'string') throw new StartupError(gates);
  return gates;
}

function parseConfig(texts: readonly string[]): RuntimeConfig {
  const config = parseRuntimeConfig(texts);
  if (typeof config === 'string') throw new StartupError(config);
  return config;
}

export interface LifecycleSettings {
  readonly shutdownDelayMs: number;
  /** For that long after the start `/livez` does not mind what is not finished. */
  readonly livezGraceMs: number;
  readonly shutdownSendRetryAfter: boolean;
  readonly shutdownWatchGraceMs: number;
  /** Between 0 and 0.02. */
  readonly goawayChance: number;
  readonly http2MaxStreams: number;
  /** Whether V8's profiles can be had. */
  /** Whether /logs/ serves files of this machine. */
  readonly logFiles: boolean;
  readonly profiling: boolean;
  /** The socket on which the same is served without authentication; undefined: none. */
  readonly debugSocketPath: string | undefined;
  /** Whether it is measured how long each filter works. */
  readonly measureFilters: boolean;
}

export const LIFECYCLE_SETTINGS: SettingsOf<LifecycleSettings> = {
  shutdownDelayMs: {
    flag: 'shutdown-delay-duration',
    placeholder: 'DURATION',
    help: 'how long to go on serving after SIGTERM while /readyz already fails',
    takes: 'text',
    default: '0s',
    parse: parseDelay,
  },
  livezGraceMs: {
    flag: 'livez-grace-period',
    placeholder: 'DURATION',
    help: 'how long the start may take before /livez fails because of it',
    takes: 'text',
    default: '0s',
    parse: parseDelay,
  },
  shutdownSendRetryAfter: {
    flag: 'shutdown-send-retry-after',
    placeholder: 'BOOLEAN',
    help: 'while stopping, go on listening until the requests under way are answered, and answer new ones with 429 and Retry-After',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
  shutdownWatchGraceMs: {
    flag: 'shutdown-watch-termination-grace-period',
    placeholder: 'DURATION',
    help: 'how long open watches have to end while stopping, bit by bit; 0s ends them all at once',
    takes: 'text',
    default: '0s',
    parse: parseDelay,
  },
  goawayChance: {
    flag: 'goaway-chance',
    placeholder: 'CHANCE',
    help: 'how likely a request of HTTP/2 is answered together with a request to connect anew, which spreads clients over servers; 0 for never, 0.02 at most',
    takes: 'text',
    default: '0',
    parse: parseGoawayChance,
  },
  http2MaxStreams: {
    flag: 'http2-max-streams-per-connection',
    placeholder: 'COUNT',
    help: 'requests at a time on one connection of HTTP/2; 0 for the default',
    takes: 'text',
    default: '250',
    parse: parseStreams,
  },
  logFiles: {
    flag: 'enable-logs-handler',
    placeholder: 'BOOLEAN',
    help: 'whether /logs/ gives the files below /var/log of this machine to users that may read the path',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
  profiling: {
    flag: 'profiling',
    placeholder: 'BOOLEAN',
    help: 'whether /debug/pprof/ gives profiles of the processor and the heap to users that may read it',
    takes: 'boolean',
    default: 'true',
    parse: parseBoolean,
  },
  debugSocketPath: {
    flag: 'debug-socket-path',
    placeholder: 'FILE',
    help: 'a Unix socket for /debug/pprof/ and /debug/flags/v, without TLS and authentication; only the user that the server runs as can open it',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  measureFilters: {
    flag: 'measure-filters',
    placeholder: 'BOOLEAN',
    help: 'whether /metrics tells how long each filter of the handler chain works; that costs some microseconds for each request',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
};

const GOAWAY_CHANCE_MAX = 0.02;

function parseGoawayChance(text: string): number {
  const chance = Number(text.replaceAll('_', ''));
  if (chance >= 0 && chance <= GOAWAY_CHANCE_MAX) return chance;
  throw new StartupError(`must be between 0 and 0.02, not ${quoted(text)}`);
}

const STREAMS = 250;

/** 0 stands for the default, as upstream. */
function parseStreams(text: string): number {
  const count = parseCount(text);
  return count === 0 ? STREAMS : count;
}
