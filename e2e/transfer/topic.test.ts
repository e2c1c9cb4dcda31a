/** Archives into a topic of a real broker and out of one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import type { KafkaCluster } from '../support/kafka-broker.ts';
import { listAt } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { startServer } from '../support/server.ts';
import { everwatch, plainRecords, recordsIn, succeed } from './everwatch.ts';
import { writeHistory } from './traffic.ts';

await describeWith('kafka', 'archives and topics', (startKafka) => {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-topic-'));
  const source = join(folder, 'source');
  const archive = join(folder, 'all.ewa');
  let cluster: KafkaCluster;
  let url = '';

  beforeAll(async () => {
    cluster = await startKafka();
    url = `kafka://${cluster.bootstrap.join()}/imported`;
    const server = await startServer({ dataDir: source });
    const client = adminClient(server);
    await writeHistory(client);
    client.close();
    await server.stop();
    await succeed(['export', '--data-dir', source, '-o', archive]);
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await cluster.stop();
  });

  it('go into a topic and come out again, byte for byte', async () => {
    await succeed(['import', archive, '--log', url]);
    const again = join(folder, 'again.ewa');
    const dataDir = join(folder, 'again');
    const { length } = await recordsIn(source);
    await succeed(['export', '--log', url, '--to', String(length), '-o', again]);
    await succeed(['import', again, '--data-dir', dataDir]);

    expect(plainRecords(await recordsIn(dataDir))).toEqual(plainRecords(await recordsIn(source)));
  });

  it('are replayed from a topic', async () => {
    const server = await startServer();
    await succeed(['replay', url, '--to', server.kubeconfig, '--speed', 'max', '--strict']);
    const client = adminClient(server);
    const { body } = await client.get('/api/v1/namespaces/shop/configmaps');
    client.close();
    await server.stop();

    expect(listAt(body, 'items')).toHaveLength(2);
  });

  it('are refused where they do not fit', async () => {
    const range = join(folder, 'range.ewa');
    await succeed(['export', '--data-dir', source, '--from', '5', '-o', range]);
    const full = await everwatch(['import', archive, '--log', url]);
    const late = await everwatch(['import', range, '--log', url.replace('/imported', '/another')]);

    expect(full.stderr).toContain('is not empty');
    expect(late.stderr).toContain('a topic begins at version 1');
    expect([full.code, late.code]).toEqual([1, 1]);
  });
});
