/**
 * Opens a log that lies in Kafka, with a copy of it in the data directory. A server that is new to
 * a long log begins from the newest snapshot.
 *
 * A fork's log is a topic of its own beside the parent's, `<topic>.fork.<uid>`, so that every server has
 * the same forks. Of each topic there is a copy here, where an embedded fork would lie as a whole.
 */
import { readFile } from 'node:fs/promises';

import type { Logger } from '../../../actors/request/logger.ts';
import { LogUnavailableError } from '../../../streams/event-log.ts';
import {
  LocalCopyError,
  TopicReplacedError,
  TopicSettingsError,
} from '../../../streams/kafka/kafka-errors.ts';
import { KafkaEventLog, topicParts } from '../../../streams/kafka/kafka-event-log.ts';
import { KafkaObjectKeys } from '../../../streams/kafka/kafka-object-keys.ts';
import type {
  KafkaLogEvents,
  KafkaLogOptions,
  KafkaSasl,
  KafkaTls,
} from '../../../streams/kafka/kafka-options.ts';
import type { RestorePoint } from '../../../streams/kafka/local-copy/restore-point.ts';
import { KafkaSnapshotStore } from '../../../streams/kafka/kafka-snapshot-store.ts';
import { FileSnapshotStore } from '../../../streams/snapshots/file-snapshot-store.ts';
import type { SnapshotStore } from '../../../streams/snapshots/snapshot.ts';
import type { KafkaSettings, LogAddress } from '../../flags/sections/kafka-settings.ts';
import { openDirectory, type OpenLog } from './open-log.ts';
import type { LogSettings } from '../../flags/serve-settings.ts';
import type { EncryptionSettings } from '../../flags/sections/storage-settings.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { ForkFolders, type ForkLogs } from './fork-folders.ts';

export interface OpenKafkaLog extends OpenLog {
  readonly log: KafkaEventLog;
  readonly snapshots: SnapshotStore;
  /** Those of encrypted objects; undefined where nothing is to be encrypted, and nothing was. */
  objectKeys(): Promise<KafkaObjectKeys | undefined>;
}

/** Where the log is, and whether it is encrypted. */
export interface LogOptions {
  readonly log: LogSettings;
  readonly encryption: EncryptionSettings;
}

export interface KafkaLogParts {
  readonly options: LogOptions;
  readonly address: Extract<LogAddress, { engine: 'kafka' }>;
  readonly logger: Logger;
  readonly events?: Partial<KafkaLogEvents>;
}

/**
 * A log that is no longer than this many times what lies between two snapshots is folded from its
 * beginning: it takes some seconds, and the server has all the history then.
 */
const FOLDED_WHOLE = 3;
/** Brokers that are started together with the servers need some time. */
/** The verbosity that shows what kafkajs says. */
const CLIENT_LOG = 4;
const WAIT_FOR_KAFKA_MS = 60_000;
const RETRY_MS = 1_000;

/** @throws StartupError that says what is wrong with the topic, the brokers or the local copy. */
export async function openKafkaLog(parts: KafkaLogParts): Promise<OpenKafkaLog> {
  const directory = await openDirectory(parts.options.log.dataDir);
  try {
    if (directory.engine() === 'embedded') {
      throw new StartupError(
        `${parts.options.log.dataDir} has a log of its own: choose another directory, or move that log into ` +
          'an empty topic with everwatch export and import',
      );
    }
    const common = await kafkaLogOptions(parts, directory.topicPath);
    const inTopic = new KafkaSnapshotStore(topicParts(common));
    const { snapshotDir } = parts.options.log;
    const snapshots = snapshotDir === undefined ? inTopic : new FileSnapshotStore(snapshotDir);
    const restore = (point: RestorePoint): Promise<void> => restoreFrom(snapshots, point, parts);
    const log = await opened({ ...common, restore }, parts);
    return {
      log,
      snapshots,
      directory,
      hasOtherWriters: true,
      async objectKeys() {
        const wants = parts.options.encryption.encryptionProviderConfig !== undefined;
        const topic = topicParts(common);
        return wants || (await KafkaObjectKeys.exist(topic))
          ? KafkaObjectKeys.open(topic)
          : undefined;
      },
      async close() {
        inTopic.close();
        await log.close();
        await directory.release();
      },
    };
  } catch (error) {
    await directory.release();
    throw startupErrorOf(error);
  }
}

/** What the flags say, for the log at `localPath`. @throws StartupError */
export async function kafkaLogOptions(
  { options: { log }, address, logger, events = {} }: KafkaLogParts,
  localPath: string,
): Promise<KafkaLogOptions> {
  return {
    brokers: address.brokers,
    topic: address.topic,
    clientId: log.kafkaClientId,
    tls: await kafkaTls(log),
    sasl: await kafkaSasl(log),
    timeouts: {
      connectMs: log.kafkaConnectionTimeoutMs,
      requestMs: log.kafkaRequestTimeoutMs,
    },
    topicSettings: { replicationFactor: log.kafkaReplicationFactor },
    localPath,
    clock: systemClock,
    random: systemRandom,
    events: {
      ...events,
      connection(state, reason) {
        const fields = { state, reason };
        if (state === 'connected') logger.info(fields, `kafka: ${state}`);
        else logger.warn(fields, `kafka: ${state}`);
        events.connection?.(state, reason);
      },
      clientLog(level, message, details) {
        logger.verbose(CLIENT_LOG, { level, ...details }, `kafkajs: ${message}`);
      },
    },
  };
}

/** Waits for brokers that are not there yet. */
async function opened(options: KafkaLogOptions, { logger }: KafkaLogParts): Promise<KafkaEventLog> {
  const giveUpAt = systemClock.now() + WAIT_FOR_KAFKA_MS;
  for (;;) {
    try {
      return await KafkaEventLog.open(options);
    } catch (error) {
      if (!mayPass(error) || systemClock.now() >= giveUpAt) throw error;
      logger.warn({ err: error }, 'waiting for Kafka');
      await new Promise<void>((resolve) => {
        systemClock.after(RETRY_MS, resolve);
      });
    }
  }
}

/** A certificate or a password that was refused will be refused again. */
const REFUSED =
  /sasl|authenticat|authoriz|certificate|altname|self.signed|\bCERT_|ERR_(TLS|SSL)|handshake|alert/i;

function mayPass(error: unknown): boolean {
  if (!(error instanceof LogUnavailableError)) return false;
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const code = 'code' in one ? String(one.code) : '';
    if (REFUSED.test(`${one.name} ${code} ${one.message}`)) return false;
  }
  return true;
}

/** Fills an empty local copy, where folding everything would take long or is impossible. */
export async function restoreFrom(
  snapshots: SnapshotStore,
  point: RestorePoint,
  {
    options: {
      log: { snapshotEvery },
    },
    logger,
  }: KafkaLogParts,
): Promise<void> {
  const { local, oldest, newest } = point;
  if (local !== undefined) return;
  const isWhole = oldest === 1;
  if (isWhole && newest <= FOLDED_WHOLE * snapshotEvery) return;
  const snapshot = await snapshots.newest();
  const version = snapshot?.header.version ?? 0;
  if (snapshot === undefined || version > newest || version + 1 < oldest) {
    if (isWhole) return;
    throw new StartupError(
      `the topic begins at version ${String(oldest)}, and no snapshot reaches it: copy the data ` +
        'directory of a server that has what came before',
    );
  }
  const { header, objects } = snapshot;
  logger.info({ version, objects }, 'starting from a snapshot');
  const { identity, time, writers } = header;
  await point.adopt(
    snapshot.records(),
    { version: header.version, identity },
    {
      settled: header.version,
      writers,
      everything: { version: header.version, time },
      resources: new Map(),
    },
  );
}

function startupErrorOf(error: unknown): unknown {
  const isTold =
    error instanceof TopicSettingsError ||
    error instanceof TopicReplacedError ||
    error instanceof LocalCopyError ||
    error instanceof LogUnavailableError;
  return isTold ? new StartupError(error.message, { cause: error }) : error;
}

/** undefined: no TLS. @throws StartupError */
export async function kafkaTls(options: KafkaSettings): Promise<KafkaTls | undefined> {
  const { kafkaTlsCaFile, kafkaTlsCertFile, kafkaTlsKeyFile, kafkaTlsServerName } = options;
  const given = [kafkaTlsCaFile, kafkaTlsCertFile, kafkaTlsServerName];
  if (!options.kafkaTls && given.every((one) => one === undefined)) return undefined;
  return {
    ca: await textOf('--kafka-tls-ca-file', kafkaTlsCaFile),
    cert: await textOf('--kafka-tls-cert-file', kafkaTlsCertFile),
    key: await textOf('--kafka-tls-key-file', kafkaTlsKeyFile),
    servername: kafkaTlsServerName,
  };
}

/** undefined: the brokers ask for no name. @throws StartupError */
export async function kafkaSasl(options: KafkaSettings): Promise<KafkaSasl | undefined> {
  const { kafkaSaslMechanism: mechanism, kafkaSaslTokenFile: tokenFile } = options;
  if (mechanism === undefined) return undefined;
  if (mechanism === 'oauthbearer') {
    const token = async (): Promise<string> =>
      ((await textOf('--kafka-sasl-token-file', tokenFile)) ?? '').trim();
    // What cannot be read is told now, and not when a connection fails.
    await token();
    return { mechanism, token };
  }
  const password = await textOf('--kafka-sasl-password-file', options.kafkaSaslPasswordFile);
  return {
    mechanism,
    username: options.kafkaSaslUsername ?? '',
    password: (password ?? '').replace(/\r?\n$/, ''),
  };
}

async function textOf(flag: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(`cannot read ${flag} ${path}: ${systemProblem(error)}`, {
      cause: error,
    });
  }
}

const NOWHERE = resourceVersion(0);

/** @param dataDir of the server, which holds it alone. */
export function kafkaForkLogs(parts: KafkaLogParts, dataDir: string): ForkLogs {
  const folders = new ForkFolders(dataDir);

  async function optionsOf(uid: string, base: ResourceVersion): Promise<KafkaLogOptions> {
    const { logPath } = folders.of(uid);
    const { topic, ...common } = await kafkaLogOptions(parts, logPath);
    return { ...common, topic: `${topic}.fork.${uid}`, base };
  }

  return {
    async open({ uid, base }) {
      const { storePath } = folders.make(uid);
      const log = await KafkaEventLog.open(await optionsOf(uid, base));
      return { log, storePath, hasOtherWriters: true };
    },

    async remove(uid) {
      // The topic first: as long as there is a folder the next start tries again.
      const options = await optionsOf(uid, NOWHERE);
      const deleteTopic = () => KafkaEventLog.delete(options);
      // Another server may do it at the same moment, and then it is gone at the second look.
      if (!parts.options.log.readOnly) await deleteTopic().catch(deleteTopic);
      await folders.remove(uid);
    },

    kept: () => folders.kept(),
  };
}
