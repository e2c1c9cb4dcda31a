/** A log played again: to another server, and as a server whose clients see it come. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch } from '../support/http-watch.ts';
import { at, type JsonObject, listAt, textAt } from '../support/json.ts';
import { startServer } from '../support/server.ts';
import { effectiveOf, everwatch, recordsIn, startEverwatch, succeed } from './everwatch.ts';
import { startTraffic, writeHistory } from './traffic.ts';
import { MAPS, PODS, reverse, WIDGETS, writeNeedy } from './unordered.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-replay-test-'));
const source = join(folder, 'source');
const archive = join(folder, 'all.ewa');
let expected: unknown;
let newest = 0;

const PATHS = [
  '/api/v1/namespaces',
  '/api/v1/nodes',
  '/api/v1/pods',
  '/api/v1/configmaps',
  '/apis/apps/v1/deployments',
];
/** What only the server that has an object can say. */
const OWN = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields'];

/** Whom the servers of a cluster believe: a replay leaves it as it is. */
const OF_SERVER = 'extension-apiserver-authentication';

/** Everything but what must differ. */
async function stateAt(client: AdminClient): Promise<unknown> {
  const lists = await Promise.all(PATHS.map((path) => client.get(path)));
  return lists.map(({ body }) =>
    listAt(body, 'items').flatMap((item) => {
      if (textAt(item, 'metadata', 'name') === OF_SERVER) return [];
      const { metadata, ...rest } = item as JsonObject;
      const entries = Object.entries(metadata as JsonObject).filter(([key]) => !OWN.includes(key));
      return { ...rest, metadata: Object.fromEntries(entries) };
    }),
  );
}

beforeAll(async () => {
  const server = await startServer({ dataDir: source });
  const client = adminClient(server);
  await writeHistory(client);
  const traffic = startTraffic(client, 'shop');
  await eventually('some traffic', () => traffic.writes() > 40 || undefined);
  await traffic.stop();
  expected = await stateAt(client);
  client.close();
  await server.stop();
  newest = (await recordsIn(source)).length;
  await succeed(['export', '--data-dir', source, '-o', archive]);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('replay --to', () => {
  it('makes another server the same', async () => {
    const server = await startServer();
    const args = ['replay', source, '--to', server.kubeconfig, '--speed', 'max', '-o', 'json'];
    const said = await succeed(args);
    const client = adminClient(server);
    const found = await stateAt(client);
    client.close();
    await server.stop();

    expect(JSON.parse(said)).toMatchObject({ errors: 0 });
    expect(found).toEqual(expected);
  });

  it('begins with the state of a moment, and can go over what is there already', async () => {
    const server = await startServer();
    const range = ['--from', '12', '--until', String(newest), '--speed', 'max', '--strict'];
    for (let time = 0; time < 2; time += 1) {
      await succeed(['replay', archive, '--to', server.kubeconfig, ...range]);
    }
    const client = adminClient(server);
    const found = await stateAt(client);
    client.close();
    await server.stop();

    expect(found).toEqual(expected);
  });

  it('waits for Enter before each record', async () => {
    const server = await startServer();
    const args = ['replay', archive, '--to', server.kubeconfig, '--step', '--from', '6'];
    const { code, stdout, stderr } = await everwatch([...args, '-o', 'json'], '\n\n');
    await server.stop();

    expect(code).toBe(0);
    expect(stderr.split('\n').filter((line) => line.includes('[Enter]'))).toHaveLength(3);
    const told = JSON.parse(stdout) as Record<'created' | 'replaced' | 'unchanged', number>;
    expect(told.created + told.replaced + told.unchanged).toBe(
      effectiveOf((await recordsIn(source)).slice(0, 8)).length,
    );
  });
});

describe('replay --to of objects that come before what they need', () => {
  const ordered = join(folder, 'ordered');
  const reversed = join(folder, 'reversed');
  const partsOf = async (client: AdminClient): Promise<unknown> => {
    const { body: pod } = await client.get(`${PODS}/debugged`);
    const { body: widgets } = await client.get(WIDGETS);
    const names = listAt(widgets, 'items').map((one) => textAt(one, 'metadata', 'name'));
    const { body: owned } = await client.get(`${MAPS}/owned`);
    const uids = listAt(widgets, 'items').map((one) => textAt(one, 'metadata', 'uid'));
    // Uids are the server's own; to which objects they lead is not.
    const owners = listAt(owned, 'metadata', 'ownerReferences').map((one) =>
      uids.includes(textAt(one, 'uid')) ? textAt(one, 'name') : undefined,
    );
    return { names, spec: at(pod, 'spec'), owners: owners.filter((one) => one !== undefined) };
  };
  let wanted: unknown;

  beforeAll(async () => {
    const server = await startServer({ dataDir: ordered });
    const client = adminClient(server);
    await writeNeedy(client);
    wanted = await partsOf(client);
    client.close();
    await server.stop();
    await reverse(ordered, reversed);
  });

  it.each([
    ['in the order of the log', ordered],
    ['in the reverse', reversed],
  ])('makes all of them, %s', async (_, from) => {
    const server = await startServer();
    const args = ['replay', from, '--to', server.kubeconfig, '--speed', 'max', '--strict'];
    const { code, stdout, stderr } = await everwatch([...args, '-o', 'json']);
    const said = JSON.parse(stdout) as JsonObject;
    const client = adminClient(server);
    const found = await partsOf(client);
    const { body: owned } = await client.get(`${MAPS}/owned`);
    const limits = await client.get('/api/v1/namespaces/late/limitranges/limits');
    // What is there already judges what is made anew, and all of it is taken.
    const again = JSON.parse(await succeed([...args, '-o', 'json'])) as JsonObject;
    client.close();
    await server.stop();

    expect([said['errors'], again['errors']]).toEqual([0, 0]);
    expect(found).toEqual(wanted);
    expect([code, limits.status]).toEqual([0, 200]);
    expect(listAt(owned, 'metadata', 'ownerReferences')).toHaveLength(1);
    expect(stderr).toContain('late/owned is owned by Widget never, which is not there');
  });

  it('says in the end what still is not taken', async () => {
    const server = await startServer();
    const client = adminClient(server);
    const lone = join(folder, 'lone');
    await reverse(ordered, lone, ({ resource }) => resource === 'example.com/widgets');
    const args = ['replay', lone, '--to', server.kubeconfig, '--speed', 'max', '-o', 'json'];
    const { code, stdout, stderr } = await everwatch(args);
    const { status } = await client.get('/api/v1/namespaces/late');
    client.close();
    await server.stop();

    expect([code, status]).toEqual([1, 404]);
    expect(JSON.parse(stdout)).toMatchObject({
      created: 0,
      errors: 1,
      refused: {
        'example.com/widgets late/one': expect.stringContaining('does not serve') as string,
      },
    });
    expect(stderr).toContain('does not serve example.com/widgets in example.com/v1');
  });
});

describe('replay --serve', () => {
  it('shows clients that list and watch everything again, with the versions that it had', async () => {
    const flags = ['--serve', '--wait', '--secure-port', '0', '--speed', '1000'];
    const replay = startEverwatch(['replay', archive, ...flags]);
    const kubeconfig = await eventually('it serves', () => {
      return /export KUBECONFIG=(\S+)/.exec(replay.stdout())?.[1];
    });
    const client = adminClient({ kubeconfig });
    const { body: nothing } = await client.get('/api/v1/configmaps');
    const from = Number(textAt(nothing, 'metadata', 'resourceVersion'));
    const watch = await HttpWatch.open(
      client,
      `/api/v1/configmaps?resourceVersion=${String(from)}`,
    );
    await eventually('all is played', () => replay.stderr().includes('all is played') || undefined);
    const records = await recordsIn(source);
    const wanted = effectiveOf(records.slice(0, newest))
      .filter(
        ({ resource, resourceVersion }) => resource === 'core/configmaps' && resourceVersion > from,
      )
      .map(({ type, path, resourceVersion }) => `${type} ${path} ${String(resourceVersion)}`);
    await eventually('all events', () => watch.received.length >= wanted.length || undefined);
    const found = await stateAt(client);
    const written = await client.post('/api/v1/namespaces', { metadata: { name: 'no' } });
    watch.close();
    client.close();
    replay.kill('SIGINT');
    const { code } = await replay.ended;

    const seen = watch.received.map(({ type, object }) => {
      const at = (key: string) => textAt(object, 'metadata', key);
      return `${type.toLowerCase()} ${at('namespace')}/${at('name')} ${at('resourceVersion')}`;
    });
    expect([listAt(nothing, 'items'), replay.stderr()]).toEqual([
      [],
      expect.not.stringMatching(/^W/m),
    ]);
    expect(seen).toEqual(wanted);
    expect(found).toEqual(expected);
    expect(written.status).toBe(405);
    expect(code).toBe(0);
    expect(readdirSync(tmpdir())).not.toContain(kubeconfig.split('/').at(-2));
  });
});

it.each([
  [['replay', 'nowhere', '--serve'], 'no such file or directory'],
  [['replay', '.'], 'either --to KUBECONFIG or --serve'],
  [['replay', '.', '--serve', '--speed', '0'], 'above 0'],
  [['replay', '.', '--to', 'nowhere', '--wait'], '--wait goes with --serve only'],
])('refuses %j', async (args, why) => {
  const { code, stderr } = await everwatch(args);

  expect(code).toBe(1);
  expect(stderr).toContain(why);
});
