/**
 * What the compose file and the chart start, started: brokers with their settings, servers with their
 * flags, the topic of the manifest, and the probe. Only addresses and folders are others.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { type CommandResult, run } from '../support/command.ts';
import { at } from '../support/json.ts';
import type { KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith, needs } from '../support/requirements.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import {
  containerOf,
  DEPLOY,
  documentsOf,
  helmFor,
  ofKind,
  parsedYaml,
  rendered,
  textEntriesAt,
  wordsAt,
} from './chart.ts';

const helmProgram = await needs('helm');
const compose = parsedYaml(readFileSync(join(DEPLOY, 'compose/compose.yaml'), 'utf8'));
const topic = parsedYaml(readFileSync(join(DEPLOY, 'kubernetes/kafka-topic.yaml'), 'utf8'));
const MAPS = '/api/v1/namespaces/default/configmaps';

/** The settings of the compose file's first broker, but for those that say where it is. */
function brokerProperties(): Record<string, string> {
  const places = /LISTENER|VOTERS|NODE_ID|PROCESS_ROLES|LOG_DIRS|HEAP/;
  const variables = textEntriesAt(compose, 'services', 'kafka-1', 'environment');
  return Object.fromEntries(
    variables
      .filter(([name]) => name.startsWith('KAFKA_') && !places.test(name))
      .map(([name, value]) => [name.slice(6).toLowerCase().replaceAll('_', '.'), value]),
  );
}

await describeWith('kafka', 'what is deployed', (startKafka) => {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-deploy-'));
  const keyFile = join(folder, 'key');
  const helm = helmFor(helmProgram ?? '');
  let cluster: KafkaCluster;

  beforeAll(async () => {
    writeFileSync(keyFile, 'no more than a secret for tests');
    cluster = await startKafka({ brokers: 3, properties: brokerProperties() });
  });

  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => {
      console.error(cluster.logs());
    });
  });

  afterAll(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true });
  });

  /** The flags, with the addresses and folders of this machine. */
  function here(args: readonly string[]): string[] {
    const ours = args.filter((arg) => !/^(?:serve$|--data-dir=|--bind-address=)/.test(arg));
    return ours.map((arg) =>
      arg
        .replace(/kafka:\/\/[^/]*/, `kafka://${cluster.bootstrap.join()}`)
        .replace(/^--key-file=.*/, `--key-file=${keyFile}`),
    );
  }

  function probe(server: RunningServer, path: string): Promise<CommandResult> {
    const port = new URL(server.url).port;
    return run(process.execPath, [join(DEPLOY, 'probe.mjs'), path, server.dataDir, port]);
  }

  async function areReplicas(args: readonly string[]): Promise<void> {
    const servers: RunningServer[] = [];
    try {
      servers.push(await startServer({ args }));
      servers.push(await startServer({ args }));
      const clients = servers.map((server) => adminClient(server));
      for (const [index, client] of clients.entries()) {
        const name = `from-${String(index)}`;
        const made = await client.post(MAPS, { metadata: { name }, data: { a: 'b' } });
        expect(made.status, servers[index]?.logs() ?? '').toBe(201);
        for (const other of clients) {
          const { status, body } = await other.get(`${MAPS}/${name}`);
          expect({ status, body }).toEqual({ status: 200, body: made.body });
        }
      }
      const [first, second] = servers;
      if (first === undefined || second === undefined) throw new Error('Two were started.');
      expect(await probe(first, '/readyz')).toMatchObject({ code: 0, stderr: '' });
      expect(await probe(second, '/livez')).toMatchObject({ code: 0, stderr: '' });
      expect((await probe(second, '/nowhere')).code).toBe(1);
      for (const client of clients) client.close();
      await second.kill9();
      expect(await probe(second, '/livez')).toMatchObject({ code: 1 });
    } finally {
      await Promise.all(servers.map((server) => server.kill9().then(() => server.stop())));
    }
  }

  it('by the compose file: two replicas that share all they need', async () => {
    await areReplicas(here(wordsAt(compose, 'services', 'everwatch-1', 'command')));
  });

  describe('by the chart', () => {
    it('is content with the topic of the manifest: two replicas, again', async () => {
      expect(at(topic, 'spec', 'partitions')).toBe(1);
      expect(at(topic, 'spec', 'replicas')).toBe(3);
      const config = Object.fromEntries(textEntriesAt(topic, 'spec', 'config'));
      await cluster.createTopic('by-hand', config);

      const values = 'kafka: { brokers: ["a:1"], topic: by-hand }';
      const statefulSet = ofKind(documentsOf(await rendered(helm, values)), 'StatefulSet');
      await areReplicas(here(wordsAt(containerOf(statefulSet), 'args')));
    });

    it('would not start on a topic with other settings', async () => {
      await cluster.createTopic('compacted', { 'cleanup.policy': 'compact' });
      const values = 'kafka: { brokers: ["a:1"], topic: compacted }';
      const statefulSet = ofKind(documentsOf(await rendered(helm, values)), 'StatefulSet');
      const args = here(wordsAt(containerOf(statefulSet), 'args'));
      const starting = startServer({ args }).then((server) => server.stop());
      await expect(starting).rejects.toThrow(/cleanup\.policy=compact/);
    });
  });
});
