/**
 * What a server can be told of its directory, and of what it keeps and reads there: encryption at rest,
 * and how long the past is kept (`720h`, `100000` for so many events, `forever`), for single resources too:
 * `leases.coordination.k8s.io=24h`, named as kubectl names them.
 */
import {
  parseBoolean,
  parseCount,
  parseDelay,
  parseReadConsistency,
  parseText,
  type ReadConsistency,
} from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';
import type { Keep, RetentionSettings } from '../../../projections/retention/retention.ts';
import { parseGoDuration } from '../../../api/meta/go-duration.ts';
import { StartupError } from '../../process/startup-error.ts';

/** Encryption at rest. */
export interface EncryptionSettings {
  readonly encryptionProviderConfig: string | undefined;
  readonly encryptionProviderConfigAutomaticReload: boolean;
}

/** The flags of {@link EncryptionSettings}. */
export const ENCRYPTION_SETTINGS: SettingsOf<EncryptionSettings> = {
  encryptionProviderConfig: {
    flag: 'encryption-provider-config',
    placeholder: 'FILE',
    help: 'an EncryptionConfiguration: which resources lie encrypted in the log, and with which keys',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  encryptionProviderConfigAutomaticReload: {
    flag: 'encryption-provider-config-automatic-reload',
    placeholder: 'BOOLEAN',
    help: 'whether to take over what changes in the file of --encryption-provider-config',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
};

export interface StorageSettings {
  readonly dataDir: string;
  readonly keyFile: string | undefined;
  readonly readConsistency: ReadConsistency;
  /** Events between two snapshots; 0: none are taken. */
  readonly snapshotEvery: number;
  /** undefined: they are kept in a topic. */
  readonly snapshotDir: string | undefined;
  readonly readOnly: boolean;
  /** Whether a write is acknowledged before it is on disk. */
  readonly unsafeNoFsync: boolean;
}

export const STORAGE_SETTINGS: SettingsOf<StorageSettings> = {
  dataDir: {
    flag: 'data-dir',
    placeholder: 'DIR',
    help: 'where the log, the store and the certificates live; made when it is not there',
    takes: 'text',
    default: './everwatch-data',
    parse: parseText,
  },
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
  unsafeNoFsync: {
    flag: 'unsafe-no-fsync',
    placeholder: 'BOOLEAN',
    help: 'acknowledge writes that are not on disk yet: they outlive this process, and no power cut. For tests',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
};

/** What flags say; `forever` keeps everything. */
export interface RetentionOptions {
  readonly historyRetention: Keep;
  /** By storage: `core/events`. */
  readonly historyRetentionResource: ReadonlyMap<string, Keep>;
  /** After which objects of kind Event expire; 0: they live until they are deleted. */
  readonly eventTtlMs: number;
}

/** The flags that say how long the past is kept. */
export const RETENTION_SETTINGS: SettingsOf<RetentionOptions> = {
  historyRetention: {
    flag: 'history-retention',
    placeholder: 'HOW-LONG',
    help: 'how much of the past can be read: a duration like 720h, a number of events, or forever',
    takes: 'text',
    default: 'forever',
    parse: parseKeep,
  },
  historyRetentionResource: {
    flag: 'history-retention-resource',
    placeholder: 'RESOURCE=HOW-LONG,...',
    help: 'the same for single resources; what is written all the time fills the disk otherwise',
    takes: 'list',
    default: ['leases.coordination.k8s.io=24h', 'events=24h', 'events.events.k8s.io=24h'],
    parse: parseKeepPerResource,
  },
  eventTtlMs: {
    flag: 'event-ttl',
    placeholder: 'DURATION',
    help: 'how long an Event lives after it was written last; 0 for ever. What has expired is still in the past, as long as --history-retention-resource says',
    takes: 'text',
    default: '1h0m0s',
    parse: parseDelay,
  },
};

/** The same as projections/retention takes it. */
export function retentionOf(options: RetentionOptions): RetentionSettings {
  return { everything: options.historyRetention, resources: options.historyRetentionResource };
}

/** @throws StartupError */
export function parseKeep(text: string): Keep {
  if (text === 'forever') return { kind: 'ever' };
  if (/^[1-9]\d{0,14}$/.test(text)) return { kind: 'events', count: Number(text) };
  const duration = parseGoDuration(text);
  if (duration.ok && duration.ms >= 1) return { kind: 'for', ms: duration.ms };
  throw new StartupError(
    `must be a duration like 720h, a number of events like 100000, or forever, not ${quoted(text)}`,
  );
}

/** @throws StartupError */
export function parseKeepPerResource(texts: readonly string[]): ReadonlyMap<string, Keep> {
  const kept = new Map<string, Keep>();
  for (const text of texts) {
    const [resource = '', howLong] = text.split(/=(.*)/s);
    if (howLong === undefined || !RESOURCE.test(resource)) {
      throw new StartupError(
        `must be like leases.coordination.k8s.io=24h, a resource and how long, not ${quoted(text)}`,
      );
    }
    const storage = storageOf(resource);
    const keep = parseKeep(howLong);
    const other = kept.get(storage);
    if (other !== undefined && !isSame(keep, other)) {
      throw new StartupError(`says of ${resource} two different things: it is kept only once`);
    }
    kept.set(storage, keep);
  }
  return kept;
}

const RESOURCE = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)*$/;

/** Served twice, and stored once. */
const STORED_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['events.k8s.io/events', 'core/events'],
]);

function storageOf(resource: string): string {
  const dot = resource.indexOf('.');
  if (dot < 0) return `core/${resource}`;
  const storage = `${resource.slice(dot + 1)}/${resource.slice(0, dot)}`;
  return STORED_ELSEWHERE.get(storage) ?? storage;
}

function isSame(one: Keep, other: Keep): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
