/** kube-apiserver in the place of the server, for stories that are told to the real one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { startCommand, type RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-port.ts';
import { goProgram } from '../support/go-program.ts';
import { type RunningServer, untilReady } from '../support/server.ts';
import { testAuthority } from '../support/test-authority.ts';

/** What a client needs of a server, which is all that stories use. */
export type Peer = Pick<RunningServer, 'url' | 'kubeconfig' | 'dataDir' | 'pid'>;

export interface RunningPeer extends Peer {
  /** Of kube-apiserver, and of etcd where that is a process of its own. */
  readonly pids: readonly number[];
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** The last words of one that does not start. */
const STDERR_SHOWN = 1_000;
const START = { timeoutMs: 240_000, everyMs: 500 };

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

export interface PeerOptions {
  /** Each write reaches the disk before it is answered. Default: etcd leaves that to the system. */
  readonly isDurable?: boolean;
  /** A folder with `kube-apiserver` and `etcd`. Default: both in one process, built from their Go modules. */
  readonly binaries?: string | undefined;
}

/** @param args flags of kube-apiserver. */
export async function startPeer(
  args: readonly string[],
  { isDurable = false, binaries }: PeerOptions = {},
): Promise<RunningPeer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'everwatch-peer-'));
  const [port = 0] = await freePorts(1);
  const url = `https://127.0.0.1:${String(port)}`;
  const kubeconfig = await writePki(dataDir, url);
  const flags = [...flagsOf(dataDir, port), ...args];
  const running =
    binaries === undefined
      ? [await startBoth(dataDir, flags, isDurable)]
      : startEach(binaries, dataDir, flags, isDurable);
  const client = adminClient({ kubeconfig });
  const ended = Promise.race(running.map((one) => one.ended)).then(({ code, stderr }) => {
    throw new Error(
      `kube-apiserver or etcd ended with ${String(code)}:\n${stderr.slice(-STDERR_SHOWN)}`,
    );
  });
  const ready = eventually('the peer is ready', () => untilReady(client).then(() => true), START);
  ended.catch(() => undefined); // Later it may end.
  await Promise.race([ready, ended]);
  client.close();
  const stop = async (): Promise<void> => {
    for (const one of running) {
      one.kill();
      await one.ended;
    }
    rmSync(dataDir, { recursive: true, force: true });
  };
  const pids = running.map(({ pid }) => pid);
  return { url, dataDir, kubeconfig, pids, pid: pids[0] as number, stop };
}

async function startBoth(
  dataDir: string,
  flags: readonly string[],
  isDurable: boolean,
): Promise<RunningCommand> {
  const env = { ...process.env, ...(isDurable ? { ETCD_FSYNC: '1' } : {}) };
  return startCommand(await goProgram('kube-apiserver'), [dataDir, ...flags], { env });
}

/** kube-apiserver first, as it is to end first. It asks for its etcd until that is there. */
function startEach(
  binaries: string,
  dataDir: string,
  flags: readonly string[],
  isDurable: boolean,
): RunningCommand[] {
  const clients = `unix://${join(dataDir, 'client.sock')}`;
  const members = 'http://127.0.0.1:0'; // It has none.
  const apiserver = [`--etcd-servers=${clients}`, ...flags];
  const etcd = [
    `--data-dir=${join(dataDir, 'etcd')}`,
    ...[`--listen-client-urls=${clients}`, `--advertise-client-urls=${clients}`],
    ...[`--listen-peer-urls=${members}`, `--initial-advertise-peer-urls=${members}`],
    ...[`--initial-cluster=default=${members}`, `--unsafe-no-fsync=${String(!isDurable)}`],
  ];
  return [
    startCommand(join(binaries, 'kube-apiserver'), apiserver),
    startCommand(join(binaries, 'etcd'), etcd),
  ];
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
