/** What a server can be told about the audit: the table of its flags, and which fit together. */
import { parseBoolean, parseCount, parseDelay, parseText, quoted } from '../flag-values.ts';
import type { Setting, SettingsOf } from '../setting.ts';
import { StartupError } from '../../process/startup-error.ts';

export const AUDIT_MODES = ['batch', 'blocking', 'blocking-strict'] as const;
export type AuditMode = (typeof AUDIT_MODES)[number];

const FORMATS = ['legacy', 'json'] as const;
const VERSION = 'audit.k8s.io/v1';

/** Of one backend: how its events are gathered, and how large they may be. */
export interface AuditFlow {
  /** Whether requests wait until their events are written. */
  readonly mode: AuditMode;
  /** So many events may wait; later ones are dropped. */
  readonly batchBufferSize: number;
  /** So many events go out together. */
  readonly batchMaxSize: number;
  /** Milliseconds after which a batch goes out that is not full. */
  readonly batchMaxWaitMs: number;
  /** Whether batches are limited in their rate. */
  readonly batchThrottleEnable: boolean;
  /** Batches a second. */
  readonly batchThrottleQps: number;
  /** So many batches may go out at once. */
  readonly batchThrottleBurst: number;
  /** Whether events and batches are made smaller. */
  readonly truncateEnabled: boolean;
  /** Bytes of a batch. */
  readonly truncateMaxBatchSize: number;
  /** Bytes of an event. */
  readonly truncateMaxEventSize: number;
}

/** `auditLogBatchBufferSize` of `batchBufferSize`. */
type FlowOf<Name extends string> = {
  readonly [Key in keyof AuditFlow as `${Name}${Capitalize<Key>}`]: AuditFlow[Key];
};

export interface AuditSettings extends FlowOf<'auditLog'>, FlowOf<'auditWebhook'> {
  readonly auditPolicyFile: string | undefined;
  /** `-` is standard output. */
  readonly auditLogPath: string | undefined;
  readonly auditLogFormat: (typeof FORMATS)[number];
  readonly auditLogVersion: string;
  /** Days; 0 for ever. */
  readonly auditLogMaxage: number;
  readonly auditLogMaxbackup: number;
  /** Megabytes; 0: there is no rotation. */
  readonly auditLogMaxsize: number;
  readonly auditLogCompress: boolean;
  readonly auditWebhookConfigFile: string | undefined;
  readonly auditWebhookInitialBackoffMs: number;
  readonly auditWebhookVersion: string;
}

/** As upstream has them. */
const LOG_FLOW = { mode: 'blocking', batchMaxSize: '1', throttle: 'false' };
const WEBHOOK_FLOW = { mode: 'batch', batchMaxSize: '400', throttle: 'true' };

export const AUDIT_SETTINGS: SettingsOf<AuditSettings> = {
  auditPolicyFile: textSetting(
    'audit-policy-file',
    'FILE',
    'what is written down of which requests: a Policy of audit.k8s.io/v1; without it nothing is',
  ),
  auditLogPath: textSetting(
    'audit-log-path',
    'FILE',
    'the file to which events of the audit are written; - is standard output',
  ),
  auditLogFormat: {
    flag: 'audit-log-format',
    placeholder: 'FORMAT',
    help: 'json, or legacy for a line of text',
    takes: 'text',
    default: 'json',
    parse: oneOf(FORMATS, 'audit log format', 'formats'),
  },
  auditLogVersion: versionSetting('audit-log-version'),
  auditLogMaxage: countSetting(
    'audit-log-maxage',
    'DAYS',
    '366',
    'how long old audit log files are kept; 0 for ever',
  ),
  auditLogMaxbackup: countSetting(
    'audit-log-maxbackup',
    'NUMBER',
    '100',
    'how many old audit log files are kept; 0 for all',
  ),
  auditLogMaxsize: countSetting(
    'audit-log-maxsize',
    'MEGABYTES',
    '100',
    'the size at which the audit log file is put aside for a new one; 0 for never',
  ),
  auditLogCompress: flagSetting(
    'audit-log-compress',
    'false',
    'whether old audit log files are compressed',
  ),
  auditLogMode: modeSetting('log', LOG_FLOW.mode),
  auditLogBatchBufferSize: bufferSetting('log'),
  auditLogBatchMaxSize: batchSetting('log', LOG_FLOW.batchMaxSize),
  auditLogBatchMaxWaitMs: waitSetting('log'),
  auditLogBatchThrottleEnable: throttleSetting('log', LOG_FLOW.throttle),
  auditLogBatchThrottleQps: rateSetting('log'),
  auditLogBatchThrottleBurst: burstSetting('log'),
  auditLogTruncateEnabled: truncateSetting('log'),
  auditLogTruncateMaxBatchSize: batchBytesSetting('log'),
  auditLogTruncateMaxEventSize: eventBytesSetting('log'),
  auditWebhookConfigFile: textSetting(
    'audit-webhook-config-file',
    'FILE',
    'a kubeconfig file that says to where events of the audit are posted',
  ),
  auditWebhookInitialBackoffMs: {
    flag: 'audit-webhook-initial-backoff',
    placeholder: 'DURATION',
    help: 'how long to wait before events that the audit webhook did not take are posted again',
    takes: 'text',
    default: '10s',
    parse: parseDelay,
  },
  auditWebhookVersion: versionSetting('audit-webhook-version'),
  auditWebhookMode: modeSetting('webhook', WEBHOOK_FLOW.mode),
  auditWebhookBatchBufferSize: bufferSetting('webhook'),
  auditWebhookBatchMaxSize: batchSetting('webhook', WEBHOOK_FLOW.batchMaxSize),
  auditWebhookBatchMaxWaitMs: waitSetting('webhook'),
  auditWebhookBatchThrottleEnable: throttleSetting('webhook', WEBHOOK_FLOW.throttle),
  auditWebhookBatchThrottleQps: rateSetting('webhook'),
  auditWebhookBatchThrottleBurst: burstSetting('webhook'),
  auditWebhookTruncateEnabled: truncateSetting('webhook'),
  auditWebhookTruncateMaxBatchSize: batchBytesSetting('webhook'),
  auditWebhookTruncateMaxEventSize: eventBytesSetting('webhook'),
};

type BackendName = 'log' | 'webhook';

/** The flow of one backend under its own names. */
export function flowOf(settings: AuditSettings, backend: BackendName): AuditFlow {
  return backend === 'log'
    ? {
        mode: settings.auditLogMode,
        batchBufferSize: settings.auditLogBatchBufferSize,
        batchMaxSize: settings.auditLogBatchMaxSize,
        batchMaxWaitMs: settings.auditLogBatchMaxWaitMs,
        batchThrottleEnable: settings.auditLogBatchThrottleEnable,
        batchThrottleQps: settings.auditLogBatchThrottleQps,
        batchThrottleBurst: settings.auditLogBatchThrottleBurst,
        truncateEnabled: settings.auditLogTruncateEnabled,
        truncateMaxBatchSize: settings.auditLogTruncateMaxBatchSize,
        truncateMaxEventSize: settings.auditLogTruncateMaxEventSize,
      }
    : {
        mode: settings.auditWebhookMode,
        batchBufferSize: settings.auditWebhookBatchBufferSize,
        batchMaxSize: settings.auditWebhookBatchMaxSize,
        batchMaxWaitMs: settings.auditWebhookBatchMaxWaitMs,
        batchThrottleEnable: settings.auditWebhookBatchThrottleEnable,
        batchThrottleQps: settings.auditWebhookBatchThrottleQps,
        batchThrottleBurst: settings.auditWebhookBatchThrottleBurst,
        truncateEnabled: settings.auditWebhookTruncateEnabled,
        truncateMaxBatchSize: settings.auditWebhookTruncateMaxBatchSize,
        truncateMaxEventSize: settings.auditWebhookTruncateMaxEventSize,
      };
}

/** @throws StartupError in upstream's words when what is used does not fit together. */
export function checkAuditOptions(settings: AuditSettings): void {
  if (settings.auditLogPath !== undefined) checkFlow('log', flowOf(settings, 'log'));
  if (settings.auditWebhookConfigFile !== undefined) {
    checkFlow('webhook', flowOf(settings, 'webhook'));
  }
}

function checkFlow(backend: BackendName, flow: AuditFlow): void {
  const refuse = (what: string, value: number): never => {
    throw new StartupError(
      `invalid audit ${what} ${String(value)}, must be a positive number`.replace('%', backend),
    );
  };
  const { truncateMaxEventSize: eventMax, truncateMaxBatchSize: batchMax } = flow;
  if (flow.mode === 'batch') {
    if (flow.batchBufferSize === 0) refuse('batch % buffer size', 0);
    if (flow.batchMaxSize === 0) refuse('batch % max batch size', 0);
    if (flow.batchThrottleEnable) {
      if (flow.batchThrottleQps === 0) refuse('batch % throttle QPS', 0);
      if (flow.batchThrottleBurst === 0) refuse('batch % throttle burst', 0);
    }
  }
  if (eventMax === 0) refuse('truncate % max event size', 0);
  if (batchMax < eventMax) {
    throw new StartupError(
      `invalid audit truncate ${backend} max batch size ${String(batchMax)}, ` +
        `must be greater than max event size (${String(eventMax)})`,
    );
  }
}

function textSetting(flag: string, placeholder: string, help: string): Setting<string> {
  return { flag, placeholder, help, takes: 'text', default: undefined, parse: parseText };
}

function countSetting(
  flag: string,
  placeholder: string,
  unlessSaid: string,
  help: string,
): Setting<number> {
  return { flag, placeholder, help, takes: 'text', default: unlessSaid, parse: parseCount };
}

function flagSetting(flag: string, unlessSaid: string, help: string): Setting<boolean> {
  const placeholder = 'BOOLEAN';
  return { flag, placeholder, help, takes: 'boolean', default: unlessSaid, parse: parseBoolean };
}

function versionSetting(flag: string): Setting<string> {
  return {
    flag,
    placeholder: 'GROUP/VERSION',
    help: `the version in which events of the audit are written: ${VERSION}`,
    takes: 'text',
    default: VERSION,
    parse(text) {
      if (text === VERSION) return text;
      throw new StartupError(`invalid group version, allowed versions are ["${VERSION}"]`);
    },
  };
}

function modeSetting(backend: BackendName, unlessSaid: string): Setting<AuditMode> {
  return {
    flag: `audit-${backend}-mode`,
    placeholder: 'MODE',
    help: 'blocking: requests wait until their events are kept; blocking-strict: and fail where that fails when they come; batch: they do not wait',
    takes: 'text',
    default: unlessSaid,
    parse: oneOf(AUDIT_MODES, `audit ${backend} mode`, 'modes'),
  };
}

function oneOf<Value extends string>(known: readonly Value[], what: string, plural: string) {
  return (text: string): Value => {
    const found = known.find((one) => one === text);
    if (found !== undefined) return found;
    throw new StartupError(`invalid ${what} ${text}, allowed ${plural} are "${known.join(',')}"`);
  };
}

function bufferSetting(backend: BackendName): Setting<number> {
  const help = 'in batch mode, how many events may wait; more are lost';
  return countSetting(`audit-${backend}-batch-buffer-size`, 'EVENTS', '10000', help);
}

function batchSetting(backend: BackendName, unlessSaid: string): Setting<number> {
  const help = 'in batch mode, how many events a batch has at most';
  return countSetting(`audit-${backend}-batch-max-size`, 'EVENTS', unlessSaid, help);
}

function waitSetting(backend: BackendName): Setting<number> {
  return {
    flag: `audit-${backend}-batch-max-wait`,
    placeholder: 'DURATION',
    help: 'in batch mode, how long a batch waits that is not full',
    takes: 'text',
    default: '30s',
    parse: parseDelay,
  };
}

function throttleSetting(backend: BackendName, unlessSaid: string): Setting<boolean> {
  const help = 'in batch mode, whether there may only be so many batches a second';
  return flagSetting(`audit-${backend}-batch-throttle-enable`, unlessSaid, help);
}

function rateSetting(backend: BackendName): Setting<number> {
  return {
    flag: `audit-${backend}-batch-throttle-qps`,
    placeholder: 'NUMBER',
    help: 'how many batches a second there may be on average',
    takes: 'text',
    default: backend === 'webhook' ? '10' : '0',
    parse: parseRate,
  };
}

function parseRate(text: string): number {
  const rate = Number(text.replaceAll('_', ''));
  if (text !== '' && rate >= 0 && rate < Number.POSITIVE_INFINITY) return rate;
  throw new StartupError(`must be a number, not ${quoted(text)}`);
}

function burstSetting(backend: BackendName): Setting<number> {
  const help = 'how many batches there may be at the same moment';
  const unlessSaid = backend === 'webhook' ? '15' : '0';
  return countSetting(`audit-${backend}-batch-throttle-burst`, 'NUMBER', unlessSaid, help);
}

function truncateSetting(backend: BackendName): Setting<boolean> {
  const help = 'whether events and batches are kept below a size';
  return flagSetting(`audit-${backend}-truncate-enabled`, 'false', help);
}

function batchBytesSetting(backend: BackendName): Setting<number> {
  const help = 'the size at which a batch becomes several';
  return countSetting(`audit-${backend}-truncate-max-batch-size`, 'BYTES', '10485760', help);
}

function eventBytesSetting(backend: BackendName): Setting<number> {
  const help = 'the size at which an event loses its objects';
  return countSetting(`audit-${backend}-truncate-max-event-size`, 'BYTES', '102400', help);
}
