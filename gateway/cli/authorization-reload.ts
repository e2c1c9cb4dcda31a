/**
 * Reads the authorization configuration anew when it changes, in the running server. What is no
 * good changes nothing: the last good one is in force until there is a better one.
 *
 * The folder is watched and not the file, because files of ConfigMaps change by another link in it;
 * and where watching does not work, a look now and then does.
 *
 * In Kubernetes: the reload of pkg/kubeapiserver/authorizer.
 */
import { createHash } from 'node:crypto';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '../../actors/logger.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { formatLabels } from '../metrics/exposition.ts';
import { LabelledCounts } from '../metrics/labelled-figures.ts';

const LOOK_MS = 60_000;
const MS_PER_SECOND = 1_000;
const FAMILY = 'apiserver_authorization_config_controller';

/** What became of the file whenever it changed. */
export class AuthorizationReloads {
  readonly #total = new LabelledCounts();
  readonly #last = new LabelledCounts();
  readonly #server: string;
  #hash = '';

  /** @param server by what name others know this one. */
  constructor(server: string) {
    this.#server = hashOf(server);
  }

  inForce(text: string): void {
    this.#hash = hashOf(text);
  }

  /** @param now milliseconds since 1970. */
  count(status: 'success' | 'failure', now: number): void {
    const labels = formatLabels({ status, apiserver_id_hash: this.#server });
    this.#total.add(labels);
    this.#last.set(labels, now / MS_PER_SECOND);
  }

  /** All families in Prometheus' text format; nothing where there is no such file. */
  format(): string {
    const info = new LabelledCounts();
    if (this.#hash !== '')
      info.set(formatLabels({ apiserver_id_hash: this.#server, hash: this.#hash }), 1);
    const times = 'the authorization configuration was read anew, by what became of it.';
    return [
      this.#total.format(`${FAMILY}_automatic_reloads_total`, 'counter', `Times that ${times}`),
      this.#last.format(
        `${FAMILY}_automatic_reload_last_timestamp_seconds`,
        'gauge',
        `When ${times}`,
      ),
      info.format(
        `${FAMILY}_last_config_info`,
        'gauge',
        'Always 1; a label is the hash of the authorization configuration.',
      ),
    ].join('');
  }
}

function hashOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

export interface Followed {
  readonly file: string;
  /** What is in force. */
  readonly text: string;
  /** Puts another text in force. @throws when it is no good. */
  readonly replace: (text: string) => Promise<void>;
  readonly reloads: AuthorizationReloads;
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
    reloads.count('success', clock.now());
    logger.info({ file }, 'the authorization configuration was read anew');
  }

  /** One after the other: the second of two changes is the one that stays. */
  function lookSoon(): void {
    looking = looking.then(look).catch((error: unknown) => {
      reloads.count('failure', clock.now());
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
