/**
 * `npm run streams:cut -- [ROUNDS]`: commands by kubectl over SPDY through konnectivity by GRPC, by turns to this
 * server and to kube-apiserver, over one node. Prints for both how many were cut short, with which codes, and how
 * many connections to the node the agent saw reset. Ends with 1 where one of ours was cut short with code 0.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

import { startOurs, startTheirs, type StartSide } from '../../cluster/beside.ts';
import { startKonnectivity } from '../../egress/konnectivity.ts';
import { adminClient } from '../../support/admin-client.ts';
import { run } from '../../support/command.ts';
import { goProgram } from '../../support/go-program.ts';
import { kubeletTrust, nodeWithPod } from '../kubelets.ts';
import { runArguments } from '../../../run-arguments.ts';

const ROUNDS = 20;
const BYTES = 1_000_000;
/** At once: one of them holds the other one up. */
const TOGETHER = 2;

const { positionals } = runArguments(import.meta.filename, { allowPositionals: true });
const rounds = Number(positionals[0] ?? ROUNDS);
const folder = mkdtempSync(join(tmpdir(), 'everwatch-cut-'));
const [trust, konnectivityProgram, kubectl] = [
  await kubeletTrust(),
  await goProgram('konnectivity'),
  await goProgram('kubectl'),
];
const node = await trust.start(await goProgram('kubelet'));

/** A server that reaches the node through a konnectivity of its own. */
async function through(name: string, start: StartSide) {
  const own = mkdtempSync(join(folder, 'konnectivity-'));
  const konnectivity = await startKonnectivity(konnectivityProgram, 'grpc', own);
  await konnectivity.startAgent();
  const connection = { proxyProtocol: 'GRPC', transport: konnectivity.transport };
  const kind = { apiVersion: 'apiserver.k8s.io/v1beta1', kind: 'EgressSelectorConfiguration' };
  const file = join(own, 'egress.json');
  writeFileSync(
    file,
    JSON.stringify({ ...kind, egressSelections: [{ name: 'cluster', connection }] }),
  );
  const server = await start([
    ...trust.serverFlags,
    '--kubelet-preferred-address-types=InternalIP',
    `--egress-selector-config-file=${file}`,
  ]);
  const client = adminClient(server);
  await nodeWithPod(client, 'one', node);
  client.close();
  return { name, konnectivity, server, cut: [] as string[] };
}

async function exec(kubeconfig: string) {
  const command = [
    'exec',
    '-i',
    'one',
    '-c',
    'main',
    '--',
    'head',
    '-c',
    String(BYTES),
    '/dev/zero',
  ];
  const env = {
    ...{ PATH: process.env['PATH'], HOME: folder, KUBECONFIG: kubeconfig },
    KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false',
  };
  return run(kubectl, command, { env, input: '' });
}

const all = [await through('Everwatch', startOurs), await through('kube-apiserver', startTheirs)];
/** Some at once. @returns those that were cut short. */
async function round(kubeconfig: string): Promise<readonly string[]> {
  const results = await Promise.all(Array.from({ length: TOGETHER }, () => exec(kubeconfig)));
  return results
    .filter(({ code, stdout }) => code !== 0 || stdout.length !== BYTES)
    .map(({ code, stdout }) => `${String(stdout.length)} with ${String(code)}`);
}

for (let count = 0; count < rounds; count += 1) {
  for (const { server, cut } of all) cut.push(...(await round(server.kubeconfig)));
}
for (const { name, cut, konnectivity } of all) {
  const resets = konnectivity.logs().match(/connection reset by peer/g)?.length ?? 0;
  const of = `${String(cut.length)} of ${String(rounds * TOGETHER)}`;
  console.log(`${name}: ${of} cut short (${cut.join(', ')}), ${String(resets)} resets`);
}
console.log(`load ${loadavg()[0]?.toFixed(0) ?? ''}`);
const isSilent = all[0]?.cut.some((one) => one.endsWith('with 0')) === true;
for (const { server, konnectivity } of all) {
  await server.stop();
  await konnectivity.stop();
}
node.stop();
trust.remove();
rmSync(folder, { recursive: true, force: true });
process.exit(isSilent ? 1 : 0);
