/** What a start leaves behind once the port is open: the one line that makes kubectl work. */
import type { Pki } from '../../listener/self-signed.ts';
import { trustAnchor } from '../../listener/tls.ts';
import type { CertificateOptions } from '../../server/front/certificates.ts';
import { serverUrl, writeKubeconfig } from '../kubeconfig/kubeconfig.ts';

/**
 * Writes `<data-dir>/admin.kubeconfig` for a server that listens on `port`, and gives the line
 * to copy: `export KUBECONFIG=/…/admin.kubeconfig`.
 *
 * @throws StartupError
 */
export async function leaveKubeconfig(
  options: CertificateOptions,
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
