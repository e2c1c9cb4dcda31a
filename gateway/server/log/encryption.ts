/**
 * Puts encryption at rest together: the keys of single objects in the data directory, the file that
 * says how they are sealed, and the log that seals with them.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { HealthCheck } from '../../../actors/lifecycle/health-checks.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { DamagedKeyFileError, KeyFile } from '../../../streams/encryption/key-file.ts';
import type { ObjectKeyStore } from '../../../streams/encryption/object-key-store.ts';
import { ObjectKeys, type ProvidersOf } from '../../../streams/encryption/object-keys.ts';
import {
  SealedEventLog,
  SealedTrimmableLog,
} from '../../../streams/encryption/sealed-event-log.ts';
import { ProviderUnavailableError } from '../../../streams/encryption/sealing-provider.ts';
import { EncryptionMeters } from './encryption-meters.ts';
import type { ForkLogs } from './fork-folders.ts';
import type { OpenLog } from './open-log.ts';
import { serverIdentity } from '../../process/server-identity.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { readEncryption } from '../../configuration/encryption-configuration.ts';
import { followEncryption, type Candidate } from './encryption-reload.ts';
import type { EncryptionSettings } from '../../flags/sections/storage-settings.ts';
import { KmsPlugins } from './kms-plugins.ts';

export interface Encryption {
  readonly keys: ObjectKeys;
  /** Whether the KMS plugins are well; undefined where there are none, nor can be any. */
  readonly check: HealthCheck | undefined;
  readonly meters: EncryptionMeters;
  /** Takes over what changes in the file. @returns ends it. */
  watch(): () => void;
  /** Asks no plugin any more. */
  close(): void;
}

export interface EncryptionParts {
  readonly clock: Clock;
  readonly logger: Logger;
}

const KEYS = 'object-keys';
/** In Kubernetes it is called so where all plugins are of version 2. */
const CHECK = 'kms-providers';
/** A plugin that is not there is asked again, and a log of keys that cannot be written tried again. */
const ASK_AGAIN_MS = 2_000;
const RESEAL_AGAIN_MS = 60_000;
const NOTHING_ENCRYPTED: ProvidersOf = () => undefined;

/**
 * Where keys are sealed by a KMS plugin that is not there, it is waited for: without it nothing of what
 * is encrypted can be read.
 *
 * @param coming where the keys lie; undefined where there are none, and none are asked for.
 * @returns undefined where nothing is encrypted, nor ever was.
 * @throws StartupError when a key cannot be opened with what the file has.
 */
export async function openEncryption(
  settings: EncryptionSettings,
  coming: Promise<ObjectKeyStore | undefined>,
  parts: EncryptionParts,
): Promise<Encryption | undefined> {
  const { encryptionProviderConfig: file } = settings;
  const store = await coming;
  if (store === undefined) return undefined;
  const text = file === undefined ? undefined : await textOf(file);
  const meters = new EncryptionMeters(parts.clock, serverIdentity(hostname()));
  const encryption = new EncryptionAtRest(settings, { ...parts, store, meters });
  try {
    await encryption.open(text);
  } catch (error) {
    encryption.close();
    await store.close();
    if (error instanceof StartupError) throw error;
    const flag = file === undefined ? 'no --encryption-provider-config is given' : file;
    const why = error instanceof Error ? error.message : String(error);
    const message = `the log is encrypted, and its keys cannot be opened (${flag}): ${why}`;
    throw new StartupError(message, { cause: error });
  }
  return encryption;
}

interface AtRestParts extends EncryptionParts {
  readonly store: ObjectKeyStore;
  readonly meters: EncryptionMeters;
}

class EncryptionAtRest implements Encryption {
  readonly keys: ObjectKeys;
  readonly meters: EncryptionMeters;
  readonly #settings: EncryptionSettings;
  readonly #parts: AtRestParts;
  #text: Buffer | undefined;
  #plugins: KmsPlugins;
  /** Of sealing keys again, one after the other. */
  #resealing: 'not yet' | 'idle' | 'running' | 'asked again' = 'not yet';
  #isClosed = false;

  constructor(settings: EncryptionSettings, parts: AtRestParts) {
    this.#settings = settings;
    this.#parts = parts;
    this.meters = parts.meters;
    this.#plugins = this.#newPlugins();
    this.keys = new ObjectKeys(
      parts.store,
      NOTHING_ENCRYPTED,
      () => this.#pause(ASK_AGAIN_MS),
      parts.meters,
    );
  }

  get check(): HealthCheck | undefined {
    const { encryptionProviderConfigAutomaticReload: reloads } = this.#settings;
    if (this.#text === undefined || (this.#plugins.count === 0 && !reloads)) return undefined;
    return { name: CHECK, problem: () => this.#plugins.problem() };
  }

  /** @param text of the configuration; undefined: there is none. */
  async open(text: Buffer | undefined): Promise<void> {
    this.#text = text;
    let providers = NOTHING_ENCRYPTED;
    if (text !== undefined) {
      providers = this.#read(text, this.#plugins);
      this.meters.configuration.inForce(text);
    }
    await this.#plugins.start();
    for (;;) {
      try {
        await this.keys.change(providers);
        break;
      } catch (error) {
        if (!(error instanceof ProviderUnavailableError)) throw error;
        const message = 'waiting for a KMS plugin, without which nothing encrypted can be read';
        this.#parts.logger.warn({ err: error }, message);
      }
      await this.#pause(ASK_AGAIN_MS);
      await this.#plugins.check();
    }
    this.#resealing = 'idle';
  }

  watch(): () => void {
    const { encryptionProviderConfig: file, encryptionProviderConfigAutomaticReload: reloads } =
      this.#settings;
    const text = this.#text;
    if (file === undefined || text === undefined || !reloads) return () => undefined;
    const { clock, logger } = this.#parts;
    return followEncryption(
      {
        file,
        clock,
        logger,
        read: (changed) => this.#candidate(changed),
        failed: () => {
          this.meters.configuration.reloaded(false);
        },
      },
      text,
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#plugins.close();
  }

  #candidate(text: Buffer): Candidate {
    const plugins = this.#newPlugins();
    const providers = this.#read(text, plugins);
    const adopt = async (): Promise<number> => {
      const resealed = await this.keys.change(providers);
      const before = this.#plugins;
      this.#plugins = plugins;
      if (this.#isClosed) plugins.close();
      this.meters.configuration.reloaded(true);
      this.meters.configuration.inForce(text);
      this.#parts.clock.after(before.graceMs, () => {
        before.close();
      });
      return resealed;
    };
    return { plugins, adopt };
  }

  #newPlugins(): KmsPlugins {
    const { clock, logger, meters } = this.#parts;
    const rotated = (): void => {
      this.#resealSoon();
    };
    return new KmsPlugins({ clock, logger, meters, rotated });
  }

  #read(text: Buffer, plugins: KmsPlugins): ProvidersOf {
    const file = this.#settings.encryptionProviderConfig ?? '';
    return readEncryption(text, file, (kms) => plugins.make(kms), this.#parts.meters);
  }

  /** The keys there are, with what the providers seal with now. */
  #resealSoon(): void {
    if (this.#resealing === 'running') this.#resealing = 'asked again';
    if (this.#resealing !== 'idle' || this.#isClosed) return;
    this.#resealing = 'running';
    void this.#reseal().then((isDone) => {
      const again = this.#resealing === 'asked again';
      this.#resealing = 'idle';
      if (again) this.#resealSoon();
      else if (!isDone && !this.#isClosed) this.#resealLater();
    });
  }

  async #reseal(): Promise<boolean> {
    const { logger } = this.#parts;
    try {
      const resealed = await this.keys.reseal();
      if (resealed > 0) logger.info({ resealed }, 'keys of objects are sealed anew');
      return true;
    } catch (error) {
      logger.error({ err: error }, 'keys of objects could not be sealed anew yet');
      return false;
    }
  }

  #resealLater(): void {
    void this.#pause(RESEAL_AGAIN_MS).then(() => {
      this.#resealSoon();
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.clock.after(ms, resolve);
    });
  }
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
export function sealed(opened: OpenLog, encryption: Encryption): OpenLog {
  const { keys } = encryption;
  return {
    ...opened,
    log: new SealedTrimmableLog(opened.log, keys),
    async close() {
      await opened.close();
      encryption.close();
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
