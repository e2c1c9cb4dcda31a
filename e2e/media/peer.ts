/** kube-apiserver and its etcd, for as long as it is asked. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-port.ts';
import { goProgram } from '../support/go-program.ts';
import { wireClient, type Wire } from './wire.ts';

const TOKEN = 'admin-token';
const START = { timeoutMs: 120_000, everyMs: 500 };

/** How the peer is reached, and its process. */
export interface Peer extends Wire {
  readonly pid: number;
}

/** @param flags further ones of kube-apiserver. */
export async function withPeer<Result>(
  use: (peer: Peer) => Promise<Result>,
  flags: readonly string[] = [],
): Promise<Result> {
  const program = await goProgram('kube-apiserver');
  const folder = mkdtempSync(join(tmpdir(), 'peer-'));
  const [port = 0] = await freePorts(1);
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${TOKEN},admin,admin,system:masters\n`);
  const key = join(folder, 'sa.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const running = startCommand(program, [
    folder,
    '--bind-address=127.0.0.1',
    `--secure-port=${String(port)}`,
    `--cert-dir=${join(folder, 'certificates')}`,
    `--token-auth-file=${tokens}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${key}`,
    `--service-account-key-file=${key}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    ...flags,
  ]);
  const wire = { url: `https://127.0.0.1:${String(port)}`, token: TOKEN };
  const client = wireClient(wire);
  try {
    await eventually('the peer is ready', () => isReady(client), START);
    return await use({ ...wire, pid: running.pid });
  } finally {
    client.close();
    running.kill();
    await running.ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function isReady(client: ReturnType<typeof wireClient>): Promise<true | undefined> {
  try {
    const { status } = await client.send({ method: 'GET', path: '/readyz' });
    return status === 200 ? true : undefined;
  } catch {
    return undefined; // It does not listen yet.
  }
}
