/**
 * A whole cluster for commands and benches, by one function: a server, kube-controller-manager, kube-scheduler and
 * KWOK's nodes, which are ready when it returns. Tests of vitest have theirs by `clusterForThisFile`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { writeComponentFiles } from '../control-plane/component.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import type { RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { goProgram } from '../support/go-program.ts';
import { at, listAt } from '../support/json.ts';
import { type Kubectl, kubectlAt } from '../support/kubectl.ts';
import { startServer } from '../support/server.ts';
import {
  type ClusterPrograms,
  type ComponentFlags,
  flagsForComponents,
  startComponents,
} from './components.ts';
import { nodeObject } from './kwok.ts';
import { type RunningPeer, startPeer } from './peer.ts';

/** A server, or what stands in front of several. */
export interface ClusterServer extends Pick<RunningPeer, 'kubeconfig' | 'dataDir'> {
  /** Ends it and removes its data. */
  stop(): Promise<unknown>;
}

/** Starts a server of a cluster with these flags, which kube-apiserver has as well. */
export type StartClusterServer<Server extends ClusterServer> = (
  args: readonly string[],
) => Promise<Server>;

/** How large the cluster is, and how its components differ from those of tests. */
export interface ClusterWishes {
  readonly nodes: number;
  /** Of each node. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly flags?: ComponentFlags;
}

/** A cluster whose nodes are ready. */
export interface WholeCluster<Server extends ClusterServer> {
  readonly server: Server;
  /** Of an administrator. */
  readonly client: AdminClient;
  readonly kubectl: Kubectl;
  readonly programs: ClusterPrograms;
  /** Removed by `stop`. */
  readonly folder: string;
  /** The processes beside the server, by their names. */
  readonly pids: Readonly<Record<'controllers' | 'scheduler' | 'kwok', number>>;
  /** Ends all of its processes, the server last, and removes its files. */
  stop(): Promise<void>;
}

/**
 * On a loaded machine heartbeats come late. A pod whose node is taken for dead is marked as not ready, and KWOK does not
 * undo that, as a kubelet would.
 */
const PATIENT = '--node-monitor-grace-period=600s';
const READY = { timeoutMs: 10 * 60_000, everyMs: 250 };

/** The built server with all of its controllers. */
export async function startOurCluster(args: readonly string[]) {
  const server = await startServer({ args, controllers: '*' });
  const { kubeconfig, dataDir, pid } = server;
  return { kubeconfig, dataDir, pid, stop: () => server.stop() };
}

/** kube-apiserver with its etcd in one process. Each write reaches the disk before it is answered, as here. */
export function startTheirCluster(args: readonly string[]): Promise<RunningPeer> {
  return startPeer(args, { isDurable: true });
}

/** @throws after it has ended what had started, where the cluster does not become ready. */
export async function startCluster<Server extends ClusterServer>(
  start: StartClusterServer<Server>,
  { nodes, labels = {}, flags = {} }: ClusterWishes,
): Promise<WholeCluster<Server>> {
  const programs = {
    kubectl: await goProgram('kubectl'),
    controllers: await goProgram('kube-controller-manager'),
    scheduler: await goProgram('kube-scheduler'),
    kwok: await goProgram('kwok'),
  };
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-cluster-'));
  const running: RunningCommand[] = [];
  const ends: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const one of running) one.kill();
    await Promise.all(running.map(({ ended }) => ended));
    for (const end of ends) await end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const files = writeComponentFiles(folder);
    const server = await start(flagsForComponents(files));
    ends.unshift(() => server.stop());
    const client = adminClient(server);
    ends.unshift(() => {
      client.close();
    });
    const kubectl = kubectlAt(folder, programs.kubectl, () => server);
    const patient = { ...flags, controllers: [PATIENT, ...(flags.controllers ?? [])] };
    running.push(...(await startComponents(programs, files, kubectl, server, patient)));
    await addNodes(client, nodes, labels);
    const [controllers = -1, scheduler = -1, kwok = -1] = running.map(({ pid }) => pid);
    const pids = { controllers, scheduler, kwok };
    return { server, client, kubectl, programs, folder, pids, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

/** Ready are nodes that pods are bound to: the taints that they begin with are gone. */
async function addNodes(
  client: AdminClient,
  count: number,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) {
    const node = nodeObject(`node-${String(nth)}`, { labels });
    const { status, body } = await client.post('/api/v1/nodes', node);
    if (status !== 201) throw new Error(`a node was not created: ${JSON.stringify(body)}`);
  }
  const areReady = async (): Promise<true | undefined> => {
    const all = listAt((await client.get('/api/v1/nodes')).body, 'items');
    const tainted = all.filter((node) => at(node, 'spec', 'taints') !== undefined);
    return (all.length === count && tainted.length === 0) || undefined;
  };
  await eventually(`${String(count)} nodes are ready`, areReady, READY);
}
