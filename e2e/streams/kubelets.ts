/**
 * Nodes for tests of streams: the real streaming code of container runtimes as a process, and the node and
 * the pod of it as objects. A container is a process of this machine.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';

import { created } from '../api/objects.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import type { JsonObject } from '../support/json.ts';
import { testAuthority } from '../support/test-authority.ts';

export interface Kubelet {
  readonly host: string;
  readonly port: number;
  said(): string;
  stop(): void;
}

/** Certificates and the flags that name them. */
export interface KubeletTrust {
  /** Flags of the server, whose certificate is of the user `the-server`. */
  readonly serverFlags: readonly string[];
  /** Files of the certificate of a node of this machine, which the server believes. */
  readonly node: { readonly cert: string; readonly key: string };
  /** @param webSockets whether it understands WebSockets as kubelet 1.36 does. */
  start(program: string, options?: { webSockets?: boolean }): Promise<Kubelet>;
  remove(): void;
}

/** An address of this machine that is not the loopback, which proxies refuse. */
export function machineAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const found = all.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found === undefined) throw new Error('this machine has no address but the loopback');
  return found.address;
}

export async function kubeletTrust(): Promise<KubeletTrust> {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-kubelets-'));
  const authority = await testAuthority('kubelets');
  const host = machineAddress();
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [server, node] = await Promise.all([
    authority.issue('the-server'),
    authority.issue('node', [host]),
  ]);
  const ca = write('ca.pem', authority.certificate);
  const files = { cert: write('node.pem', node.certificate), key: write('node.key', node.key) };
  return {
    node: files,
    serverFlags: [
      ...['--kubelet-certificate-authority', ca],
      ...['--kubelet-client-certificate', write('server.pem', server.certificate)],
      ...['--kubelet-client-key', write('server.key', server.key)],
    ],
    start: (program, { webSockets = false } = {}) =>
      started(program, host, [
        ...['--cert', files.cert, '--key', files.key, '--client-ca', ca],
        `--websockets=${String(webSockets)}`,
      ]),
    remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A backend in the clear, as a pod may be one. */
export function startBackend(program: string): Promise<Kubelet> {
  return started(program, machineAddress(), []);
}

async function started(program: string, host: string, args: readonly string[]): Promise<Kubelet> {
  const command = startCommand(program, ['--listen', '0.0.0.0:0', ...args]);
  const said = (): string => command.stdout() + command.stderr();
  const announced = (): string | undefined => /^\S+:(\d+)\n/.exec(command.stdout())?.[1];
  const port = Number(await eventually('the address of the kubelet', announced));
  return {
    host,
    port,
    said,
    stop() {
      command.kill('SIGKILL');
    },
  };
}

const DEFAULT = '/api/v1/namespaces/default';

/** Makes the node, and a pod of its name on it with the containers `main` and `side`. */
export async function nodeWithPod(
  client: AdminClient,
  name: string,
  { host, port, features = [] }: Pick<Kubelet, 'host' | 'port'> & { features?: string[] },
): Promise<void> {
  const status = {
    addresses: [{ type: 'InternalIP', address: host }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    declaredFeatures: features,
  };
  await created(client, '/api/v1/nodes', { kind: 'Node', apiVersion: 'v1', metadata: { name } });
  await patched(client, `/api/v1/nodes/${name}/status`, { status });
  await podOn(client, name, { nodeName: name });
}

/** A pod with two containers. */
export async function podOn(client: AdminClient, name: string, spec: JsonObject): Promise<void> {
  const containers = ['main', 'side'].map((one) => ({
    name: one,
    image: 'registry.example/app:1',
  }));
  await created(client, `${DEFAULT}/pods`, {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, annotations: { 'kubectl.kubernetes.io/default-container': 'main' } },
    spec: { containers, ...spec },
  });
  const status = {
    phase: 'Running',
    podIPs: [{ ip: machineAddress() }],
    podIP: machineAddress(),
    containerStatuses: containers.map((one) => ({
      ...one,
      ready: true,
      restartCount: 0,
      imageID: '',
      state: { running: { startedAt: '2026-11-23T10:00:00Z' } },
    })),
  };
  await patched(client, `${DEFAULT}/pods/${name}/status`, { status });
}

async function patched(client: AdminClient, path: string, body: JsonObject): Promise<void> {
  const answer = await client.patch(path, body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}
