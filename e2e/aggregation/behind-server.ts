/** Servers behind the server, each reached by a service that stands for this machine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { AdminClient } from '../support/admin-client.ts';
import { type RunningCommand, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-port.ts';
import { at, type JsonValue } from '../support/json.ts';
import type { RunningServer } from '../support/server.ts';
import { testAuthority, type TestAuthority } from '../support/test-authority.ts';

export interface AggregationFiles {
  readonly folder: string;
  readonly authority: TestAuthority;
  /** By which the server tells other servers of users. */
  readonly flags: readonly string[];
  remove(): void;
}

/** Keys and certificates, and the flags that name them. */
export async function aggregationFiles(): Promise<AggregationFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-aggregation-'));
  const authority = await testAuthority('front-proxy-ca');
  const { certificate, key } = await authority.issue('front-proxy-client');
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  return {
    ...{ folder, authority },
    flags: [
      `--requestheader-client-ca-file=${file('ca.crt', authority.certificate)}`,
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--proxy-client-cert-file=${file('client.crt', certificate)}`,
      `--proxy-client-key-file=${file('client.key', key)}`,
    ],
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface BehindServer {
  readonly port: number;
  readonly name: string;
  start(): void;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Of the process that ran last. */
  output(): string;
}

interface BehindWishes {
  /** Also of its service. */
  readonly name: string;
  readonly program: string;
  readonly flags?: readonly string[];
}

/** A program with the flags that such servers have. It does not run yet. */
export async function behindServer(
  server: RunningServer,
  { folder }: AggregationFiles,
  { name, program, flags = [] }: BehindWishes,
): Promise<BehindServer> {
  const [port = 0] = await freePorts(1);
  const { kubeconfig } = server;
  let running: RunningCommand | undefined;
  return {
    ...{ port, name },
    start() {
      running = startCommand(program, [
        `--authentication-kubeconfig=${kubeconfig}`,
        `--authorization-kubeconfig=${kubeconfig}`,
        `--cert-dir=${join(folder, name)}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${String(port)}`,
        ...flags,
      ]);
    },
    async kill() {
      running?.kill('SIGKILL');
      await running?.ended;
    },
    output: () => running?.stderr() ?? '',
  };
}

/** Lets the server pass on the group version, `custom.metrics.k8s.io/v1beta2`. */
export async function registerBehind(
  client: AdminClient,
  { port, name }: BehindServer,
  groupVersion: string,
): Promise<void> {
  const namespace = 'kube-system';
  await client.post(`/api/v1/namespaces/${namespace}/services`, {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name } },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  const [group = '', version = ''] = groupVersion.split('/');
  const priorities = { groupPriorityMinimum: 100, versionPriority: 100 };
  const service = { namespace, name, port };
  const made = await client.post('/apis/apiregistration.k8s.io/v1/apiservices', {
    ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
    metadata: { name: `${version}.${group}` },
    spec: { group, version, service, insecureSkipTLSVerify: true, ...priorities },
  });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
}

export const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** What aggregated discovery has of the group version; undefined: nothing. */
export async function discovered(
  client: AdminClient,
  groupVersion: string,
): Promise<JsonValue | undefined> {
  const [group, version] = groupVersion.split('/');
  const { body } = await client.get('/apis', { accept: AGGREGATED });
  const groups = at(body, 'items');
  const found = listOf(groups).find((one) => at(one, 'metadata', 'name') === group);
  return listOf(at(found ?? null, 'versions')).find((one) => at(one, 'version') === version);
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Waits until discovery shows the group version with this freshness. */
export async function seenAs(
  client: AdminClient,
  groupVersion: string,
  freshness: 'Current' | 'Stale',
): Promise<JsonValue> {
  let last: JsonValue | undefined;
  const look = async (): Promise<JsonValue | undefined> => {
    last = await discovered(client, groupVersion);
    return at(last ?? null, 'freshness') === freshness ? last : undefined;
  };
  const what = (): string => `${groupVersion} is ${freshness}; it is ${JSON.stringify(last)}`;
  return eventually(what, look, { everyMs: 100 });
}
