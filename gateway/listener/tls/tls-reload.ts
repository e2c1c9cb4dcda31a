/**
 * Takes up certificates that were exchanged on disk, without a restart: of the server, and of the
 * authorities of its clients. Files that cannot be used, such as a certificate whose key has not come
 * yet, are logged and counted, and the server goes on with the certificates that it had.
 *
 * In Kubernetes: DynamicCertKeyPairContent and DynamicFileCAContent,
 * apiserver/pkg/server/dynamiccertificates.
 */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../../api/meta/clock.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import { followFiles } from '../../files/follow-files.ts';
import type { Pki } from './self-signed.ts';
import { tlsOptions, type TlsFiles } from './tls.ts';
import type { ServingOptions } from './tls-servers.ts';

export interface TlsReloadParts {
  readonly pki: Pki;
  readonly files: TlsFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Is given options that were accepted, for connections to come. */
  readonly renew: (tls: ServingOptions, change: { readonly authorities: boolean }) => void;
  /** Its abort ends the reloads. */
  readonly until: AbortSignal;
}

/** How often other certificates were taken up, and how often they were refused, so far. */
export interface TlsReloads {
  /** Since the start; a file that has not changed counts for neither. */
  readonly success: number;
  /** The certificates before stay in use then. */
  readonly failure: number;
}

/** From one look at the files to the next. */
export const TLS_LOOK_MS = 2_000;

/** Looks at the files every two seconds from now on, where there are any. */
export async function startTlsReload(parts: TlsReloadParts): Promise<TlsReloads> {
  const { pki, files, clock, logger, renew, until } = parts;
  const { clientCaFile } = files;
  const reloads = { success: 0, failure: 0 };
  const pairs = (files.tlsSniCertKey ?? []).flatMap(({ certFile, keyFile }) => [certFile, keyFile]);
  const main = [clientCaFile, files.tlsCertFile, files.tlsPrivateKeyFile].filter(isNamed);
  const named = [...main, ...pairs];
  const texts = await Promise.all(named.map(textOf));
  let [authorities] = texts;
  followFiles({
    ...{ files: named, texts, everyMs: TLS_LOOK_MS, clock, until },
    take(found) {
      const tls = tlsOptions(pki, files);
      renew(tls, { authorities: clientCaFile !== undefined && found[0] !== authorities });
      [authorities] = found;
      reloads.success += 1;
      logger.info({}, 'certificates were read again');
    },
    failed(error) {
      reloads.failure += 1;
      logger.error({ err: error }, 'certificates on disk cannot be used; the last good ones are');
    },
  });
  return reloads;
}

function isNamed(file: string | undefined): file is string {
  return file !== undefined;
}

/** '' for a file that cannot be read: once it can be, it has changed. */
function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
