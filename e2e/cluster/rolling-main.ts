/**
 * `npm run robustness:rolling -- [--nodes 100] [--pods 2500] [--rounds 1]`: two servers on one topic of a real Kafka are
 * replaced one after another, under kube-controller-manager, kube-scheduler and the nodes of KWOK, which run as many
 * pods for each replacement. Prints how many events a watcher of the pods saw and missed, and how many writes of
 * client-go failed and were lost, and what the servers did around each failure; code 1 where there is one. Needs Go and a Kafka.
 */
import { loadavg } from 'node:os';

import { goProgram } from '../support/go-program.ts';
import { startKafka } from '../support/kafka-broker.ts';
import { RollingCluster } from './rolling.ts';
import { runArguments } from '../../run-arguments.ts';

const { values } = runArguments(import.meta.filename, {
  options: {
    nodes: { type: 'string', default: '100' },
    pods: { type: 'string', default: '2500' },
    rounds: { type: 'string', default: '1' },
  },
});
const TIMEOUT_MS = 30 * 60_000;
/** Of the moment that a failure begins with. */
const TO_THE_SECOND = '2026-01-01T00:00:00'.length;

const writer = await goProgram('writer-check');
const kafka = await startKafka();
try {
  const cluster = await RollingCluster.start(kafka.bootstrap, writer, {
    nodes: Number(values.nodes),
    podsOfOne: Number(values.pods),
    rounds: Number(values.rounds),
    timeoutMs: TIMEOUT_MS,
  });
  const began = performance.now();
  try {
    const judged = await cluster.replaced();
    const { pods, writes, failures, lost, moves, seen, told, looks } = judged;
    const were = new Set(seen);
    const missed = told.filter((line) => !were.has(line)).length;
    const doubled = seen.length - were.size;
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    const [load = 0] = loadavg();
    console.log(
      `${String(pods)} pods, ${values.rounds} × 2 replacements, ${seconds} s, load ${load.toFixed(0)}`,
    );
    console.log(
      `events of pods: ${String(seen.length)} seen, ${String(missed)} missed, ${String(doubled)} doubled; ` +
        `the watcher went on ${String(moves)} times`,
    );
    console.log(
      `writes: ${String(writes)}, ${String(failures.length)} failed, ${String(lost.length)} lost`,
    );
    console.log(looks.slowest());
    for (const failure of failures.slice(0, 10)) console.log(failure);
    const moments = new Set(failures.slice(0, 10).map((one) => one.slice(0, TO_THE_SECOND)));
    const around = [...moments].flatMap((moment) => looks.around(Date.parse(`${moment}Z`)));
    for (const line of around) console.log(line);
    if (missed + doubled + failures.length + lost.length > 0) process.exitCode = 1;
  } finally {
    await cluster.stop();
  }
} finally {
  await kafka.stop();
}
