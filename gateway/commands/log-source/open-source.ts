/**
 * Opens the log that a tool reads: a data directory, whichever engine wrote it, an archive, a topic or a
 * running server. Code that only one of them needs is loaded for it alone.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { DataDirectory } from '../../../streams/embedded/data-directory.ts';
import type { EventReader } from '../../../streams/event-log.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import type { LogSource } from '../../../projections/past/log-source.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { StartupError } from '../../process/startup-error.ts';
import type { RemoteLogSource } from './remote-log-source.ts';
import type { SourcePlace } from './source-options.ts';

interface StoredLog extends EventReader {
  close(): Promise<void>;
}

async function openStoredLog(directory: DataDirectory): Promise<StoredLog> {
  if (directory.engine() === 'kafka') {
    const { StoredCopy } = await import('../../../streams/kafka/local-copy/stored-copy.ts');
    return StoredCopy.open(directory.topicPath);
  }
  const { EmbeddedEventLog } = await import('../../../streams/embedded/embedded-event-log.ts');
  const { SealedEventLog } = await import('../../../streams/encryption/sealed-event-log.ts');
  const { WITHOUT_KEYS } = await import('../../../streams/encryption/log-keys.ts');
  // Without keys a reader of the disk sees only that there are encrypted objects.
  return new SealedEventLog(new EmbeddedEventLog(directory.logPath), WITHOUT_KEYS);
}

/** What opening needs beside the flags. */
export interface SourceParts {
  /** Variables of the process, for `KUBECONFIG` and the passwords of brokers. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Ends what takes long. */
  readonly signal: AbortSignal;
  /** A sentence for people that is no result. */
  readonly notice: (sentence: string) => void;
}

/** An open log; the caller closes `source`. */
export interface OpenSource {
  /** Answers questions to the log. */
  readonly source: LogSource;
  /** The namespace of the kubeconfig's context, or `default`. */
  readonly namespace: string;
  /** Set for a running server. */
  readonly server?: RemoteLogSource;
  /** Set for a directory. */
  readonly directory?: string;
}

/** @throws StartupError when it cannot be had. */
export async function openSource(place: SourcePlace, parts: SourceParts): Promise<OpenSource> {
  switch (place.kind) {
    case 'server':
      return openServer(place, parts);
    case 'directory':
      return {
        source: await openDirectorySource(place.path, parts),
        namespace: 'default',
        directory: place.path,
      };
    case 'kafka':
      return { source: await openKafkaSource(place, parts), namespace: 'default' };
  }
}

async function openServer(
  { kubeconfig, context, fork }: Extract<SourcePlace, { kind: 'server' }>,
  { environment, clock, notice }: SourceParts,
): Promise<OpenSource> {
  const [{ clusterAccess }, { ApiClient }, { RemoteLogSource }] = await Promise.all([
    import('../../configuration/kubeconfig-access.ts'),
    import('./api-client.ts'),
    import('./remote-log-source.ts'),
  ]);
  const access = await clusterAccess({ file: kubeconfig, context }, environment);
  const prefix = fork === '' ? '' : `/forks/${encodeURIComponent(fork)}`;
  const server = new RemoteLogSource({ client: new ApiClient(access), prefix, clock, notice });
  const namespace = access.namespace === '' ? 'default' : access.namespace;
  return { source: server, namespace, server };
}

/**
 * The log in a data directory. It is held while it is read, so that no server starts on it, and
 * nothing in it is changed.
 */
async function openDirectorySource(path: string, { clock }: SourceParts): Promise<LogSource> {
  if (!existsSync(join(path, 'version'))) {
    throw new StartupError(`--data-dir ${path}: there is no data directory of a server`);
  }
  const [{ LmdbObjectStore }, { IndexedLogSource: Source }] = await Promise.all([
    import('../../../projections/store/object-store.ts'),
    import('../../../projections/past/indexed-log-source.ts'),
  ]);
  const directory = await holdDirectory(path);
  try {
    const log = await openStoredLog(directory);
    const store = new LmdbObjectStore(directory.storePath, clock);
    const close = async (): Promise<void> => {
      await store.close();
      await log.close();
      await directory.release();
    };
    return new Source({ name: path, log, store, grows: false, close });
  } catch (error) {
    await directory.release();
    throw error;
  }
}

async function holdDirectory(path: string) {
  const { openDataDirectory, DataDirectoryVersionError } =
    await import('../../../streams/embedded/data-directory.ts');
  const { DataDirectoryInUseError } = await import('../../../streams/embedded/directory-lock.ts');
  try {
    return await openDataDirectory(path);
  } catch (error) {
    if (error instanceof DataDirectoryInUseError) {
      const instead = `--kubeconfig ${join(path, 'admin.kubeconfig')}`;
      throw new StartupError(`${path} is in use by a running server: use ${instead}`, {
        cause: error,
      });
    }
    if (!(error instanceof DataDirectoryVersionError)) throw error;
    throw new StartupError(error.message, { cause: error });
  }
}

/** The topic is copied to a temporary directory, which goes with the process, and folded there. */
async function openKafkaSource(
  { url, config }: Extract<SourcePlace, { kind: 'kafka' }>,
  parts: SourceParts,
): Promise<LogSource> {
  const [{ copyTopic }, { foldedStore }, { IndexedLogSource: Source }] = await Promise.all([
    import('./topic-copy.ts'),
    import('../../../projections/past/folded-log.ts'),
    import('../../../projections/past/indexed-log-source.ts'),
  ]);
  const { log, remove } = await copyTopic(url, config);
  try {
    const newest = await log.newest(NEWEST_TIMEOUT_MS);
    const tell = progress(parts, newest);
    const store = await foldedStore(log, newest, parts.signal, tell);
    return new Source({ name: url, log, store, grows: true, close: remove });
  } catch (error) {
    await remove();
    throw error;
  }
}

const NEWEST_TIMEOUT_MS = 30_000;
const PROGRESS_EVERY_MS = 2_000;

/** Says now and then how far a long fold has come. */
function progress(
  { clock, notice }: SourceParts,
  newest: ResourceVersion,
): (version: ResourceVersion) => void {
  let lastTold = clock.now();
  return (version) => {
    if (clock.now() - lastTold < PROGRESS_EVERY_MS) return;
    lastTold = clock.now();
    notice(`read up to version ${String(version)} of ${String(newest)}`);
  };
}
