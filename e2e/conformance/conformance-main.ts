/**
 * `npm run conformance -- [--beside] [--focus REGEXP]`: the conformance tests of Kubernetes that need no
 * container, against the built server with the real kube-controller-manager and kube-scheduler and three
 * nodes of KWOK; with `--beside` against kube-apiserver and its etcd as well. Prints the tests that failed
 * and a table; code 1 where the built server failed one that kube-apiserver did not. Needs Go; takes some
 * twenty minutes, in which little is done but wait.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { flagsForComponents, startComponents } from '../cluster/components.ts';
import { nodeObject } from '../cluster/kwok.ts';
import { type RunningPeer, startPeer } from '../cluster/peer.ts';
import { writeComponentFiles } from '../control-plane/component.ts';
import { adminClient } from '../support/admin-client.ts';
import { goProgram } from '../support/go-program.ts';
import { kubectlAt } from '../support/kubectl.ts';
import { startServer } from '../support/server.ts';
import { CONFORMANCE, GROUPS } from './chosen-tests.ts';
import { type Access, outcomesOf, type Outcomes } from './suite-run.ts';

const { values } = parseArgs({
  options: { beside: { type: 'boolean', default: false }, focus: { type: 'string' } },
});
const NODES = 3;
const NAME_CHARACTERS = 46;

type Side = Pick<RunningPeer, 'kubeconfig' | 'dataDir' | 'stop'>;

const SIDES: Readonly<Record<string, (args: readonly string[]) => Promise<Side>>> = {
  everwatch: async (args) => {
    const server = await startServer({ args, controllers: '*' });
    const { kubeconfig, dataDir } = server;
    return { kubeconfig, dataDir, stop: () => server.stop().then(() => undefined) };
  },
  'kube-apiserver': startPeer,
};

const programs = {
  kubectl: await goProgram('kubectl'),
  controllers: await goProgram('kube-controller-manager'),
  scheduler: await goProgram('kube-scheduler'),
  kwok: await goProgram('kwok'),
};
const suite = await goProgram('conformance');

/** The outcomes of each group, by its name. */
async function judged(start: (args: readonly string[]) => Promise<Side>) {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-conformance-'));
  const files = writeComponentFiles(folder);
  const side = await start(flagsForComponents(files));
  const client = adminClient(side);
  const kubectl = kubectlAt(folder, programs.kubectl, () => side);
  const running = await startComponents(programs, files, kubectl, side);
  try {
    for (let nth = 0; nth < NODES; nth += 1)
      await client.post('/api/v1/nodes', nodeObject(`node-${String(nth)}`));
    await kubectl('wait --for=condition=Ready nodes --all --timeout=240s');
    const access: Access = { kubeconfig: side.kubeconfig, kubectl: programs.kubectl, folder };
    const focus = values.focus ?? CONFORMANCE;
    const beside = GROUPS.map((group) => outcomesOf(suite, access, { group, focus }));
    const outcomes = await Promise.all(beside);
    for (const [nth, group] of GROUPS.entries()) {
      const alone = await outcomesOf(suite, access, { group, focus, isSerial: true });
      for (const [name, outcome] of alone) outcomes[nth]?.set(name, outcome);
    }
    return outcomes;
  } finally {
    client.close();
    for (const one of running) one.kill();
    await Promise.all(running.map(({ ended }) => ended));
    await side.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const all = new Map<string, Outcomes[]>();
for (const [name, start] of Object.entries(SIDES))
  if (name === 'everwatch' || values.beside) all.set(name, await judged(start));

const ours = all.get('everwatch') ?? [];
const theirs = all.get('kube-apiserver');
for (const [side, groups] of all)
  for (const [name, outcome] of groups.flatMap((outcomes) => [...outcomes]))
    if (outcome.why !== undefined) console.log(`${side}: ${name}\n    ${outcome.why}`);
for (const [nth, { name }] of GROUPS.entries()) {
  const cells = [...all].map(([side, groups]) => {
    const outcomes = [...(groups[nth]?.values() ?? [])];
    const passed = outcomes.filter(({ why }) => why === undefined).length;
    return `${side} ${String(passed)} of ${String(outcomes.length)}`;
  });
  console.log(`${name.padEnd(NAME_CHARACTERS)}${cells.join(', ')}`);
}
const worse = ours.flatMap((outcomes, nth) =>
  [...outcomes].filter(
    ([name, { why }]) => why !== undefined && theirs?.[nth]?.get(name)?.why === undefined,
  ),
);
if (worse.length > 0) process.exitCode = 1;
