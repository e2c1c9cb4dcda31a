/**
 * Export and import with the real program: nothing is lost, nothing is left half done, and what is
 * damaged is refused before anything is changed.
 */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { type JsonValue, listAt, textAt } from '../support/json.ts';
import { run } from '../support/command.ts';
import { startServer } from '../support/server.ts';
import {
  everwatch,
  plainRecords,
  recordsIn,
  startEverwatch,
  stateOf,
  succeed,
} from './everwatch.ts';
import { startTraffic, writeHistory } from './traffic.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-archive-'));
const source = join(folder, 'source');
const archive = join(folder, 'all.ewa');
let newest = 0;

beforeAll(async () => {
  const server = await startServer({ dataDir: source });
  const client = adminClient(server);
  await writeHistory(client);
  const traffic = startTraffic(client, 'shop');
  await eventually('some traffic', () => traffic.writes() > 60 || undefined);
  await traffic.stop();
  client.close();
  await server.stop();
  newest = (await recordsIn(source)).length;
  await succeed(['export', '--data-dir', source, '-o', archive]);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function leftovers(name: string): string[] {
  return readdirSync(folder).filter((entry) => entry.startsWith(name));
}

/** A ConfigMap that a start makes, behind the one with the authorities. */
const TOKEN_TRACKING = 'kube-system/kube-apiserver-legacy-service-account-token-tracking';
/** How users are known to the server that runs: a new one has an authority of its own. */
const OF_SERVER = 'extension-apiserver-authentication';

async function everything(kubeconfig: string): Promise<JsonValue[]> {
  const client = adminClient({ kubeconfig });
  const paths = ['/api/v1/namespaces', '/api/v1/nodes', '/api/v1/pods', '/api/v1/configmaps'];
  const lists = await Promise.all(
    [...paths, '/apis/apps/v1/deployments'].map((path) => client.get(path)),
  );
  client.close();
  const items = lists.flatMap(({ body }) => listAt(body, 'items'));
  return items.filter((item) => textAt(item, 'metadata', 'name') !== OF_SERVER);
}

const hashIn = (said: string): string | undefined => /sha256:\w+/.exec(said)?.[0];

describe('a whole log', () => {
  it('comes out of an archive record by record, byte for byte', async () => {
    const dataDir = join(folder, 'restored');
    const said = await succeed(['import', archive, '--data-dir', dataDir]);

    expect(said).toContain(`imported ${String(newest)} records, up to version ${String(newest)}`);
    expect(plainRecords(await recordsIn(dataDir))).toEqual(plainRecords(await recordsIn(source)));
    expect(leftovers('restored')).toEqual(['restored']);
    const counted = `events in the log   ${String(newest)} (`;
    const verified = await succeed(['verify', '--data-dir', dataDir]);
    expect(verified).toContain(counted);
    expect(verified).toContain(`not yet applied     ${String(newest)}\n`);
    expect(verified).toContain('the store agrees with the log\n');
    const atSource = await succeed(['verify', '--data-dir', source]);
    expect(atSource).toContain(counted);
    expect(hashIn(verified)).toBe(hashIn(atSource));
  });

  it('is served by a new server as it was, with all versions', async () => {
    const dataDir = join(folder, 'served');
    await succeed(['import', archive, '--data-dir', dataDir]);
    const before = await startServer({ dataDir: source });
    const expected = await everything(before.kubeconfig);
    await before.stop();
    const server = await startServer({ dataDir });

    expect(expected.length).toBeGreaterThan(10);
    expect(await everything(server.kubeconfig)).toEqual(expected);
    const client = adminClient(server);
    const written = await client.post('/api/v1/namespaces', { metadata: { name: 'afterwards' } });
    client.close();
    expect(written.status).toBe(201);
    await server.stop();
  });

  it('is the same archive when a running server is asked', async () => {
    const copy = join(folder, 'copy');
    cpSync(source, copy, { recursive: true, filter: (path) => !path.includes('/lock.') });
    const server = await startServer({ dataDir: copy });
    const path = join(folder, 'remote.ewa');
    const to = String(newest);
    await succeed(['export', '--kubeconfig', server.kubeconfig, '--to', to, '-o', path]);
    await server.stop();
    const dataDir = join(folder, 'from-remote');
    await succeed(['import', path, '--data-dir', dataDir]);

    const expected = (await recordsIn(source)).slice(0, newest);
    expect(plainRecords(await recordsIn(dataDir))).toEqual(plainRecords(expected));
  });

  it('goes through a pipe', async () => {
    const { code, stderr } = await everwatch(['export', '--data-dir', source, '--format', 'yaml']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('a part of a log', () => {
  it('becomes a directory that was cut there, with the versions that were', async () => {
    const path = join(folder, 'range.ewa');
    const dataDir = join(folder, 'range');
    const from = 15;
    await succeed(['export', '--data-dir', source, '--from', String(from), '-o', path]);
    await succeed(['import', path, '--data-dir', dataDir, '-o', 'json']);
    const server = await startServer({ dataDir });
    const original = await startServer({ dataDir: source });

    expect(await everything(server.kubeconfig)).toEqual(await everything(original.kubeconfig));
    const client = adminClient(server);
    const watched = await client.get(
      '/api/v1/configmaps?watch=true&resourceVersion=2&timeoutSeconds=1',
    );
    expect(JSON.stringify(watched.body)).toContain('410');
    client.close();
    await server.stop();
    await original.stop();
    const all = await recordsIn(source);
    const records = await recordsIn(dataDir);
    const late = (one: { resourceVersion: number }) =>
      one.resourceVersion >= from && one.resourceVersion <= newest;
    expect(plainRecords(records.filter(late))).toEqual(plainRecords(all.filter(late)));
  });

  it('can be one moment, which goes on from there', async () => {
    const path = join(folder, 'moment.ewa');
    const dataDir = join(folder, 'moment');
    const all = await recordsIn(source);
    // Those that a start makes are there, so that the start from the moment makes none.
    const made = all.findLastIndex(({ path: one }) => one === TOKEN_TRACKING) + 1;
    await succeed(['export', '--data-dir', source, '--at', String(made), '-o', path]);
    await succeed(['import', path, '--data-dir', dataDir]);
    const server = await startServer({ dataDir });
    const client = adminClient(server);
    const before = stateOf(all.slice(0, made));
    const { body } = await client.get('/api/v1/configmaps');
    const written = await client.post('/api/v1/namespaces', { metadata: { name: 'afterwards' } });
    client.close();
    await server.stop();

    const names = listAt(body, 'items').map((item) => textAt(item, 'metadata', 'name'));
    const expected = Object.keys(before).filter((key) => key.startsWith('core/configmaps '));
    expect(names.sort()).toEqual(expected.map((key) => key.slice(key.lastIndexOf('/') + 1)).sort());
    expect(Number(textAt(written.body, 'metadata', 'resourceVersion'))).toBeGreaterThan(made);
  });

  it('becomes YAML that kubectl applies to another server', async () => {
    const path = join(folder, 'shop.yaml');
    const kinds = ['namespaces', 'configmaps', 'deployments,pods'];
    await succeed(['export', ...kinds, '--data-dir', source, '--format', 'yaml', '-o', path]);
    const server = await startServer();
    const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: server.kubeconfig };
    const applied = await run('kubectl', ['apply', '-f', path], { env });
    const client = adminClient(server);
    const { body } = await client.get('/apis/apps/v1/namespaces/shop/deployments/web');
    client.close();
    await server.stop();

    expect(applied.stderr).not.toContain('rror');
    expect(applied.code).toBe(0);
    expect(body).toMatchObject({ metadata: { labels: { app: 'web' } }, spec: { replicas: 3 } });
    const text = readFileSync(path, 'utf8');
    expect(text).not.toMatch(/^ {2}(uid|resourceVersion|managedFields|creationTimestamp):/m);
    expect(text).not.toMatch(/^status:/m);
  });

  it('becomes objects of a running server', async () => {
    const path = join(folder, 'now.ewa');
    await succeed(['export', '--data-dir', source, '--at', 'now', '-o', path]);
    const server = await startServer();
    const said = await succeed(['import', path, '--kubeconfig', server.kubeconfig, '-o', 'json']);
    const client = adminClient(server);
    const { body } = await client.get('/api/v1/namespaces/shop/pods/web-1');
    const again = await succeed(['import', path, '--kubeconfig', server.kubeconfig, '-o', 'json']);
    client.close();
    await server.stop();

    expect(JSON.parse(said)).toMatchObject({ errors: 0 });
    expect(JSON.parse(again)).toMatchObject({ errors: 0, created: 0 });
    expect(body).toMatchObject({ spec: { nodeName: 'node-1' }, status: { phase: 'Running' } });
  });
});

describe('what is refused', () => {
  it('is an archive with any byte changed, and nothing is made of it', async () => {
    const bytes = readFileSync(archive);
    const places = [0, 4, 9, 20, bytes.length >> 1, bytes.length - 300, bytes.length - 1];
    for (const at of places) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0x20;
      const path = join(folder, 'damaged.ewa');
      writeFileSync(path, damaged);
      const { code, stderr } = await everwatch([
        'import',
        path,
        '--data-dir',
        join(folder, 'never'),
      ]);

      expect({ at, code }).toEqual({ at, code: 1 });
      expect(stderr).toMatch(/^everwatch: .*damaged\.ewa: .+\n$/);
      expect(leftovers('never')).toEqual([]);
    }
  });

  it('is an archive that was cut off', async () => {
    const path = join(folder, 'cut.ewa');
    writeFileSync(path, readFileSync(archive).subarray(0, -200));
    const { code, stderr } = await everwatch(['import', path, '--data-dir', join(folder, 'never')]);

    expect(code).toBe(1);
    expect(stderr).toContain('cut off');
    expect(leftovers('never')).toEqual([]);
  });

  it('is a directory in which something is', async () => {
    const { code, stderr } = await everwatch(['import', archive, '--data-dir', source]);

    expect(code).toBe(1);
    expect(stderr).toContain('is not empty');
    expect((await recordsIn(source)).length).toBeGreaterThanOrEqual(newest);
  });

  it.each([
    [['export', '--at', '3', '--from', '2'], '--at is one moment'],
    [['export', 'pods'], 'kinds and -n choose objects of one moment'],
    [['export', '--from', '9', '--to', '3'], 'behind its end'],
    [['export', '--to', '999999'], 'there is no version 999999 yet'],
    [['export', '--at', '999999'], 'there is no version 999999 yet'],
    [['export', '--at', 'yesterday'], 'must be a version'],
  ])('is %j', async (args, why) => {
    const path = join(folder, 'no.ewa');
    const { code, stderr } = await everwatch([...args, '--data-dir', source, '-o', path]);

    expect(code).toBe(1);
    expect(stderr).toContain(why);
    expect(leftovers('no.ewa')).toEqual([]);
  });
});

it('leaves nothing half done when it is interrupted', async () => {
  const dataDir = join(folder, 'interrupted');
  const importing = startEverwatch(['import', archive, '--data-dir', dataDir]);
  await eventually('something is being done', () => {
    const hasBegun = leftovers('interrupted').length > 0;
    return hasBegun || undefined;
  });
  importing.kill('SIGINT');
  const { code } = await importing.ended;

  // It may have been done before it heard of it; then all of it is there.
  if (existsSync(dataDir)) expect(await recordsIn(dataDir)).toHaveLength(newest);
  else expect(code).toBe(130);
  expect(leftovers('interrupted').length).toBeLessThanOrEqual(1);
  expect(leftovers('interrupted').filter((entry) => entry !== 'interrupted')).toEqual([]);
});
