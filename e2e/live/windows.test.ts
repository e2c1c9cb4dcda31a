/** Windows and moments of the live protocol, with a client that keeps what it was shown as docs/live.md says. */
import { beforeAll, expect, it } from 'vitest';

import {
  configMap,
  created,
  deployment,
  newMaps,
  newNamespace,
  versionOf,
} from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import type { JsonObject } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import type { LiveMessage } from './live-socket.ts';
import { socketsForThisFile } from './sockets-for-this-file.ts';
import { PaintedWindow } from './painted-window.ts';

const server = serverForThisFile();
let client: AdminClient;
beforeAll(() => {
  client = adminClient(server());
});

const opened = socketsForThisFile(server);

const DATA = { name: 'Word', jsonPath: '.data.a' };

it('a window shows its rows, and then what has changed of them', async () => {
  const maps = await newMaps(client, 'a', 'b', 'c', 'd');
  const live = await opened();
  const window = { offset: 1, limit: 2 };
  live.send({ type: 'subscribe', id: 'w', path: maps, columns: ['Name', DATA], window, rate: 20 });
  const painted = new PaintedWindow(live, 'w');
  await painted.untilRows([
    ['b', '1'],
    ['c', '1'],
  ]);
  expect(painted.last).toMatchObject({ total: 4, matched: 4, offset: 1 });

  const before = live.of('w', 'rows').length;
  await client.patch(`${maps}/c`, { data: { a: 'new' } });
  await painted.untilRows([
    ['b', '1'],
    ['c', 'new'],
  ]);
  const key = `${maps.split('/')[4] ?? ''}/c`;
  const frames = live.of('w', 'rows').slice(before);
  expect(frames.map(({ cells }) => cells)).toEqual([[{ key, column: 1, cell: 'new' }]]);
  expect(frames.every(({ order, rows }) => order === undefined && rows === undefined)).toBe(true);

  await client.delete(`${maps}/b`);
  await painted.untilRows([
    ['c', 'new'],
    ['d', '1'],
  ]);
  expect(painted.last).toMatchObject({ total: 3 });
});

it('a window is sorted, filtered, counted and scrolled by the server', async () => {
  const namespace = await newNamespace(client);
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  for (const [name, replicas] of Object.entries({ web1: 3, web2: 10, db: 2, other: 2 })) {
    await created(client, path, deployment(name, replicas));
  }
  const live = await opened();
  const columns = [
    'Namespace',
    'Name',
    { name: 'Replicas', jsonPath: '.spec.replicas', type: 'integer' },
  ];
  const sort = [{ column: 'Replicas', descending: true }];
  const groups = ['Replicas'];
  live.send({
    type: 'subscribe',
    id: 'w',
    path,
    columns,
    window: { offset: 0, limit: 3, sort, groups },
  });
  const painted = new PaintedWindow(live, 'w');
  await painted.untilRows([
    [namespace, 'web2', 10],
    [namespace, 'web1', 3],
    [namespace, 'db', 2],
  ]);
  expect(painted.groups).toEqual([
    {
      column: 'Replicas',
      counts: [
        { value: '2', count: 2 },
        { value: '10', count: 1 },
        { value: '3', count: 1 },
      ],
      others: 0,
    },
  ]);

  const filter = [{ column: 'Name', contains: 'WEB' }];
  live.send({ type: 'window', id: 'w', window: { offset: 0, limit: 3, sort, filter, groups } });
  await painted.untilRows([
    [namespace, 'web2', 10],
    [namespace, 'web1', 3],
  ]);
  expect(painted.last).toMatchObject({ total: 4, matched: 2 });

  await client.patch(`${path}/web1`, { spec: { replicas: 20 } });
  await painted.untilRows([
    [namespace, 'web1', 20],
    [namespace, 'web2', 10],
  ]);
  live.send({ type: 'window', id: 'w', window: { offset: 1, limit: 3, sort, filter } });
  await painted.untilRows([[namespace, 'web2', 10]]);
  live.send({ type: 'window', id: 'w', window: { offset: 0, limit: 0, groups } });
  await painted.untilRows([]);
  expect(painted.last).toMatchObject({ total: 4, matched: 4 });
});

it('another window for a subscription that has ended meanwhile is no error', async () => {
  const live = await opened();
  const window = { offset: 0, limit: 1 };
  const path = '/apis/nothing.example/v1/things';
  live.send({ type: 'subscribe', id: 'gone', path, window });
  await live.until('its end', (one) => one.type === 'error' && one.id === 'gone');
  live.send({ type: 'window', id: 'gone', window });
  live.send({ type: 'subscribe', id: 'plain', path: '/api/v1/namespaces/default/configmaps' });
  live.send({ type: 'window', id: 'plain', window });
  const isNameless = (one: LiveMessage): boolean => one.type === 'error' && !('id' in one);
  const error = await live.until('an error of no subscription', isNameless);
  expect(JSON.stringify(error)).toContain('window: the subscription has none');
});

it.each<[string, JsonObject, string]>([
  [
    'a column that there is not',
    { columns: ['Nothing'] },
    'there is no column "Nothing": there are',
  ],
  ['a path that cannot be read', { columns: [{ name: 'x', jsonPath: '{.a' }] }, 'cannot be read'],
  [
    'a sort by what is not shown',
    { window: { offset: 0, limit: 1, sort: [{ column: 'x' }] } },
    '"x"',
  ],
  ['a place to go on from', { from: '1' }, 'from and window'],
])('%s is refused', async (_, more, part) => {
  const live = await opened();
  const path = '/api/v1/configmaps';
  live.send({ type: 'subscribe', id: 'w', path, window: { offset: 0, limit: 1 }, ...more });
  const { status } = await live.until('error', ({ type, id }) => type === 'error' && id === 'w');
  expect(status).toMatchObject({ code: 400 });
  expect((status as { message: string }).message).toContain(part);
});

it('seek moves all subscriptions to one moment, lets time run on, and comes back to now', async () => {
  const maps = await newMaps(client, 'a', 'b');
  const path = `${maps}/a`;
  const then = versionOf((await client.patch(path, { data: { a: 'then' } })).body as JsonObject);
  await client.delete(`${maps}/b`);
  await client.patch(path, { data: { a: 'now' } });
  const live = await opened();
  live.send({ type: 'subscribe', id: 's', path: maps });
  const window = { offset: 0, limit: 9 };
  live.send({ type: 'subscribe', id: 'w', path: maps, columns: ['Name', DATA], window, rate: 20 });
  const painted = new PaintedWindow(live, 'w');
  await painted.untilRows([['a', 'now']]);
  await live.untilCaughtUp('s');

  live.send({ type: 'seek', at: then });
  const moved = await live.until('moved', ({ type }) => type === 'moved');
  expect(moved).toMatchObject({ at: then, revision: then });
  expect(painted.rows).toEqual([
    ['a', 'then'],
    ['b', '1'],
  ]);
  const state = live.of('s', 'next').at(-1);
  expect(state).toMatchObject({ reset: true, initial: true, revision: then });
  expect(state?.events.map(({ object }) => object['data'])).toEqual([{ a: 'then' }, { a: '1' }]);
  // What begins in the past begins there.
  live.send({ type: 'subscribe', id: 'late', path: maps });
  expect((await live.untilCaughtUp('late')).revision).toBe(then);
  await created(client, maps, configMap('c'));

  live.send({ type: 'seek', at: then, speed: 100 });
  await live.until('now', ({ type, at }) => type === 'moved' && at === undefined);
  await painted.untilRows([
    ['a', 'now'],
    ['c', '1'],
  ]);
  await client.delete(`${maps}/c`);
  await painted.untilRows([['a', 'now']]);
  const deleted = () => live.of('s', 'next').at(-1)?.events.at(-1)?.type === 'DELETED' || undefined;
  await eventually('s is live again', deleted);
});

it('of several moves the last one counts, and a moment that there is not ends what it would move', async () => {
  const maps = await newMaps(client, 'a');
  const live = await opened();
  live.send({ type: 'subscribe', id: 's', path: maps });
  const { revision } = await live.untilCaughtUp('s');
  for (let back = 20; back >= 0; back -= 1) {
    live.send({ type: 'seek', at: String(Number(revision) - back) });
  }
  await live.until('the last one', ({ type, at }) => type === 'moved' && at === revision);
  expect(live.messages.filter(({ type }) => type === 'moved').length).toBeLessThan(21);
  live.send({ type: 'seek', at: 'yesterday' });
  const { status } = await live.until('error', ({ type, id }) => type === 'error' && id === 's');
  expect(status).toMatchObject({ code: 400 });
});

it('at shows a moment and stays there', async () => {
  const maps = await newMaps(client, 'a', 'b');
  const live = await opened();
  live.send({ type: 'subscribe', id: 's', path: maps });
  const { revision } = await live.untilCaughtUp('s');
  await client.delete(`${maps}/b`);
  live.send({ type: 'subscribe', id: 'then', path: maps, at: revision });
  await live.untilCaughtUp('then');
  expect(live.eventsOf('then')).toEqual(['ADDED a', 'ADDED b']);
  await client.delete(`${maps}/a`);
  await live.until('both deletions', () => live.eventsOf('s').length === 4);
  live.send({ type: 'ping' });
  await live.until('pong', ({ type }) => type === 'pong');
  expect(live.eventsOf('then')).toHaveLength(2);
});

it('a path of a moment that stands still stays there, as objects and as a window', async () => {
  const maps = await newMaps(client, 'a', 'b');
  const live = await opened();
  live.send({ type: 'subscribe', id: 's', path: maps });
  const { revision } = await live.untilCaughtUp('s');
  await client.delete(`${maps}/b`);
  const path = `/at/${revision}/still${maps}`;
  const window = { offset: 0, limit: 10 };
  live.send({ type: 'subscribe', id: 'then', path });
  live.send({ type: 'subscribe', id: 'rows', path, window });
  const caughtUp = await live.untilCaughtUp('then');
  const rows = await live.until('rows', ({ type, id }) => type === 'rows' && id === 'rows');
  await client.delete(`${maps}/a`);
  live.send({ type: 'subscribe', id: 'later', path, from: String(Number(revision) + 1) });
  const { status } = await live.until('a refusal', ({ id }) => id === 'later');
  await live.until('both deletions', () => live.eventsOf('s').length === 4);
  live.send({ type: 'ping' });
  await live.until('pong', ({ type }) => type === 'pong');
  expect(caughtUp.revision).toBe(revision);
  expect(live.eventsOf('then')).toEqual(['ADDED a', 'ADDED b']);
  expect(rows).toMatchObject({ revision, total: 2 });
  expect(live.messages.filter(({ id, type }) => id === 'rows' && type === 'rows')).toHaveLength(1);
  expect(status).toMatchObject({ code: 410 });
});
