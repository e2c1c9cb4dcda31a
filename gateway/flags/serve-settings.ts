/**
 * Everything `everwatch serve` can be told, in sections: from these tables come the flags, their
 * help, the keys of the configuration file and the defaults. What puts a server together hands each
 * function the sections that it needs.
 */
import { ADMISSION_SETTINGS, type AdmissionSettings } from './sections/admission-settings.ts';
import {
  AGGREGATION_SETTINGS,
  type AggregationSettings,
  EGRESS_SETTINGS,
  type EgressSettings,
  KUBELET_SETTINGS,
  type KubeletSettings,
} from './sections/kubelet-settings.ts';
import { AUDIT_SETTINGS, type AuditSettings } from './sections/audit-settings.ts';
import {
  AUTHENTICATION_SETTINGS,
  type AuthenticationSettings,
} from './sections/authentication-settings.ts';
import {
  AUTHORIZATION_SETTINGS,
  type AuthorizationSettings,
} from './sections/authorization-settings.ts';
import { CREDENTIAL_SETTINGS, type CredentialSettings } from './sections/credential-settings.ts';
import {
  ENCRYPTION_SETTINGS,
  type EncryptionSettings,
  RETENTION_SETTINGS,
  type RetentionOptions,
  STORAGE_SETTINGS,
  type StorageSettings,
} from './sections/storage-settings.ts';
import {
  FAIRNESS_SETTINGS,
  type FairnessSettings,
  REQUEST_SETTINGS,
  type RequestSettings,
} from './sections/request-settings.ts';
import {
  FEATURE_SETTINGS,
  type FeatureSettings,
  LIFECYCLE_SETTINGS,
  type LifecycleSettings,
  TRACING_SETTINGS,
  type TracingSettings,
} from './sections/lifecycle-settings.ts';
import { KAFKA_SETTINGS, type KafkaSettings } from './sections/kafka-settings.ts';
import { LISTENING_SETTINGS, type ListeningSettings } from './sections/listening-settings.ts';
import { LOGGING_SETTINGS, type LoggingSettings } from './sections/logging-settings.ts';
import { MEMORY_SETTINGS, type MemorySettings } from './sections/memory-settings.ts';
import { METRICS_SETTINGS, type MetricsSettings } from './sections/metrics-settings.ts';
import { PAGE_SETTINGS, type PageSettings } from './sections/page-settings.ts';
import type { Setting, SettingsOf } from './setting.ts';
import { SERVICE_SETTINGS, type ServiceSettings } from './sections/service-settings.ts';
import { OTHER_SETTINGS, type SaidFlags, TAKEN_SETTINGS } from './taken-flags.ts';
import { TLS_SETTINGS, type TlsSettings } from './sections/tls-settings.ts';
import { WORKER_SETTINGS, type WorkerSettings } from './sections/worker-settings.ts';
import {
  TOKEN_WEBHOOK_SETTINGS,
  type TokenWebhookSettings,
} from './sections/token-webhook-settings.ts';

/** Of the log, whichever engine it has, and of what is kept of it. */
export interface LogSettings extends StorageSettings, KafkaSettings, RetentionOptions {}

/** Of the port and of TLS on it. */
export interface DoorSettings extends ListeningSettings, TlsSettings {}

export interface ProcessSettings extends LifecycleSettings, WorkerSettings, MemorySettings {}

/** Everything by which users are told apart. */
export interface UserSettings
  extends AuthenticationSettings, TokenWebhookSettings, CredentialSettings {}

/** What the flags and the configuration file have said, section by section. */
export interface ServeSections {
  /** The engine and how it is reached. */
  readonly log: LogSettings;
  /** Which resources are sealed on disk. */
  readonly encryption: EncryptionSettings;
  /** Address, port, certificates, protocols. */
  readonly listening: DoorSettings;
  /** Limits and headers of requests. */
  readonly requests: RequestSettings;
  /** Where users come from. */
  readonly authentication: UserSettings;
  /** The modes, in order. */
  readonly authorization: AuthorizationSettings;
  /** Plug-ins that are on or off, and their files. */
  readonly admission: AdmissionSettings;
  /** The policy, and where events go. */
  readonly audit: AuditSettings;
  /** The file that says where spans go. */
  readonly tracing: TracingSettings;
  /** The file that says which proxies are taken. */
  readonly egress: EgressSettings;
  /** How nodes are reached. */
  readonly kubelets: KubeletSettings;
  /** How aggregated API servers are reached. */
  readonly aggregation: AggregationSettings;
  /** How many requests run at once. */
  readonly fairness: FairnessSettings;
  /** Gates and served versions. */
  readonly features: FeatureSettings;
  /** Of how many processes the server is, how much memory they take, and how it ends. */
  readonly lifecycle: ProcessSettings;
  /** Addresses and ports of services. */
  readonly services: ServiceSettings;
  /** Which labels figures may have. */
  readonly metrics: MetricsSettings;
  /** Where the files of other pages are. */
  readonly pages: PageSettings;
  /** Form and verbosity of the log. */
  readonly logging: LoggingSettings;
}

/** All sections, and the texts that they were made of: the command line hands it to the phases of a server. */
export interface ServeOptions extends ServeSections {
  /** For `/flagz`, and for the warnings of the start. */
  readonly said: SaidFlags;
}

export const SERVE_SECTIONS: {
  readonly [Section in keyof ServeSections]: SettingsOf<ServeSections[Section]>;
} = {
  log: { ...STORAGE_SETTINGS, ...KAFKA_SETTINGS, ...RETENTION_SETTINGS },
  encryption: ENCRYPTION_SETTINGS,
  listening: { ...LISTENING_SETTINGS, ...TLS_SETTINGS },
  requests: REQUEST_SETTINGS,
  authentication: { ...CREDENTIAL_SETTINGS, ...AUTHENTICATION_SETTINGS, ...TOKEN_WEBHOOK_SETTINGS },
  authorization: AUTHORIZATION_SETTINGS,
  admission: ADMISSION_SETTINGS,
  audit: AUDIT_SETTINGS,
  tracing: TRACING_SETTINGS,
  egress: EGRESS_SETTINGS,
  kubelets: KUBELET_SETTINGS,
  aggregation: AGGREGATION_SETTINGS,
  fairness: FAIRNESS_SETTINGS,
  features: FEATURE_SETTINGS,
  lifecycle: { ...LIFECYCLE_SETTINGS, ...WORKER_SETTINGS, ...MEMORY_SETTINGS },
  services: SERVICE_SETTINGS,
  metrics: METRICS_SETTINGS,
  pages: PAGE_SETTINGS,
  logging: LOGGING_SETTINGS,
};

/** Every setting, of whatever section, and those that are taken without effect. */
export const SERVE_SETTINGS: readonly Setting[] = [
  ...Object.values(SERVE_SECTIONS).flatMap((section) =>
    Object.values<Setting>(section as Readonly<Record<string, Setting>>),
  ),
  ...TAKEN_SETTINGS,
  ...OTHER_SETTINGS,
];

/** `data-dir` gives `dataDir`. */
export function configKeyOf(flag: string): string {
  return flag.replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}
