/**
 * Where streams lead to in the matrix: pods on nodes of three kinds, straight or through konnectivity. A
 * container is a process of this machine, and a port of a pod one of this machine.
 */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startKonnectivity } from '../../egress/konnectivity.ts';
import { adminClient } from '../../support/admin-client.ts';
import { startCommand } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { freePorts } from '../../support/free-port.ts';
import { type RunningServer, startServer } from '../../support/server.ts';
import { type Kubelet, kubeletTrust, machineAddress, nodeWithPod } from '../kubelets.ts';

/** A pod on a node of one kind, behind one server. */
export interface StreamTarget {
  /** As the matrix calls it. */
  readonly name: string;
  readonly server: RunningServer;
  readonly pod: string;
  /** What its log has somewhere. */
  readonly log: string;
  /** What its log has only where it is followed. */
  readonly followed: string;
  /** What an attached client reads first. */
  readonly attached: string;
  /** Whether an attached client gets its input back. */
  readonly echoes: boolean;
  /** What a client is told of a command that ends with 3: KWOK tells of no codes. */
  readonly exitCode: number;
  /** Whether a command hears that its input has ended; KWOK's do not, so nothing is copied to them. */
  readonly endsInput: boolean;
  /** Has what is followed or attached to say more, where it does not by itself. */
  goOn(): void;
}

export interface StreamTargets {
  readonly all: readonly StreamTarget[];
  stop(): Promise<void>;
}

/** Programs by which targets are made. */
export interface StreamTargetPrograms {
  readonly kubelet: string;
  readonly kwok: string;
  readonly konnectivity: string;
}

const OF_KUBELET = {
  exitCode: 3,
  log: '/containerLogs/default/',
  followed: 'line 3\n',
  attached: 'attached\n',
};
const OF_KWOK = {
  exitCode: 1,
  log: 'first line\n',
  followed: 'second line\n',
  attached: 'second line\n',
};

const WAYS = [
  { name: 'konnectivity, GRPC, UDS', protocol: 'GRPC', isTcp: false },
  { name: 'konnectivity, CONNECT, UDS', protocol: 'HTTPConnect', isTcp: false },
  { name: 'konnectivity, CONNECT, TCP', protocol: 'HTTPConnect', isTcp: true },
];

/**
 * Starts everything.
 *
 * @param echo the port of this machine that port-forwards lead to.
 * @param isWanted which ways through konnectivity are started, by name.
 */
export async function startStreamTargets(
  programs: StreamTargetPrograms,
  echo: number,
  isWanted: (name: string) => boolean = () => true,
): Promise<StreamTargets> {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-targets-'));
  const trust = await kubeletTrust();
  const args = [...trust.serverFlags, '--kubelet-preferred-address-types=InternalIP'];
  const through = async ({ name, protocol, isTcp }: (typeof WAYS)[number]) => {
    const mode = protocol === 'GRPC' ? 'grpc' : 'http-connect';
    const own = mkdtempSync(join(folder, 'konnectivity-'));
    const konnectivity = await startKonnectivity(programs.konnectivity, mode, own, isTcp);
    await konnectivity.startAgent();
    const connection = { proxyProtocol: protocol, transport: konnectivity.transport };
    const egressSelections = [{ name: 'cluster', connection }];
    const kind = { apiVersion: 'apiserver.k8s.io/v1beta1', kind: 'EgressSelectorConfiguration' };
    const file = join(own, 'egress.json');
    writeFileSync(file, JSON.stringify({ ...kind, egressSelections }));
    const server = await startServer({ args: [...args, `--egress-selector-config-file=${file}`] });
    return { name, server, konnectivity };
  };
  const [straight, old, recent, ...ways] = await Promise.all([
    startServer({ args }),
    trust.start(programs.kubelet),
    trust.start(programs.kubelet, { webSockets: true }),
    ...WAYS.filter(({ name }) => isWanted(name)).map(through),
  ]);
  const kwok = await startKwokStreams(programs.kwok, folder, {
    ...{ server: straight, ...trust.node, echo },
  });
  const target = async (name: string, server: RunningServer, pod: string, node: Kubelet) => {
    const client = adminClient(server);
    const features = node === recent ? ['ExtendWebSocketsToKubelet'] : [];
    await nodeWithPod(client, pod, { ...node, features });
    client.close();
    const of = node === kwok ? OF_KWOK : OF_KUBELET;
    const goOn = node === kwok ? kwok.goOn : () => undefined;
    return { name, server, pod, ...of, echoes: node !== kwok, endsInput: node !== kwok, goOn };
  };
  const all = [
    await target('kubelet', straight, 'old', old),
    await target('kubelet with WebSockets', straight, 'new', recent),
    await target('KWOK', straight, 'kwok', kwok),
    ...(await Promise.all(ways.map(({ name, server }) => target(name, server, 'old', old)))),
  ];
  return {
    all,
    async stop() {
      await Promise.all([straight, ...ways.map(({ server }) => server)].map((one) => one.stop()));
      await Promise.all(ways.map(({ konnectivity }) => konnectivity.stop()));
      for (const node of [old, recent, kwok]) node.stop();
      trust.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const NODES = { apiGroup: 'v1', kind: 'Node' };

interface KwokWishes {
  readonly server: RunningServer;
  readonly cert: string;
  readonly key: string;
  /** Where its port-forwards lead. */
  readonly echo: number;
}

/**
 * KWOK's streaming server, with an Exec, a Logs, an Attach and a PortForward for the pod `kwok`: a command is a
 * process here, a log and what is attached to are a file, and ports are those of this machine.
 */
export async function startKwokStreams(
  program: string,
  folder: string,
  { server, cert, key, echo }: KwokWishes,
): Promise<Kubelet & { goOn(): void }> {
  const [port = 0] = await freePorts(1);
  const logsFile = join(folder, 'kwok.log');
  // As container runtimes write them.
  const line = (text: string): string => `2026-11-23T10:00:00.000000000Z stdout F ${text}\n`;
  writeFileSync(logsFile, line('first line'));
  const objects = [
    { kind: 'Exec', spec: { execs: [{ local: {} }] } },
    { kind: 'Logs', spec: { logs: [{ logsFile, follow: true }] } },
    { kind: 'Attach', spec: { attaches: [{ logsFile }] } },
    { kind: 'PortForward', spec: { forwards: [{ target: { port: echo, address: '127.0.0.1' } }] } },
    // It does not start without one; this one is for no node.
    { kind: 'Stage', spec: { resourceRef: NODES, selector: { matchLabels: NODES }, next: {} } },
  ].map(({ kind, spec }) => {
    const metadata = { name: 'kwok', namespace: 'default' };
    return JSON.stringify({ apiVersion: 'kwok.x-k8s.io/v1alpha1', kind, metadata, spec });
  });
  const config = join(folder, 'kwok.yaml');
  writeFileSync(config, objects.join('\n---\n'));
  const command = startCommand(
    program,
    [
      ...[`--kubeconfig=${server.kubeconfig}`, '--manage-nodes-with-label-selector=kwok=true'],
      ...[`--server-address=0.0.0.0:${String(port)}`, `--config=${config}`],
      ...[`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`],
    ],
    { env: { ...process.env, HOME: folder } },
  );
  const said = (): string => command.stdout() + command.stderr();
  await eventually('KWOK listens', () => said().includes('Starting HTTPS server') || undefined);
  return {
    ...{ host: machineAddress(), port, said },
    goOn() {
      appendFileSync(logsFile, line('second line'));
    },
    stop() {
      command.kill('SIGKILL');
    },
  };
}
