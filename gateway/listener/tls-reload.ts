/**
 * Takes up certificates that were exchanged on disk, without a restart: of the server, and of the
 * authorities of its clients. What cannot be used, as a certificate whose key has not come yet, is
 * logged and counted, and what was good last is used on.
 *
 * In Kubernetes: DynamicCertKeyPairContent and DynamicFileCAContent,
 * apiserver/pkg/server/dynamiccertificates.
 */
import { readFile } from 'node:fs/promises';
import type { TlsOptions } from 'node:tls';
import type { Clock } from '../../api/meta/clock.ts';
import type { Logger } from '../../actors/logger.ts';
import type { Pki } from './self-signed.ts';
import { tlsOptions, type TlsFiles } from './tls.ts';

export interface TlsReloadParts {
  readonly pki: Pki;
  readonly files: TlsFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of options that are good, for connections to come. */
  readonly renew: (tls: TlsOptions, change: { readonly authorities: boolean }) => void;
}

export interface TlsReload {
  readonly reloads: { readonly success: number; readonly failure: number };
  /** Looks once, whatever the time. */
  look(): Promise<void>;
  stop(): void;
}

const EVERY_MS = 10_000;

/** Looks at the files every ten seconds from now on. No file, no look. */
export async function startTlsReload(parts: TlsReloadParts): Promise<TlsReload> {
  const { files, clock } = parts;
  const reload = new FileReload(parts, await contentsOf(files));
  const isNeeded = files.tlsCertFile !== undefined || files.clientCaFile !== undefined;
  let cancel = (): void => undefined;
  let isStopped = !isNeeded;
  function later(): void {
    if (isStopped) return;
    cancel = clock.after(EVERY_MS, () => void reload.look().then(later));
  }
  later();
  return {
    reloads: reload.counts,
    look: () => reload.look(),
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

interface Contents {
  readonly serving: string;
  readonly authorities: string;
}

class FileReload {
  readonly counts = { success: 0, failure: 0 };
  readonly #parts: TlsReloadParts;
  #used: Contents;
  /** What was tried last, which is not logged twice. */
  #tried: Contents;

  constructor(parts: TlsReloadParts, used: Contents) {
    this.#parts = parts;
    this.#used = used;
    this.#tried = used;
  }

  async look(): Promise<void> {
    const { pki, files, logger, renew } = this.#parts;
    const found = await contentsOf(files);
    if (isSame(found, this.#tried)) return;
    this.#tried = found;
    try {
      const tls = tlsOptions(pki, files);
      renew(tls, { authorities: found.authorities !== this.#used.authorities });
      this.#used = found;
      this.counts.success += 1;
      logger.info({}, 'certificates were read again');
    } catch (error) {
      this.counts.failure += 1;
      logger.error({ err: error }, 'certificates on disk cannot be used; the last good ones are');
    }
  }
}

/** A file that cannot be read has no content, which is a change like any other. */
async function contentsOf({
  tlsCertFile,
  tlsPrivateKeyFile,
  clientCaFile,
}: TlsFiles): Promise<Contents> {
  const read = (file: string | undefined): Promise<string> =>
    file === undefined ? Promise.resolve('') : readFile(file, 'utf8').catch(() => '');
  const certificate = await read(tlsCertFile);
  const key = await read(tlsPrivateKeyFile);
  return { serving: `${certificate}\n${key}`, authorities: await read(clientCaFile) };
}

function isSame(one: Contents, other: Contents): boolean {
  return one.serving === other.serving && one.authorities === other.authorities;
}
