/** The certificates of a server: made on its first start, there already afterwards. */
import { hostname } from 'node:os';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { fillCertificateDirectory } from '../../listener/certificate-directory.ts';
import { preparePki, type Pki } from '../../listener/self-signed.ts';
import { tlsOptions, type TlsFiles } from '../../listener/tls.ts';
import type { ServingOptions } from '../../listener/tls-servers.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { shareAuthority } from '../guards/shared-authority.ts';

export interface CertificateOptions extends TlsFiles {
  readonly dataDir: string;
  readonly bindAddress: string;
  /** Where tlsCertFile and tlsPrivateKeyFile are written when they are not there. */
  readonly certDir?: string | undefined;
}

export type CertificateSections = Pick<ServeOptions, 'log' | 'listening' | 'authentication'>;

export function certificateOptionsOf(sections: CertificateSections): CertificateOptions {
  const { clientCaFile } = sections.authentication;
  return { ...sections.listening, clientCaFile, dataDir: sections.log.dataDir };
}

export interface Certificates {
  readonly pki: Pki;
  readonly tls: ServingOptions;
}

/** `now` in milliseconds since 1970. @throws StartupError */
export async function prepareCertificates(
  options: CertificateOptions,
  now: number,
): Promise<Certificates> {
  const { dataDir, bindAddress } = options;
  const pki = await preparePki({ dataDir, hostNames: [hostname(), bindAddress], now });
  const { certDir, tlsCertFile: certFile, tlsPrivateKeyFile: keyFile } = options;
  if (certDir !== undefined && certFile !== undefined && keyFile !== undefined) {
    await fillCertificateDirectory(pki, { certFile, keyFile });
  }
  return { pki, tls: tlsOptions(pki, options) };
}

/** Those of the control plane, where other servers are part of it. @throws StartupError */
export async function certificatesFor(
  options: CertificateSections,
  { context, opened: { hasOtherWriters } }: ControlPlane,
): Promise<Certificates> {
  const { dataDir, keyFile, readOnly } = options.log;
  if (hasOtherWriters && !readOnly) {
    await shareAuthority({ context, clock: systemClock, random: systemRandom, dataDir, keyFile });
  }
  return prepareCertificates(certificateOptionsOf(options), systemClock.now());
}
