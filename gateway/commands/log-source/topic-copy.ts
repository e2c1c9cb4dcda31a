/**
 * A topic as a log that can be read here: copied to a temporary directory. The topic is not
 * changed, and not made when it is not there.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../../../actors/request/logger.ts';
import {
  LocalCopyError,
  TopicReplacedError,
  TopicSettingsError,
} from '../../../streams/kafka/kafka-errors.ts';
import { KafkaEventLog, topicParts } from '../../../streams/kafka/kafka-event-log.ts';
import type { RestorePoint } from '../../../streams/kafka/local-copy/restore-point.ts';
import { KafkaSnapshotStore } from '../../../streams/kafka/kafka-snapshot-store.ts';
import type { EventReader } from '../../../streams/event-log.ts';
import { serveOptionsOf } from '../../flags/flags.ts';
import { kafkaLogOptions, restoreFrom } from '../../server/log/open-kafka-log.ts';
import { StartupError } from '../../process/startup-error.ts';

export interface TopicCopy {
  readonly log: EventReader;
  /** Lets go of the brokers, and removes the copy. */
  readonly remove: () => Promise<void>;
}

/** @throws StartupError that says what is wrong with the URL, the brokers or the topic. */
export async function copyTopic(url: string, config: string | undefined): Promise<TopicCopy> {
  const flags = { log: url, ...(config === undefined ? {} : { config }) };
  const options = serveOptionsOf(flags, (path) => readFileSync(path, 'utf8'));
  const { address } = options.log;
  if (address.engine !== 'kafka') throw new StartupError('--log: must be a kafka:// URL');
  const folder = await mkdtemp(join(tmpdir(), 'everwatch-log-'));
  const opened: Closable[] = [];
  const remove = async (): Promise<void> => {
    for (const one of opened) await one.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const reading = { options, address, logger: silentLogger };
    const common = await kafkaLogOptions(reading, join(folder, 'log'));
    const snapshots = new KafkaSnapshotStore(topicParts(common));
    opened.push(snapshots);
    // A tool that looks back needs all records that there are; a snapshot stands for those that are gone.
    const restore = async (point: RestorePoint): Promise<void> => {
      if (point.oldest > 1) await restoreFrom(snapshots, point, reading);
    };
    const log = await KafkaEventLog.open({ ...common, mustExist: true, restore });
    opened.unshift(log);
    return { log, remove };
  } catch (error) {
    await remove();
    throw isAboutTopic(error) ? new StartupError(error.message, { cause: error }) : error;
  }
}

interface Closable {
  close(): void | Promise<void>;
}

/** What goes wrong is told by what is thrown. */
const silentLogger: Logger = {
  verbose: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  isVerbose: () => false,
};

function nothing(): void {
  // See above.
}

function isAboutTopic(error: unknown): error is Error {
  return (
    error instanceof TopicSettingsError ||
    error instanceof TopicReplacedError ||
    error instanceof LocalCopyError
  );
}
