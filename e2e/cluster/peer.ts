/** kube-apiserver in the place of the server, for stories that are told to the real one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-port.ts';
import { goProgram } from '../support/go-program.ts';
import { type RunningServer, untilReady } from '../support/server.ts';
import { testAuthority } from '../support/test-authority.ts';

/** What a client needs of a server, which is all that stories use. */
export type Peer = Pick<RunningServer, 'url' | 'kubeconfig' | 'dataDir' | 'pid'>;

export interface RunningPeer extends Peer {
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

const START = { timeoutMs: 120_000, everyMs: 500 };

/** Call it at the top of the file, with flags that both servers know. */
export function peerForThisFile(args: readonly string[]): () => RunningServer {
  let peer: RunningPeer | undefined;
  beforeAll(async () => {
    peer = await startPeer(args);
  });
  afterAll(() => peer?.stop());
  return () => {
    if (peer === undefined) throw new Error('The peer is there from beforeAll on, not before.');
    return peer as Peer as RunningServer; // Stories restart nothing.
  };
}

/** @param env for its process; `ETCD_FSYNC=1`: each write reaches the disk before it is answered. */
export async function startPeer(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<RunningPeer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'everwatch-peer-'));
  const program = await goProgram('kube-apiserver');
  const [port = 0] = await freePorts(1);
  const url = `https://127.0.0.1:${String(port)}`;
  const kubeconfig = await writePki(dataDir, url);
  const flags = [dataDir, ...flagsOf(dataDir, port), ...args];
  const running = startCommand(program, flags, { env: { ...process.env, ...env } });
  const client = adminClient({ kubeconfig });
  await eventually('the peer is ready', () => untilReady(client).then(() => true), START);
  client.close();
  const stop = async (): Promise<void> => {
    running.kill();
    await running.ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { url, dataDir, kubeconfig, pid: running.pid, stop };
}

function flagsOf(dataDir: string, port: number): string[] {
  const pki = join(dataDir, 'pki');
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${String(port)}`,
    `--cert-dir=${pki}`,
    `--tls-cert-file=${join(pki, 'server.crt')}`,
    `--tls-private-key-file=${join(pki, 'server.key')}`,
    `--client-ca-file=${join(pki, 'ca.crt')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--service-cluster-ip-range=10.0.0.0/16',
  ];
}

/** The path of the administrator's kubeconfig. */
async function writePki(dataDir: string, url: string): Promise<string> {
  const pki = join(dataDir, 'pki');
  mkdirSync(pki);
  const authority = await testAuthority('peer');
  const server = await authority.issue('kube-apiserver', ['127.0.0.1']);
  const admin = await authority.issue('admin,O=system:masters');
  writeFileSync(join(pki, 'ca.crt'), authority.certificate);
  writeFileSync(join(pki, 'ca.key'), await authority.privateKey());
  writeFileSync(join(pki, 'server.crt'), server.certificate);
  writeFileSync(join(pki, 'server.key'), server.key);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const cluster = { server: url, 'certificate-authority-data': base64(authority.certificate) };
  const user = {
    'client-certificate-data': base64(admin.certificate),
    'client-key-data': base64(admin.key),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    clusters: [{ name: 'it', cluster }],
    users: [{ name: 'it', user }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  };
  const path = join(dataDir, 'admin.kubeconfig');
  writeFileSync(path, JSON.stringify(config));
  return path;
}
