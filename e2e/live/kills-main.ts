/**
 * Places to go on from, at their full size: `npm run robustness:live -- [--kills 200] [--on embedded|kafka]`. The
 * server that a live client is connected with is killed again and again, on the embedded log and of two
 * on one topic of a real Kafka; code 1 where an event was missed or came twice.
 */
import { loadavg } from 'node:os';

import { ReplicaGroup } from '../kafka/replica-group.ts';
import { QUICK_FAILOVER, startKafka } from '../support/kafka-broker.ts';
import { startServer } from '../support/server.ts';
import { killedWhileFollowing, type KillsJudged } from './kills.ts';
import type { Gap } from './resuming-client.ts';
import { runArguments } from '../../run-arguments.ts';

const { values } = runArguments(import.meta.filename, {
  options: {
    kills: { type: 'string', default: '200' },
    on: { type: 'string', default: 'embedded,kafka' },
  },
});
const kills = Number(values.kills);
/** What took longer is told one by one. */
const LONG_MS = 500;

const RUNS: Readonly<Record<string, () => Promise<KillsJudged>>> = {
  async embedded() {
    const server = await startServer();
    try {
      return await killedWhileFollowing([server], kills);
    } finally {
      await server.stop();
    }
  },
  async kafka() {
    const cluster = await startKafka({ properties: QUICK_FAILOVER });
    const replicas = new ReplicaGroup(cluster.bootstrap);
    try {
      const started = [await replicas.start('live'), await replicas.start('live')];
      return await killedWhileFollowing(
        started.map(({ server }) => server),
        kills,
      );
    } finally {
      await replicas.stop();
      await cluster.stop();
    }
  },
};

function gapText(gap: Gap | undefined): string {
  if (gap === undefined) return '-';
  const { reasons, connectedMs, resumedMs } = gap;
  const attempt = String(reasons.length);
  const connected = `${connectedMs.toFixed(0)} until it was connected, by attempt ${attempt}`;
  return `${resumedMs.toFixed(0)} ms (${connected})`;
}

let isBroken = false;
for (const name of values.on.split(',')) {
  const run = RUNS[name];
  if (run === undefined) throw new Error(`there is no log ${name}`);
  const { events, missed, doubled, isInOrder, gaps } = await run();
  const [median, longest] = [gaps[Math.floor(gaps.length / 2)], gaps.at(-1)];
  console.log(
    `${name}: ${String(kills)} kills, ${String(events)} events, ${String(missed.length)} missed, ` +
      `${String(doubled.length)} doubled, ${isInOrder ? 'in order' : 'OUT OF ORDER'}; resumed after ` +
      `${gapText(median)} in the middle, ${gapText(longest)} at most (load ${loadavg()[0]?.toFixed(1) ?? ''})`,
  );
  for (const gap of gaps.filter(({ resumedMs }) => resumedMs > LONG_MS)) {
    console.log(`  ${gapText(gap)}: ${gap.reasons.join('; ')}`);
  }
  isBroken ||= missed.length > 0 || doubled.length > 0 || !isInOrder;
}
process.exit(isBroken ? 1 : 0);
