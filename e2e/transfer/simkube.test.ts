/** Traces of SimKube: of a server's past, as a log, played to another server, and of that one again. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { decodeTrace, type Trace } from '../../gateway/commands/simkube/trace.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { at, type JsonObject, listAt, textAt } from '../support/json.ts';
import { startServer } from '../support/server.ts';
import { everwatch, succeed } from './everwatch.ts';
import { writeHistory } from './traffic.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-simkube-'));
const source = join(folder, 'source');
const file = join(folder, 'shop.sktrace');
let trace: Trace;

const PODS = '/api/v1/namespaces/shop/pods';
const started = '2026-01-01T00:00:00Z';

/** A pod that the deployment made, as its controllers would, and that ends. */
async function writePodOfDeployment(client: AdminClient): Promise<void> {
  const { body } = await client.get('/apis/apps/v1/namespaces/shop/deployments/web');
  const uid = textAt(body, 'metadata', 'uid');
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid }];
  const containers = [{ name: 'web', image: 'web' }];
  const made = await client.post(PODS, {
    metadata: { name: 'of-web', ownerReferences },
    spec: { containers },
  });
  expect(made.status).toBe(201);
  const state = {
    terminated: { startedAt: started, finishedAt: '2026-01-01T00:00:30Z', exitCode: 0 },
  };
  const told = { name: 'web', image: 'web', imageID: '', ready: false, restartCount: 0, state };
  const status = { containerStatuses: [told] };
  expect((await client.patch(`${PODS}/of-web/status`, { status })).status).toBe(200);
}

beforeAll(async () => {
  const server = await startServer({ dataDir: source });
  const client = adminClient(server);
  await writeHistory(client);
  await writePodOfDeployment(client);
  await client.delete('/apis/apps/v1/namespaces/shop/deployments/web');
  client.close();
  await server.stop();
  await succeed(['export', '--simkube', '--data-dir', source, '-o', file]);
  trace = decodeTrace(readFileSync(file));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const applied = (of: Trace): unknown[] => of.events.flatMap((event) => event.applied);
const names = (objects: readonly unknown[]): string[] =>
  objects.map(
    (one) =>
      `${textAt(one as JsonObject, 'kind')} ${textAt(one as JsonObject, 'metadata', 'name')}`,
  );

it('has what was applied and deleted of what has pods, and not what its owners make', () => {
  expect(names(applied(trace))).toEqual([
    'Deployment web',
    'Deployment web',
    'Pod web-1',
    'Pod web-1',
  ]);
  expect(names(trace.events.flatMap((event) => event.deleted))).toEqual(['Deployment web']);
  expect(applied(trace)[1]).toMatchObject({ spec: { replicas: 3 } });
  expect(JSON.stringify(applied(trace))).not.toMatch(
    /"(uid|resourceVersion|status|managedFields)"/,
  );
  expect([...trace.tracked.keys()].sort()).toEqual(['apps/v1.Deployment', 'v1.Pod']);
  expect([...trace.index.keys()].sort()).toEqual(['apps/v1.Deployment', 'v1.Pod']);
});

it('has the life of the pods of each object', () => {
  const { ts } = trace.events[0] ?? { ts: 0 };
  const lives = trace.lives.map(({ kind, name, byHash }) => ({
    kind,
    name,
    lives: [...byHash.values()],
  }));

  // The pod had ended before the trace begins, by what its status says.
  expect(Date.parse(started) / 1_000).toBeLessThan(ts);
  expect(lives).toEqual([]);
});

it('becomes a log, which is the same trace again', async () => {
  const dataDir = join(folder, 'imported');
  const again = join(folder, 'again.sktrace');
  await succeed(['import', file, '--data-dir', dataDir]);
  await succeed(['export', '--simkube', '--data-dir', dataDir, '-o', again]);
  const other = decodeTrace(readFileSync(again));

  const withoutEmpty = (of: Trace) =>
    of.events.filter((event) => event.applied.length + event.deleted.length > 0);
  expect(withoutEmpty(other)).toEqual(withoutEmpty(trace));
  expect([other.index, other.tracked]).toEqual([trace.index, trace.tracked]);
});

it('is played to a server, with the namespaces that it needs', async () => {
  const server = await startServer();
  const client = adminClient(server);
  const said = await everwatch(['replay', file, '--to', server.kubeconfig, '--speed', 'max']);
  const { body: pod } = await client.get(`${PODS}/web-1`);
  const { body: left } = await client.get('/apis/apps/v1/namespaces/shop/deployments');
  client.close();
  await server.stop();

  expect([said.code, said.stdout]).toEqual([0, expect.stringContaining('0 errors')]);
  expect(at(pod, 'spec', 'nodeName')).toBe('node-1');
  expect(listAt(left, 'items')).toEqual([]);
});

it('can be of other kinds', async () => {
  const path = join(folder, 'maps.sktrace');
  await succeed(['export', 'cm', '-n', 'shop', '--simkube', '--data-dir', source, '-o', path]);
  const maps = decodeTrace(readFileSync(path));

  expect([...new Set(names(applied(maps)))]).toEqual([
    'ConfigMap one',
    'ConfigMap two',
    'ConfigMap three',
  ]);
  expect([...maps.tracked.keys()]).toEqual([]);
});

it.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, -40)],
  [
    'of another version',
    (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 9), Buffer.from([3]), bytes.subarray(10)]),
  ],
])('is refused when it is %s, and nothing is made of it', async (_, damage) => {
  const path = join(folder, 'damaged.sktrace');
  writeFileSync(path, damage(readFileSync(file)));
  const said = await everwatch(['import', path, '--data-dir', join(folder, 'never')]);

  expect([said.code, said.stdout]).toEqual([1, '']);
  expect(said.stderr).toMatch(/^everwatch: .*damaged\.sktrace: .+\n$/);
});
