/** kube-apiserver and its etcd with a token of an administrator, as long as it is asked. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startPeer, type PeerOptions, type RunningPeer } from '../cluster/peer.ts';
import type { Wire } from './wire.ts';

const TOKEN = 'admin-token';

/** How the peer is reached, and its process. */
export type Peer = Required<Pick<Wire, 'url' | 'token'>> & Pick<RunningPeer, 'pid' | 'pids'>;

/** A peer that runs until it is stopped. */
export type TokenPeer = Peer & Pick<RunningPeer, 'stop'>;

/** @param flags further ones of kube-apiserver. */
export async function withPeer<Result>(
  use: (peer: Peer) => Promise<Result>,
  flags: readonly string[] = [],
): Promise<Result> {
  const peer = await startTokenPeer(flags);
  try {
    return await use(peer);
  } finally {
    await peer.stop();
  }
}

/** @param flags further ones of kube-apiserver, which judges by RBAC. */
export async function startTokenPeer(
  flags: readonly string[] = [],
  options: PeerOptions = {},
): Promise<TokenPeer> {
  const folder = mkdtempSync(join(tmpdir(), 'peer-'));
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${TOKEN},admin,admin,system:masters\n`);
  const key = join(folder, 'service-accounts.key');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(key, privateKey.export({ type: 'sec1', format: 'pem' }));
  const own = [
    '--authorization-mode=RBAC',
    `--token-auth-file=${tokens}`,
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
  ];
  const { url, pid, pids, stop } = await startPeer([...own, ...flags], options);
  const stopAndForget = async (): Promise<void> => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, token: TOKEN, pid, pids, stop: stopAndForget };
}
