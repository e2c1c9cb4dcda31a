/**
 * Takes over what changes in the file of --encryption-provider-config. What cannot be read, or does not
 * open the keys there are, or asks a plugin that is not well, is told, tried again, and not taken over.
 *
 * In Kubernetes: DynamicEncryptionConfigContent, apiserver/pkg/server/options/encryptionconfig/controller.
 */
import type { Logger } from '../../../actors/request/logger.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { pause } from '../../../api/meta/rxjs-clock.ts';
import { followFile } from '../../files/follow-files.ts';
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

/** @param text what counts now. @returns ends it. */
export function followEncryption(parts: ReloadParts, text: Buffer): () => void {
  const { file, clock, logger, failed } = parts;
  const stopping = new AbortController();
  const until = stopping.signal;
  followFile({
    ...{ file, text: String(text), everyMs: LOOK_EVERY_MS, clock, until },
    triesAgain: true,
    async take(changed) {
      const resealed = await adopted(parts.read(Buffer.from(changed)), { clock, until });
      logger.info({ file, resealed }, 'the encryption configuration has changed');
    },
    failed(error) {
      failed();
      logger.error({ file, err: error }, 'the encryption configuration is not taken over');
    },
  });
  return () => {
    stopping.abort();
  };
}

interface Patience {
  readonly clock: Clock;
  readonly until: AbortSignal;
}

async function adopted({ plugins, adopt }: Candidate, patience: Patience): Promise<number> {
  try {
    await plugins.start();
    await untilWell(plugins, patience);
    return await adopt();
  } catch (error) {
    plugins.close();
    throw error;
  }
}

async function untilWell(plugins: KmsPlugins, { clock, until }: Patience): Promise<void> {
  const giveUpAt = clock.now() + Math.max(WELL_WITHIN_MS, plugins.graceMs);
  for (;;) {
    const problem = await plugins.check();
    if (problem === undefined) return;
    if (until.aborted || clock.now() >= giveUpAt) {
      throw new Error(`health check for new transformers failed: ${problem}`);
    }
    await pause(clock, ASK_EVERY_MS, until);
  }
}
