/**
 * Everything `everwatch serve` can be told, in one table: from it come the flags, their help,
 * the keys of the configuration file and the defaults.
 */
import type { RegularExpression } from '../../api/meta/regular-expression.ts';
import { AUDIT_SETTINGS, type AuditSettings } from './audit-settings.ts';
import { AUTHENTICATION_SETTINGS, type AuthenticationSettings } from './authentication-settings.ts';
import { AUTHORIZATION_SETTINGS, type AuthorizationSettings } from './authorization-settings.ts';
import {
  parseAddress,
  parseBoolean,
  parseControllers,
  parseCount,
  parseHstsDirectives,
  parseOrigins,
  parsePort,
  parseReadConsistency,
  parseSecondsOrDelay,
  parseText,
  parseTimeout,
  type ReadConsistency,
} from './flag-values.ts';
import { ADMISSION_SETTINGS, type AdmissionSettings } from './admission-settings.ts';
import { EGRESS_SETTINGS, type EgressSettings } from './egress-settings.ts';
import { ENCRYPTION_SETTINGS, type EncryptionSettings } from './encryption-settings.ts';
import { FAIRNESS_SETTINGS, type FairnessSettings } from './fairness-settings.ts';
import { KAFKA_SETTINGS, type KafkaSettings } from './kafka-settings.ts';
import { LIFECYCLE_SETTINGS, type LifecycleSettings } from './lifecycle-settings.ts';
import { LOGGING_SETTINGS, type LoggingSettings } from './logging-settings.ts';
import { METRICS_SETTINGS, type MetricsSettings } from './metrics-settings.ts';
import { RETENTION_SETTINGS, type RetentionOptions } from './retention-settings.ts';
import type { SettingsOf } from './setting.ts';
import { TLS_SETTINGS, type TlsSettings } from './tls-settings.ts';
import { TOKEN_WEBHOOK_SETTINGS, type TokenWebhookSettings } from './token-webhook-settings.ts';
import { TRACING_SETTINGS, type TracingSettings } from './tracing-settings.ts';

export interface ServeOptions
  extends
    AdmissionSettings,
    AuditSettings,
    AuthenticationSettings,
    EgressSettings,
    EncryptionSettings,
    FairnessSettings,
    KafkaSettings,
    LifecycleSettings,
    LoggingSettings,
    MetricsSettings,
    RetentionOptions,
    TlsSettings,
    TokenWebhookSettings,
    TracingSettings,
    AuthorizationSettings {
  readonly dataDir: string;
  readonly keyFile: string | undefined;
  readonly readConsistency: ReadConsistency;
  /** Events between two snapshots; 0: none are taken. */
  readonly snapshotEvery: number;
  /** undefined: they are kept in a topic. */
  readonly snapshotDir: string | undefined;
  readonly readOnly: boolean;
  readonly bindAddress: string;
  /** 0: any free port. */
  readonly securePort: number;
  readonly tokenAuthFile: string | undefined;
  readonly clientCaFile: string | undefined;
  readonly requestTimeoutMs: number;
  /** Watches that ask for no end live at least that long, at most twice as long. */
  readonly minRequestTimeoutMs: number;
  readonly corsAllowedOrigins: readonly RegularExpression[];
  readonly hstsDirectives: readonly string[];
  readonly anonymousAuth: boolean;
  /** Names of controllers that can be left out. */
  readonly controllers: ReadonlySet<string>;
}

export const SERVE_SETTINGS: SettingsOf<ServeOptions> = {
  dataDir: {
    flag: 'data-dir',
    placeholder: 'DIR',
    help: 'where the log, the store and the certificates live; made when it is not there',
    takes: 'text',
    default: './everwatch-data',
    parse: parseText,
  },
  ...ENCRYPTION_SETTINGS,
  ...KAFKA_SETTINGS,
  ...ADMISSION_SETTINGS,
  ...EGRESS_SETTINGS,
  ...RETENTION_SETTINGS,
  keyFile: {
    flag: 'key-file',
    placeholder: 'FILE',
    help: 'a secret, the same for all replicas: the keys they share are kept in the log, encrypted with it',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  readConsistency: {
    flag: 'read-consistency',
    placeholder: 'WHICH',
    help: 'linearizable: reads see all that was acknowledged before, on any replica; fresh: they trust the end that the Kafka leader reports, which costs no record',
    takes: 'text',
    default: 'linearizable',
    parse: parseReadConsistency,
  },
  snapshotEvery: {
    flag: 'snapshot-every',
    placeholder: 'EVENTS',
    help: 'on Kafka, how many events lie between two snapshots, from which new replicas start; 0 for none',
    takes: 'text',
    default: '100000',
    parse: parseCount,
  },
  snapshotDir: {
    flag: 'snapshot-dir',
    placeholder: 'DIR',
    help: 'keep the snapshots here, where all servers can read them, and not in a topic of their own',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  readOnly: {
    flag: 'read-only',
    placeholder: 'BOOLEAN',
    help: 'serve what the log says and write nothing to it',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
  bindAddress: {
    flag: 'bind-address',
    placeholder: 'IP',
    help: 'the address to listen on; 0.0.0.0 or :: for all of this machine',
    takes: 'text',
    default: '127.0.0.1',
    parse: parseAddress,
  },
  securePort: {
    flag: 'secure-port',
    placeholder: 'PORT',
    help: 'the port to serve HTTPS on; 0 takes any free one',
    takes: 'text',
    default: '6443',
    parse: parsePort,
  },
  tokenAuthFile: {
    flag: 'token-auth-file',
    placeholder: 'FILE',
    help: 'users known by bearer tokens, one a line: token,user,uid,"group1,group2"',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  clientCaFile: {
    flag: 'client-ca-file',
    placeholder: 'FILE',
    help: "PEM certificates of authorities whose client certificates are accepted beside our own's",
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  ...TLS_SETTINGS,
  requestTimeoutMs: {
    flag: 'request-timeout',
    placeholder: 'DURATION',
    help: 'how long a request may take; watches and logs are exempt',
    takes: 'text',
    default: '1m0s',
    parse: parseTimeout,
  },
  minRequestTimeoutMs: {
    flag: 'min-request-timeout',
    placeholder: 'SECONDS',
    help: 'how long a watch lives at least that asks for no end itself; at most twice as long',
    takes: 'text',
    default: '1800',
    parse: parseSecondsOrDelay,
  },
  corsAllowedOrigins: {
    flag: 'cors-allowed-origins',
    placeholder: 'REGEX,...',
    help: 'origins of web pages that may call the API, as in ^https://example\\.com$',
    takes: 'list',
    default: [],
    parse: parseOrigins,
  },
  hstsDirectives: {
    flag: 'strict-transport-security-directives',
    placeholder: 'LIST',
    help: 'for the HSTS header, as in max-age=31536000,includeSubDomains,preload',
    takes: 'list',
    default: [],
    parse: parseHstsDirectives,
  },
  ...AUTHENTICATION_SETTINGS,
  ...TOKEN_WEBHOOK_SETTINGS,
  anonymousAuth: {
    flag: 'anonymous-auth',
    placeholder: 'BOOLEAN',
    help: 'whether requests without credentials are let in as system:anonymous; never with AlwaysAllow',
    takes: 'boolean',
    default: 'true',
    parse: parseBoolean,
  },
  ...AUTHORIZATION_SETTINGS,
  ...AUDIT_SETTINGS,
  ...TRACING_SETTINGS,
  controllers: {
    flag: 'controllers',
    placeholder: 'LIST',
    help: 'controllers to run beside the server: * for all, NAME for one, -NAME for all but one; they stand aside while a kube-controller-manager holds its lease. There are garbage-collector-controller, namespace-controller, serviceaccount-controller, serviceaccount-token-controller, root-ca-certificate-publisher-controller, clusterrole-aggregation-controller, resourcequota-controller and validatingadmissionpolicy-status-controller',
    takes: 'list',
    default: ['*'],
    parse: parseControllers,
  },
  ...LIFECYCLE_SETTINGS,
  ...METRICS_SETTINGS,
  ...FAIRNESS_SETTINGS,
  ...LOGGING_SETTINGS,
};

/** `data-dir` gives `dataDir`. */
export function configKeyOf(flag: string): string {
  return flag.replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}
