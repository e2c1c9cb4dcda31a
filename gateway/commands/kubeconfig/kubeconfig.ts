/**
 * Writes the file with which kubectl and every other client become the administrator:
 * `<data-dir>/admin.kubeconfig`, certificates and all, readable by its owner only.
 */

import { isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';
import type { PemPair } from '../../listener/tls/certificate-pair.ts';
import { writePrivateFile } from '../../listener/tls/self-signed.ts';
import { StartupError, readIfThere } from '../../process/startup-error.ts';

export interface KubeconfigContent {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  /** PEM; undefined: the client's machine trusts the server anyway. */
  readonly trustAnchor: string | undefined;
  readonly admin: PemPair;
}

/** Where the administrator's kubeconfig of a server with this data directory lies. */
export function kubeconfigPath(dataDir: string): string {
  return join(dataDir, 'admin.kubeconfig');
}

/** Where clients on this machine find a server that listens there. */
export function serverUrl(bindAddress: string, port: number): string {
  const isEverywhere = bindAddress === '0.0.0.0' || bindAddress === '::';
  const host = isEverywhere ? '127.0.0.1' : bindAddress;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${String(port)}`;
}

export function formatKubeconfig({ server, trustAnchor, admin }: KubeconfigContent): string {
  const authority =
    trustAnchor === undefined
      ? []
      : [`    certificate-authority-data: ${Buffer.from(trustAnchor).toString('base64')}`];
  return `${[
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- name: everwatch',
    '  cluster:',
    `    server: ${server}`,
    ...authority,
    'users:',
    '- name: kubernetes-admin',
    '  user:',
    `    client-certificate-data: ${Buffer.from(admin.certificate).toString('base64')}`,
    `    client-key-data: ${Buffer.from(admin.key).toString('base64')}`,
    'contexts:',
    '- name: everwatch',
    '  context:',
    '    cluster: everwatch',
    '    user: kubernetes-admin',
    'current-context: everwatch',
  ].join('\n')}\n`;
}

/**
 * Writes the file unless it says the same already, and gives its absolute path.
 *
 * @throws StartupError
 */
export async function writeKubeconfig(
  dataDir: string,
  content: KubeconfigContent,
): Promise<string> {
  const path = resolve(kubeconfigPath(dataDir));
  const text = formatKubeconfig(content);
  if ((await readIfThere(path)) !== text) await writePrivateFile(path, text);
  return path;
}

/** What the server wrote there. @throws StartupError when it never did. */
export async function readKubeconfig(dataDir: string): Promise<string> {
  const path = kubeconfigPath(dataDir);
  const text = await readIfThere(path);
  if (text !== undefined) return text;
  throw new StartupError(
    `there is no ${path}: start the server first, with 'everwatch serve --data-dir ${dataDir}'`,
  );
}
