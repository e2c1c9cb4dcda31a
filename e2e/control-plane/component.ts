/** Components of Kubernetes as processes beside the server, each as the user that it is in a cluster. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

import { type RunningCommand, startCommand } from '../support/command.ts';
import { freePorts } from '../support/free-port.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import type { RunningServer } from '../support/server.ts';

export const COMPONENTS = [
  'system:kube-controller-manager',
  'system:kube-scheduler',
  'kwok-controller',
] as const;
export type ComponentUser = (typeof COMPONENTS)[number];

/** What they share: a folder with their tokens and keys. */
export interface ComponentFiles {
  /** For --token-auth-file. */
  readonly tokens: string;
  /** A private key, PEM, for service accounts' tokens. */
  readonly serviceAccountKey: string;
  readonly folder: string;
}

/** Call it at the top of a file. */
export function componentFiles(): ComponentFiles {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-components-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return writeComponentFiles(folder);
}

/** The same in a folder that the caller removes. */
export function writeComponentFiles(folder: string): ComponentFiles {
  const tokens = join(folder, 'tokens.csv');
  const lines = COMPONENTS.map((user) => `${tokenOf(user)},${user},${user}`);
  writeFileSync(tokens, `${lines.join('\n')}\n`);
  const serviceAccountKey = join(folder, 'sa.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  writeFileSync(serviceAccountKey, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return { tokens, serviceAccountKey, folder };
}

function tokenOf(user: ComponentUser): string {
  return `token-of-${user.replace(':', '-')}`;
}

/** A kubeconfig for this user, by his token. */
export function kubeconfigOf(
  { folder }: ComponentFiles,
  server: Pick<RunningServer, 'kubeconfig'>,
  user: ComponentUser,
): string {
  const { url, ca } = readKubeconfig(server.kubeconfig);
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    clusters: [{ name: 'it', cluster }],
    users: [{ name: 'it', user: { token: tokenOf(user) } }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  };
  const path = join(folder, `${user.replace(':', '-')}.kubeconfig`);
  writeFileSync(path, JSON.stringify(config));
  return path;
}

/** Runs until the file's tests are over, or it is killed. */
export async function startComponent(
  program: string,
  kubeconfig: string,
  flags: readonly string[] = [],
): Promise<RunningCommand> {
  const [port = 0] = await freePorts(1);
  return startCommand(program, [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${String(port)}`,
    ...flags,
  ]);
}
