/**
 * Takes over what changes in the file of --encryption-provider-config. What cannot be read, or does not
 * open the keys there are, or asks a plugin that is not well, is told, tried again, and not taken over.
 *
 * In Kubernetes: DynamicEncryptionConfigContent, apiserver/pkg/server/options/encryptionconfig/controller.
 */
import { readFile } from 'node:fs/promises';
import type { Logger } from '../../../actors/logger.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import type { KmsPlugins } from './kms-plugins.ts';

export interface ReloadParts {
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Makes the plugins of a configuration, and gives what makes it count. @throws StartupError */
  readonly read: (text: Buffer) => Candidate;
  readonly failed: () => void;
}

export interface Candidate {
  readonly plugins: KmsPlugins;
  /** @returns how many keys were sealed anew. */
  readonly adopt: () => Promise<number>;
}

/** As often as kube-apiserver looks. */
const LOOK_EVERY_MS = 60_000;
const WELL_WITHIN_MS = 10_000;
const ASK_EVERY_MS = 1_000;

export class EncryptionReload {
  readonly #parts: ReloadParts;
  #text: Buffer;
  #cancel: () => void = () => undefined;
  #isStopped = false;

  /** @param text what counts now. */
  constructor(parts: ReloadParts, text: Buffer) {
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
    const { file, logger, failed } = this.#parts;
    try {
      const text = await readFile(file);
      if (text.equals(this.#text)) return;
      const resealed = await this.#adopt(text);
      this.#text = text;
      logger.info({ file, resealed }, 'the encryption configuration has changed');
    } catch (error) {
      failed();
      logger.error({ file, err: error }, 'the encryption configuration is not taken over');
    }
  }

  async #adopt(text: Buffer): Promise<number> {
    const { plugins, adopt } = this.#parts.read(text);
    try {
      await plugins.start();
      await this.#untilWell(plugins);
      return await adopt();
    } catch (error) {
      plugins.close();
      throw error;
    }
  }

  async #untilWell(plugins: KmsPlugins): Promise<void> {
    const { clock } = this.#parts;
    const giveUpAt = clock.now() + Math.max(WELL_WITHIN_MS, plugins.graceMs);
    for (;;) {
      const problem = await plugins.check();
      if (problem === undefined) return;
      if (this.#isStopped || clock.now() >= giveUpAt) {
        throw new Error(`health check for new transformers failed: ${problem}`);
      }
      await new Promise<void>((resolve) => {
        clock.after(ASK_EVERY_MS, resolve);
      });
    }
  }
}
