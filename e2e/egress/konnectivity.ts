/**
 * Konnectivity as processes: its proxy server, which listens on a unix socket, and its agent, which
 * connects where it is told.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startCommand, type RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import type { JsonObject } from '../support/json.ts';
import { freePorts } from '../support/free-port.ts';
import { testAuthority } from '../support/test-authority.ts';

export interface Konnectivity {
  /** On which kube-apiserver is served. */
  readonly socket: string;
  /** How an EgressSelectorConfiguration names its transport. */
  readonly transport: JsonObject;
  /** Of the server: those that the agent has, and that were opened through it. */
  logs(): string;
  startAgent(): Promise<void>;
  stopAgent(): Promise<void>;
  stop(): Promise<void>;
}

/** @param mode how it is asked. @param folder for its socket and its certificates. @param isTcp whether it is asked over TLS. */
export async function startKonnectivity(
  program: string,
  mode: 'grpc' | 'http-connect',
  folder: string,
  isTcp = false,
): Promise<Konnectivity> {
  const socket = join(folder, `${mode}.sock`);
  const [agents = 0, admin = 0, health = 0, ofAgent = 0, agentAdmin = 0, own = 0] =
    await freePorts(6);
  const authority = await testAuthority('konnectivity');
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const { certificate, key } = await authority.issue('proxy', ['127.0.0.1']);
  const ca = file('konnectivity-ca.pem', authority.certificate);
  const cluster = [
    `--cluster-cert=${file('konnectivity.pem', certificate)}`,
    `--cluster-key=${file('konnectivity.key', key)}`,
  ];
  const places = [
    ...[`--agent-port=${String(agents)}`, '--agent-bind-address=127.0.0.1'],
    ...[`--admin-port=${String(admin)}`, '--admin-bind-address=127.0.0.1'],
    ...[`--health-port=${String(health)}`, '--health-bind-address=127.0.0.1'],
  ];
  const client = await authority.issue('the-server');
  const clientFiles = {
    caBundle: ca,
    clientCert: file('client.pem', client.certificate),
    clientKey: file('client.key', client.key),
  };
  const front = isTcp
    ? [
        ...[`--server-port=${String(own)}`, '--server-bind-address=127.0.0.1', '--uds-name='],
        `--server-ca-cert=${ca}`,
        ...cluster.map((flag) => flag.replace('--cluster-', '--server-')),
      ]
    : [`--uds-name=${socket}`, '--server-port=0'];
  const server = startCommand(program, [
    ...['server', `--mode=${mode}`],
    ...front,
    ...places,
    ...cluster,
  ]);
  if (!isTcp) await eventually('konnectivity listens', () => existsSync(socket) || undefined);
  let agent: RunningCommand | undefined;
  const stop = async (one: RunningCommand | undefined): Promise<void> => {
    one?.kill('SIGKILL');
    await one?.ended;
  };
  const tcp = { url: `https://127.0.0.1:${String(own)}`, tlsConfig: clientFiles };
  return {
    socket,
    transport: isTcp ? { tcp } : { uds: { udsName: socket } },
    logs: () => `${server.stderr()}\n${agent?.stderr() ?? ''}`,
    async startAgent() {
      agent = startCommand(program, [
        ...['agent', `--ca-cert=${ca}`, '--proxy-server-host=127.0.0.1'],
        ...[`--proxy-server-port=${String(agents)}`, '--sync-interval=100ms'],
        ...[`--health-server-port=${String(ofAgent)}`, '--health-server-host=127.0.0.1'],
        ...[`--admin-server-port=${String(agentAdmin)}`, '--admin-bind-address=127.0.0.1'],
      ]);
      const ready = `http://127.0.0.1:${String(ofAgent)}/readyz`;
      await eventually('the agent is connected', async () => {
        const answer = await fetch(ready).catch(() => undefined);
        return answer?.ok === true || undefined;
      });
    },
    stopAgent: () => stop(agent),
    async stop() {
      await stop(agent);
      await stop(server);
    },
  };
}
