/**
 * What a start needs before the port is open, and leaves behind once it is: certificates, and
 * the one line that makes kubectl work. After the first start it all is there already.
 */
import { hostname } from 'node:os';
import { fillCertificateDirectory } from '../../listener/certificate-directory.ts';
import { preparePki, type Pki } from '../../listener/self-signed.ts';
import { tlsOptions, trustAnchor, type TlsFiles } from '../../listener/tls.ts';
import type { ServingOptions } from '../../listener/tls-servers.ts';
import { serverUrl, writeKubeconfig } from '../kubeconfig/kubeconfig.ts';

export interface FirstStartOptions extends TlsFiles {
  readonly dataDir: string;
  readonly bindAddress: string;
  /** Where tlsCertFile and tlsPrivateKeyFile are written when they are not there. */
  readonly certDir?: string | undefined;
}

export interface Certificates {
  readonly pki: Pki;
  readonly tls: ServingOptions;
}

/** `now` in milliseconds since 1970. @throws StartupError */
export async function prepareCertificates(
  options: FirstStartOptions,
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

/**
 * Writes `<data-dir>/admin.kubeconfig` for a server that listens on `port`, and gives the line
 * to copy: `export KUBECONFIG=/…/admin.kubeconfig`.
 *
 * @throws StartupError
 */
export async function leaveKubeconfig(
  options: FirstStartOptions,
  pki: Pki,
  port: number,
): Promise<string> {
  const path = await writeKubeconfig(options.dataDir, {
    server: serverUrl(options.bindAddress, port),
    trustAnchor: trustAnchor(pki, options),
    admin: pki.admin,
  });
  return `export KUBECONFIG=${shellWord(path)}`;
}

function shellWord(text: string): string {
  if (/^[\w./@%+:,=-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
