/** The tools on a topic in Kafka: with its server running or not, they say what the server says. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import type { KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith } from '../support/requirements.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { everwatchWith, linesIn } from './everwatch.ts';
import { liveOn, type Life } from './life.ts';

await describeWith('kafka', 'the tools on a topic', (startKafka) => {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-topic-'));
  const everwatch = everwatchWith(() => ({ TMPDIR: folder }));
  let cluster: KafkaCluster;
  let server: RunningServer;
  let life: Life;
  let log: string[];

  beforeAll(async () => {
    cluster = await startKafka();
    const url = `kafka://${cluster.bootstrap.join(',')}/plane`;
    log = ['--log', url];
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, 'a secret that all servers share');
    server = await startServer({ args: [...log, '--key-file', keyFile] });
    const client = adminClient(server);
    life = await liveOn(client, 'shop');
    client.close();
  });
  afterAll(async () => {
    await server.stop();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('say what the server says, and leave nothing behind', async () => {
    const there = ['--kubeconfig', server.kubeconfig];
    const questions = [
      ['history', 'deploy/web', '-n', 'shop', '-o', 'jsonl'],
      ['blame', 'deploy/web', '-n', 'shop'],
      ['diff', '--from', String(life.created), '--to', String(life.otherSecret), '-o', 'json'],
      ['tail', '--from', '0', '--to', String(life.otherSecret), '--all'],
    ];
    for (const question of questions) {
      expect(await everwatch(...question, ...log)).toBe(await everwatch(...question, ...there));
    }
    expect(await everwatch('status', ...log)).toContain('(kafka)\nversions    1 (20');
    expect(await everwatch('status', ...there)).toMatch(
      /\(kafka\)\n[^]*\nlag {9}0 events, 0 ms\nconnection {2}connected\n/,
    );
    const hashes = await Promise.all(
      [log, there].map(
        async (place) => /sha256:\w+/.exec(await everwatch('verify', ...place))?.[0],
      ),
    );
    expect(hashes[0]).toMatch(/^sha256:/);
    expect(hashes[0]).toBe(hashes[1]);
    expect(readdirSync(folder).filter((name) => name.startsWith('everwatch-log-'))).toEqual([]);
  });

  it('follow the topic', async () => {
    const tail = everwatch.start('tail', 'configmaps', '-n', 'shop', '--from', '0', ...log);
    const client = adminClient(server);
    await client.post('/api/v1/namespaces/shop/configmaps', { metadata: { name: 'new' } });
    client.close();
    await eventually('new', () => tail.stdout().includes('"name":"new"') || undefined);
    tail.kill('SIGINT');
    const { code, stdout } = await tail.ended;
    expect(code).toBe(130);
    expect(linesIn(stdout)).toHaveLength(1);
    expect(readdirSync(folder).filter((name) => name.startsWith('everwatch-log-'))).toEqual([]);
  });

  it('do not make a topic that is not there', async () => {
    const none = ['--log', `kafka://${cluster.bootstrap.join(',')}/none`];
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { code, stderr } = await everwatch.attempt('status', ...none);
      expect([code, stderr]).toEqual([1, 'everwatch: there is no topic none\n']);
    }
  });

  it('say so when no broker answers', async () => {
    const { code, stderr } = await everwatch.attempt(
      'status',
      '--log',
      'kafka://127.0.0.1:1/plane',
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/^everwatch: .*127\.0\.0\.1:1/);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
