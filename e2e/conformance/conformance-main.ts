/**
 * `npm run conformance -- [--others] [--beside] [--focus REGEXP] [--minutes 60]`: the conformance tests of Kubernetes, or its others, that need
 * no container, against the built server with the real kube-controller-manager and kube-scheduler and three
 * nodes of KWOK; with `--beside` against kube-apiserver and its etcd as well, one server after the other. Each has so
 * many minutes for its tests; code 1 where that is not enough. Prints what goes on to stderr, the tests
 * that failed and a table; code 1 where the built server failed one that kube-apiserver did not. Needs Go; takes
 * some twenty minutes for a server, in which little is done but wait.
 */
import { loadavg } from 'node:os';

import {
  type ClusterServer,
  startCluster,
  type StartClusterServer,
  startOurCluster,
  startTheirCluster,
} from '../cluster/whole-cluster.ts';
import { goProgram } from '../support/go-program.ts';
import { GROUPS, OTHERS } from './chosen-tests.ts';
import { type Access, type Chosen, outcomesOf, type Outcomes } from './suite-run.ts';
import { runArguments } from '../../run-arguments.ts';

const { values } = runArguments(import.meta.filename, {
  options: {
    beside: { type: 'boolean', default: false },
    others: { type: 'boolean', default: false },
    focus: { type: 'string', default: '' },
    minutes: { type: 'string', default: '60' },
  },
});
const NODES = 3;
const NAME_CHARACTERS = 46;
const MS_PER_MINUTE = 60_000;

const SIDES: Readonly<Record<string, StartClusterServer<ClusterServer>>> = {
  everwatch: startOurCluster,
  'kube-apiserver': startTheirCluster,
};

const ofSuite = values.others ? OTHERS : GROUPS;
const suite = await goProgram('conformance');

/** The outcomes of each group, by its name. */
async function judged(side: string, start: StartClusterServer<ClusterServer>) {
  const { server, programs, folder, stop } = await startCluster(start, { nodes: NODES });
  const began = Date.now();
  const say = (what: string): void => {
    const minutes = ((Date.now() - began) / MS_PER_MINUTE).toFixed(1);
    process.stderr.write(
      `${side}, minute ${minutes}, load ${(loadavg()[0] ?? 0).toFixed(0)}: ${what}\n`,
    );
  };
  const until = began + Number(values.minutes) * MS_PER_MINUTE;
  const access: Access = { kubeconfig: server.kubeconfig, kubectl: programs.kubectl, folder };
  const run = async (chosen: Pick<Chosen, 'group' | 'isSerial'>): Promise<Outcomes> => {
    const outcomes = await outcomesOf(suite, access, { ...chosen, focus: values.focus, until });
    const failed = [...outcomes.values()].filter(({ why }) => why !== undefined).length;
    const alone = chosen.isSerial === true ? ', alone' : '';
    say(`${chosen.group.name}${alone}: ${String(outcomes.size)} tests, ${String(failed)} failed`);
    if (Date.now() >= until) {
      say(`${chosen.group.name}${alone}: its time was over before all had run`);
      process.exitCode = 1;
    }
    return outcomes;
  };
  say('its nodes are ready');
  try {
    const outcomes = await Promise.all(ofSuite.map((group) => run({ group })));
    for (const [nth, group] of ofSuite.entries()) {
      const alone = await run({ group, isSerial: true });
      for (const [name, outcome] of alone) outcomes[nth]?.set(name, outcome);
    }
    return outcomes;
  } finally {
    await stop();
    say('it has ended');
  }
}

const all = new Map<string, Outcomes[]>();
for (const [name, start] of Object.entries(SIDES))
  if (name === 'everwatch' || values.beside) all.set(name, await judged(name, start));

const ours = all.get('everwatch') ?? [];
const theirs = all.get('kube-apiserver');
for (const [side, groups] of all)
  for (const [name, outcome] of groups.flatMap((outcomes) => [...outcomes]))
    if (outcome.why !== undefined) console.log(`${side}: ${name}\n    ${outcome.why}`);
for (const [nth, { name }] of ofSuite.entries()) {
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
if (ours.every((outcomes) => outcomes.size === 0)) {
  console.log('no test has run');
  process.exitCode = 1;
}
