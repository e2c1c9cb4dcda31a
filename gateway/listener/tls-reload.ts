/**
 * Takes up certificates that were exchanged on disk, without a restart: of the server, and of the
 * authorities of its clients. What cannot be used, as a certificate whose key has not come yet, is
 * logged and counted, and what was good last is used on.
 *
 * In Kubernetes: DynamicCertKeyPairContent and DynamicFileCAContent,
 * apiserver/pkg/server/dynamiccertificates.
 */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../api/meta/clock.ts';
import type { Logger } from '../../actors/request/logger.ts';
import { followFiles } from '../files/follow-files.ts';
import type { Pki } from './self-signed.ts';
import { tlsOptions, type TlsFiles } from './tls.ts';
import type { ServingOptions } from './tls-servers.ts';

export interface TlsReloadParts {
  readonly pki: Pki;
  readonly files: TlsFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of options that are good, for connections to come. */
  readonly renew: (tls: ServingOptions, change: { readonly authorities: boolean }) => void;
  /** Ends it. */
  readonly until: AbortSignal;
}

export interface TlsReload {
  readonly reloads: { readonly success: number; readonly failure: number };
  /** Looks once, whatever the time. */
  look(): Promise<void>;
}

const EVERY_MS = 10_000;

/** Looks at the files every ten seconds from now on. No file, no look. */
export async function startTlsReload(parts: TlsReloadParts): Promise<TlsReload> {
  const { pki, files, clock, logger, renew, until } = parts;
  const { clientCaFile } = files;
  const reloads = { success: 0, failure: 0 };
  const pairs = (files.tlsSniCertKey ?? []).flatMap(({ certFile, keyFile }) => [certFile, keyFile]);
  const main = [clientCaFile, files.tlsCertFile, files.tlsPrivateKeyFile].filter(isNamed);
  const named = [...main, ...pairs];
  const texts = await Promise.all(named.map(textOf));
  let [authorities] = texts;
  const look = followFiles({
    ...{ files: named, texts, everyMs: EVERY_MS, clock, until },
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
  return { reloads, look };
}

function isNamed(file: string | undefined): file is string {
  return file !== undefined;
}

/** What was read at the start and cannot be read any more has changed. */
function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
