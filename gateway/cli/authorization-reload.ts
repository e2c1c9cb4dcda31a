/**
 * Reads the authorization configuration anew when it changes, in the running server. What is no
 * good changes nothing: the last good one is in force until there is a better one.
 *
 * The folder is watched and not the file, because files of ConfigMaps change by another link in it;
 * and where watching does not work, a look now and then does.
 *
 * In Kubernetes: the reload of pkg/kubeapiserver/authorizer.
 */
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '../../actors/logger.ts';
import type { Clock } from '../../api/meta/clock.ts';
import type { ConfigurationFigures } from '../metrics/configuration-figures.ts';

const LOOK_MS = 60_000;

export interface Followed {
  readonly file: string;
  /** What is in force. */
  readonly text: string;
  /** Puts another text in force. @throws when it is no good. */
  readonly replace: (text: string) => Promise<void>;
  readonly reloads: ConfigurationFigures;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function followAuthorization({ file, text, replace, ...parts }: Followed): void {
  const { reloads, clock, logger } = parts;
  let seen = text;
  let looking: Promise<void> = Promise.resolve();
  reloads.inForce(text);

  async function look(): Promise<void> {
    const now = await readFile(file, 'utf8');
    if (now === seen) return;
    seen = now;
    await replace(now);
    reloads.inForce(now);
    reloads.reloaded(true);
    logger.info({ file }, 'the authorization configuration was read anew');
  }

  /** One after the other: the second of two changes is the one that stays. */
  function lookSoon(): void {
    looking = looking.then(look).catch((error: unknown) => {
      reloads.reloaded(false);
      logger.error({ err: error }, 'the authorization configuration was not read anew');
    });
  }

  function lookLater(): void {
    clock.after(LOOK_MS, () => {
      lookSoon();
      lookLater();
    });
  }

  lookLater();
  try {
    watch(dirname(file), { persistent: false }, lookSoon).on('error', ignore);
  } catch (error) {
    logger.info({ err: error, file }, 'the folder cannot be watched, and is looked at each minute');
  }
}

function ignore(): void {
  // The folder has gone; looking goes on.
}
