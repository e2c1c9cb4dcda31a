/** Starts etcd and kube-apiserver of the directory of `everwatch envtest`, with flags as envtest gives them. */
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { startCommand, type RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-port.ts';
import { untilReady } from '../support/server.ts';

/** An etcd, and what a kube-apiserver beside it is told. */
export interface StartedEtcd {
  readonly running: RunningCommand;
  readonly dataDir: string;
  readonly port: number;
  readonly flags: readonly string[];
  /** Of the control plane beside it, once that has started. */
  readonly kubeconfig: string;
}

export interface StartedPlane {
  readonly running: RunningCommand;
  readonly client: AdminClient;
  /** Ends kube-apiserver. @returns its exit code. */
  stop(): Promise<number>;
}

export interface PlanesParts {
  /** As `everwatch envtest` printed it. */
  readonly directory: string;
  /** For data directories. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Resolves when it is healthy. @param dataDir of its own unless it is given. */
export async function startEtcd(
  { directory, folder, env }: PlanesParts,
  dataDir = mkdtempSync(join(folder, 'etcd-')),
): Promise<StartedEtcd> {
  const [port = 0, peer = 0, secure = 0] = await freePorts(3);
  const etcd = `http://127.0.0.1:${String(port)}`;
  const flags = [
    `--advertise-client-urls=${etcd}`,
    `--data-dir=${dataDir}`,
    `--listen-client-urls=${etcd}`,
    `--listen-peer-urls=http://127.0.0.1:${String(peer)}`,
    '--unsafe-no-fsync=true',
  ];
  const running = startCommand(join(directory, 'etcd'), flags, { env });
  await eventually('/health of etcd', async () => {
    const answer = await fetch(`${etcd}/health`).catch(() => undefined);
    return answer?.status === 200 || undefined;
  });
  return {
    ...{ running, dataDir, port: secure },
    flags: [
      `--etcd-servers=${etcd}`,
      `--secure-port=${String(secure)}`,
      '--bind-address=127.0.0.1',
    ],
    kubeconfig: join(dataDir, 'everwatch', '%2Fregistry', 'admin.kubeconfig'),
  };
}

/** Resolves when it is ready. */
export async function startPlane(
  { directory, env }: PlanesParts,
  { flags, kubeconfig }: Pick<StartedEtcd, 'flags' | 'kubeconfig'>,
  more: readonly string[] = [],
): Promise<StartedPlane> {
  const running = startCommand(join(directory, 'kube-apiserver'), [...flags, ...more], { env });
  await eventually('the kubeconfig', () => running.stdout().includes(kubeconfig) || undefined);
  const client = adminClient({ kubeconfig });
  await untilReady(client);
  return {
    running,
    client,
    async stop() {
      client.close();
      running.kill('SIGTERM');
      return (await running.ended).code;
    },
  };
}

/** Whether nothing listens there any more; undefined: something does. */
export function isClosed(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.on('error', () => {
      resolve(true);
    });
  });
}
