/**
 * A whole cluster for the stories of a file: the server, kube-controller-manager, kube-scheduler and
 * KWOK's nodes, started before the first story and shared by all of them.
 *
 * The stories run beside each other. A story has its own namespace, and its own nodes where it changes
 * nodes; the nodes `home-1` to `home-3` are shared.
 *
 * With EVERWATCH_E2E_PEER=1 kube-apiserver runs in the place of the server, which shows whether a story
 * is right.
 */
import { afterAll, beforeAll } from 'vitest';

import { componentFiles } from '../control-plane/component.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import type { RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { at, type JsonObject, type JsonValue } from '../support/json.ts';
import { type Kubectl, kubectlFor } from '../support/kubectl.ts';
import type { RunningServer } from '../support/server.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { type ClusterPrograms, flagsForComponents, startComponents } from './components.ts';
import { nodeObject, type NodeWishes } from './kwok.ts';
import { peerForThisFile } from './peer.ts';

export interface Cluster {
  readonly kubectl: Kubectl;
  /** Of an administrator. */
  client(): AdminClient;
  server(): RunningServer;
  /** Creates the objects, of any kinds, in the namespace. */
  create(namespace: string, ...objects: readonly JsonObject[]): Promise<void>;
  /** A namespace, with the account that its pods need. */
  namespace(name: string): Promise<string>;
  node(name: string, wishes?: NodeWishes): Promise<void>;
  /** The object at the path, as soon as `is` says yes. A path that is not there yet is asked again. */
  seen(path: string, what: string, is: (object: JsonValue) => boolean): Promise<JsonValue>;
  /** Waits until nothing is at the path. */
  gone(path: string): Promise<void>;
}

/** A limit for what is broken: the slowest story takes a third of it. */
export const PATIENCE = { timeoutMs: 300_000, everyMs: 100 };
const HOME_NODES = ['home-1', 'home-2', 'home-3'];
/** A pod that runs on the shared nodes names this label; nodes of single stories have taints. */
export const HOME = { home: 'true' };

/** Whether kube-apiserver is in the place of the server. */
export const IS_PEER = process.env['EVERWATCH_E2E_PEER'] === '1';

/** Call it at the top of a file. */
export function clusterForThisFile(programs: ClusterPrograms): Cluster {
  const files = componentFiles();
  const args = flagsForComponents(files);
  const server = IS_PEER ? peerForThisFile(args) : serverForThisFile({ args, controllers: '*' });
  const kubectl = kubectlFor(programs.kubectl, server);
  const running: RunningCommand[] = [];
  let client: AdminClient | undefined;
  const cluster = clusterOf({
    kubectl,
    client: () => (client ??= adminClient(server())),
    server,
  });

  beforeAll(async () => {
    running.push(...(await startComponents(programs, files, kubectl, server())));
    for (const name of HOME_NODES) await cluster.node(name, { labels: HOME });
    await kubectl(`wait --for=condition=Ready nodes -l home=true --timeout=240s`);
  });
  afterAll(async () => {
    client?.close();
    for (const one of running) one.kill();
    await Promise.all(running.map((one) => one.ended));
  });
  return cluster;
}

type Reaching = Pick<Cluster, 'kubectl' | 'client' | 'server'>;

function clusterOf(reaching: Reaching): Cluster {
  const { kubectl, client } = reaching;
  const read = async (path: string): Promise<JsonValue | undefined> => {
    const { status, body } = await client().get(path);
    return status === 200 ? body : undefined;
  };
  return {
    ...reaching,
    async create(namespace, ...objects) {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
      await kubectl(`create -n ${namespace} -f -`, { input });
    },
    async namespace(name) {
      await kubectl(`create namespace ${name}`);
      await this.seen(`/api/v1/namespaces/${name}/serviceaccounts/default`, 'its account', Boolean);
      return name;
    },
    async node(name, wishes) {
      await this.create('default', nodeObject(name, wishes));
    },
    async seen(path, what, is) {
      let last: JsonValue | undefined;
      const look = async (): Promise<JsonValue | undefined> => {
        last = await read(path);
        return last !== undefined && is(last) ? last : undefined;
      };
      const wanted = (): string =>
        `${what}; ${path} is ${last === undefined ? 'not there' : JSON.stringify(last)}`;
      return eventually(wanted, look, PATIENCE);
    },
    async gone(path) {
      let last: JsonValue = null;
      const isGone = async (): Promise<true | undefined> => {
        const { status, body } = await client().get(path);
        last = body;
        return status === 404 || undefined;
      };
      await eventually(() => `${path} is gone; it is ${JSON.stringify(last)}`, isGone, PATIENCE);
    },
  };
}

/** Whether a condition of this type is so, and for this reason where one is given. */
export function hasCondition(object: JsonValue, type: string, status: string, reason?: string) {
  const conditions = at(object, 'status', 'conditions');
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (one) =>
        at(one, 'type') === type &&
        at(one, 'status') === status &&
        (reason === undefined || at(one, 'reason') === reason),
    )
  );
}
