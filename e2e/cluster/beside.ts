/** This server and kube-apiserver with its etcd, started alike, for what is asked of both by turns. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startServer } from '../support/server.ts';
import { type RunningPeer, startPeer } from './peer.ts';

/** Starts one of them with these flags, which both know. */
export type StartSide = (args: readonly string[]) => Promise<RunningPeer>;

/** This server. */
export async function startOurs(args: readonly string[]): Promise<RunningPeer> {
  const server = await startServer({ args });
  const { url, kubeconfig, dataDir, pid } = server;
  const stop = () => server.stop().then(() => undefined);
  return { url, kubeconfig, dataDir, pid, pids: [pid], stop };
}

/** kube-apiserver, which judges by RBAC, and gives pods no service accounts. */
export async function startTheirs(args: readonly string[]): Promise<RunningPeer> {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-keys-'));
  const key = join(folder, 'service-accounts.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const keys = ['key-file', 'signing-key-file'].map((flag) => `--service-account-${flag}=${key}`);
  const own = ['--authorization-mode=RBAC', '--disable-admission-plugins=ServiceAccount'];
  const peer = await startPeer([...own, ...keys, ...args]);
  const stop = async (): Promise<void> => {
    await peer.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...peer, stop };
}
