/**
 * Puts encryption at rest together: the keys of single objects in the data directory, the file that
 * says how they are sealed, and the log that seals with them.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../api/meta/clock.ts';
import type { Logger } from '../../../actors/logger.ts';
import { DamagedKeyFileError, KeyFile } from '../../../streams/encryption/key-file.ts';
import type { ObjectKeyStore } from '../../../streams/encryption/object-key-store.ts';
import { ObjectKeys, type ProvidersOf } from '../../../streams/encryption/object-keys.ts';
import {
  SealedEventLog,
  SealedTrimmableLog,
} from '../../../streams/encryption/sealed-event-log.ts';
import type { ForkLogs } from '../fork-folders.ts';
import type { OpenLog } from '../open-log.ts';
import { StartupError, systemProblem } from '../startup-error.ts';
import { readEncryption } from './encryption-configuration.ts';
import type { EncryptionSettings } from './encryption-settings.ts';

export interface Encryption {
  readonly keys: ObjectKeys;
  /** Takes over what changes in the file. @returns ends it. */
  watch(clock: Clock, logger: Logger): () => void;
}

const KEYS = 'object-keys';
/** As often as kube-apiserver looks. */
const LOOK_EVERY_MS = 60_000;
const NOTHING_ENCRYPTED: ProvidersOf = () => undefined;

/**
 * @param coming where the keys lie; undefined where there are none, and none are asked for.
 * @returns undefined where nothing is encrypted, nor ever was.
 * @throws StartupError when a key cannot be opened with what the file has.
 */
export async function openEncryption(
  settings: EncryptionSettings,
  coming: Promise<ObjectKeyStore | undefined>,
): Promise<Encryption | undefined> {
  const { encryptionProviderConfig: file, encryptionProviderConfigAutomaticReload: reloads } =
    settings;
  const store = await coming;
  if (store === undefined) return undefined;
  const text = file === undefined ? undefined : await textOf(file);
  const providers =
    text === undefined || file === undefined ? NOTHING_ENCRYPTED : readEncryption(text, file);
  const keys = new ObjectKeys(store, providers);
  try {
    await keys.reseal();
  } catch (error) {
    await keys.close();
    const flag = file === undefined ? 'no --encryption-provider-config is given' : file;
    const why = error instanceof Error ? error.message : String(error);
    const message = `the log is encrypted, and its keys cannot be opened (${flag}): ${why}`;
    throw new StartupError(message, { cause: error });
  }
  return {
    keys,
    watch(clock, logger) {
      if (file === undefined || text === undefined || !reloads) return () => undefined;
      const watcher = new ConfigurationWatcher({ file, keys, clock, logger }, text);
      watcher.start();
      return () => {
        watcher.stop();
      };
    },
  };
}

/** @returns undefined where nothing is to be encrypted, and nothing was. @throws StartupError */
export async function openKeyFile(
  dataDir: string,
  { encryptionProviderConfig }: EncryptionSettings,
): Promise<KeyFile | undefined> {
  const path = join(dataDir, KEYS);
  if (encryptionProviderConfig === undefined && !existsSync(path)) return undefined;
  try {
    return await KeyFile.open(path);
  } catch (error) {
    const why = error instanceof DamagedKeyFileError ? error.message : systemProblem(error);
    throw new StartupError(`${path}: ${why}`, { cause: error });
  }
}

/** The same log, encrypted. */
export function sealed(opened: OpenLog, { keys }: Encryption): OpenLog {
  return {
    ...opened,
    log: new SealedTrimmableLog(opened.log, keys),
    async close() {
      await opened.close();
      await keys.close();
    },
  };
}

/** The same forks, whose own logs are encrypted as their parent's. */
export function sealedForks(forks: ForkLogs, { keys }: Encryption): ForkLogs {
  return {
    ...forks,
    remove: (uid) => forks.remove(uid),
    kept: () => forks.kept(),
    async open(fork) {
      const own = await forks.open(fork);
      return { ...own, log: new SealedEventLog(own.log, keys) };
    },
  };
}

async function textOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const message = `cannot read --encryption-provider-config ${file}: ${systemProblem(error)}`;
    throw new StartupError(message, { cause: error });
  }
}

interface WatcherParts {
  readonly file: string;
  readonly keys: ObjectKeys;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What cannot be read, or does not open the keys there are, is told and not taken over. */
class ConfigurationWatcher {
  readonly #parts: WatcherParts;
  #text: Buffer;
  #cancel: () => void = () => undefined;
  #isStopped = false;

  constructor(parts: WatcherParts, text: Buffer) {
    this.#parts = parts;
    this.#text = text;
  }

  start(): void {
    this.#cancel = this.#parts.clock.after(LOOK_EVERY_MS, () => {
      void this.#look().finally(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    const { file, keys, logger } = this.#parts;
    try {
      const text = await readFile(file);
      if (text.equals(this.#text)) return;
      this.#text = text;
      const resealed = await keys.change(readEncryption(text, file));
      logger.info({ file, resealed }, 'the encryption configuration has changed');
    } catch (error) {
      logger.error({ file, err: error }, 'the encryption configuration is not taken over');
    }
  }
}
