/**
 * Replicas of the server are replaced one after another while a whole cluster works on them through a
 * load balancer: no watcher misses an event, and no client is given a failure.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { componentFiles } from '../control-plane/component.ts';
import { ReplicaGroup } from '../kafka/replica-group.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { Balancer } from '../support/balancer.ts';
import { type RunningCommand, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch, versionOf } from '../support/http-watch.ts';
import { at, listAt, parseJson } from '../support/json.ts';
import type { KafkaCluster } from '../support/kafka-broker.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith, needs } from '../support/requirements.ts';
import type { RunningServer } from '../support/server.ts';
import { HOME } from './cluster.ts';
import { flagsForComponents, startComponents } from './components.ts';
import { nodeObject } from './kwok.ts';
import { workload } from './objects.ts';
import { clusterPrograms } from './programs.ts';
import { lineOf, type Seen, Witness } from './witness.ts';

const PODS = '/api/v1/namespaces/default/pods';
const PODS_OF_ONE = 20;
const NODES = 4;
/** Each replica is replaced so often. */
const ROUNDS = 1;
const PATIENCE = { timeoutMs: 240_000, everyMs: 100 };

/** As writer-check prints it. */
interface Written {
  readonly writes: number;
  readonly failures: readonly string[];
  readonly lost: readonly string[];
}

const programs = await clusterPrograms();
const kafkaStarter = await needs('kafka');

await describeWith('writer-check', 'a rolling replacement under a whole cluster', (writer) => {
  if (programs === undefined || kafkaStarter === undefined) return;
  const files = componentFiles();
  const running: RunningCommand[] = [];
  let kafka: KafkaCluster;
  let replicas: ReplicaGroup;
  let servers: RunningServer[];
  let balancer: Balancer;
  let client: AdminClient;
  let front: Pick<RunningServer, 'kubeconfig' | 'dataDir'>;
  const kubectl = kubectlFor(programs.kubectl, () => front);

  beforeAll(async () => {
    kafka = await kafkaStarter();
    replicas = new ReplicaGroup(kafka.bootstrap);
    const args = [...flagsForComponents(files), '--shutdown-delay-duration=1s'];
    const start = () => replicas.start('rolling', { args, controllers: '*' });
    const [one, two] = [await start(), await start()];
    servers = [one.server, two.server];
    balancer = await Balancer.start(servers.map(({ url }) => url));
    const kubeconfig = join(replicas.directory, 'front.kubeconfig');
    const text = readFileSync(one.server.kubeconfig, 'utf8');
    writeFileSync(kubeconfig, text.replaceAll(one.server.url, balancer.url));
    front = { kubeconfig, dataDir: one.server.dataDir };
    client = adminClient(front);
    running.push(...(await startComponents(programs, files, kubectl, front)));
    for (let nth = 0; nth < NODES; nth += 1)
      await client.post('/api/v1/nodes', nodeObject(`node-${String(nth)}`, { labels: HOME }));
  });

  afterAll(async () => {
    for (const one of running) one.kill();
    await Promise.all(running.map(({ ended }) => ended));
    client.close();
    await balancer.stop();
    await replicas.stop();
    await kafka.stop();
  });

  const readyPods = async (): Promise<number> => {
    const { body } = await client.get('/apis/apps/v1/namespaces/default/deployments');
    const ready = (one: unknown): number =>
      Number(at(one as never, 'status', 'readyReplicas') ?? 0);
    return listAt(body, 'items').reduce<number>((sum, one) => sum + ready(one), 0);
  };

  it('loses no event of a watch and fails no write', async () => {
    const env = { ...process.env, KUBECONFIG: front.kubeconfig };
    const writing = startCommand(writer, [], { env });
    const witness = await Witness.start(client, PODS);
    let made = 0;
    for (let round = 0; round < ROUNDS; round += 1)
      for (const server of servers) {
        const name = `web-${String((made += 1))}`;
        const spec = { replicas: PODS_OF_ONE };
        await kubectl('create -f -', {
          input: JSON.stringify(workload('Deployment', name, { spec })),
        });
        await server.restart();
      }
    const wanted = made * PODS_OF_ONE;
    await eventually(
      `${String(wanted)} pods run`,
      async () => (await readyPods()) === wanted || undefined,
      PATIENCE,
    );
    await kubectl('delete deployments --all');
    const noneIsLeft = async () =>
      listAt((await client.get(PODS)).body, 'items').length === 0 || undefined;
    await eventually('no pod is left', noneIsLeft, PATIENCE);
    writing.kill();
    const { writes, failures, lost } = parseJson(
      (await writing.ended).stdout,
    ) as unknown as Written;
    await witness.stop();
    expect({ failures, lost }).toEqual({ failures: [], lost: [] });
    expect(writes).toBeGreaterThan(100);
    expect(witness.moves).toBeGreaterThan(0);
    expect(witness.seen.filter((line) => line.startsWith('DELETED'))).toHaveLength(wanted);
    expect(witness.seen).toEqual(await toldAgain(client, witness));
  });
});

/** What a watch of now shows of the same time. */
async function toldAgain(client: AdminClient, { from, seen }: Witness): Promise<Seen[]> {
  const last = seen.at(-1) ?? '';
  const watch = await HttpWatch.open(client, `${PODS}?resourceVersion=${from}`);
  await watch.until(last, (event) => last.endsWith(`@${versionOf(event)}`));
  watch.close();
  return watch.received.map(lineOf);
}
