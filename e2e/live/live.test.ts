/**
 * The live protocol with a real client: the state, changes, one order, resuming, credit, rights, and
 * what makes no sense.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { configMap, created, mapsIn, newMaps, newNamespace, versionOf } from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, type JsonObject } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { bearerProtocol } from '../support/websocket-watch.ts';
import { LiveSocket, PROTOCOL } from './live-socket.ts';
import { socketsForThisFile } from './sockets-for-this-file.ts';

const BOB = 'bob-token';
const folder = mkdtempSync(join(tmpdir(), 'everwatch-tokens-'));
const tokens = join(folder, 'tokens.csv');
writeFileSync(tokens, `${BOB},bob,u2\n`, { mode: 0o600 });
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const server = serverForThisFile({
  args: ['--token-auth-file', tokens, '--authorization-mode', 'RBAC'],
  controllers: 'clusterrole-aggregation-controller',
});
let client: AdminClient;
beforeAll(() => {
  client = adminClient(server());
});

const opened = socketsForThisFile(server);

it('the objects of now come first, then the changes, and the rest behind a lost connection', async () => {
  const maps = await newMaps(client, 'a', 'b');
  const live = await opened();
  expect(live.protocol).toBe(PROTOCOL);
  live.send({ type: 'subscribe', id: 's0', path: maps });
  const { revision } = await live.untilCaughtUp('s0');
  expect(live.eventsOf('s0')).toEqual(['ADDED a', 'ADDED b']);
  expect(live.messages[0]?.type).toBe('welcome');
  expect(live.of('s0', 'next')[0]).toMatchObject({ reset: true, initial: true, revision });

  await client.patch(`${maps}/a`, { data: { a: '2' } });
  const seen = await live.until(
    'the change',
    ({ events, initial }) => !initial && events.length > 0,
  );
  expect(live.eventsOf('s0').slice(2)).toEqual(['MODIFIED a']);
  live.terminate();

  await client.delete(`${maps}/b`);
  await created(client, maps, configMap('c'));
  const again = await opened();
  again.send({ type: 'subscribe', id: 's0', path: maps, from: seen.revision });
  await again.untilCaughtUp('s0');
  expect(again.eventsOf('s0')).toEqual(['DELETED b', 'ADDED c']);
});

it('an empty state is one frame that voids what was shown', async () => {
  const live = await opened();
  live.send({ type: 'subscribe', id: 'none', path: mapsIn(await newNamespace(client)) });
  await live.untilCaughtUp('none');
  expect(live.of('none', 'next')).toMatchObject([{ reset: true, initial: true, events: [] }]);
});

it('selectors let in what they let in for a watch', async () => {
  const maps = await newMaps(client, 'other');
  const live = await opened();
  live.send({ type: 'subscribe', id: 's', path: maps, query: 'labelSelector=tier%3Dweb' });
  await live.untilCaughtUp('s');
  await created(client, maps, configMap('web', {}, { labels: { tier: 'web' } }));
  await client.patch(`${maps}/web`, { metadata: { labels: { tier: 'db' } } });
  await live.until('it has left', ({ events }) => events.at(-1)?.type === 'DELETED');
  expect(live.eventsOf('s')).toEqual(['ADDED web', 'DELETED web']);
});

it('messages of all live subscriptions come in the order of their revisions', async () => {
  const namespace = await newNamespace(client);
  const live = await opened();
  const paths = ['configmaps', 'secrets', 'serviceaccounts'].map(
    (one) => `/api/v1/namespaces/${namespace}/${one}`,
  );
  for (const [index, path] of [...paths, mapsIn(namespace)].entries()) {
    live.send({ type: 'subscribe', id: `s${String(index)}`, path });
  }
  for (const id of ['s0', 's1', 's2', 's3']) await live.untilCaughtUp(id);
  const before = live.messages.length;
  const kinds = { configmaps: 'ConfigMap', secrets: 'Secret', serviceaccounts: 'ServiceAccount' };
  const writes = Array.from({ length: 60 }, async (_, index) => {
    const [resource = '', kind = ''] = Object.entries(kinds)[index % 3] ?? [];
    const object = { apiVersion: 'v1', kind, metadata: { name: `n${String(index)}` } };
    await created(client, `/api/v1/namespaces/${namespace}/${resource}`, object);
  });
  await Promise.all(writes);
  const events = () => live.messages.slice(before).flatMap(({ events: some }) => some);
  await eventually('all events', () => (events().length >= 80 ? true : undefined));
  const revisions = events().map(({ object }) => Number(versionOf(object)));
  expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
  expect(events()).toHaveLength(80);
});

it('credit holds a subscription up until the client acks', async () => {
  const maps = await newMaps(client);
  const live = await opened();
  live.send({ type: 'subscribe', id: 'slow', path: maps, credit: 2 });
  live.send({ type: 'subscribe', id: 'fast', path: maps });
  await live.untilCaughtUp('fast');
  await live.untilCaughtUp('slow');
  for (let index = 0; index < 8; index += 1) {
    await created(client, maps, configMap(`m${String(index)}`));
    const sent = index + 1;
    await live.until('the event', () => live.eventsOf('fast').length >= sent);
  }
  expect(live.eventsOf('slow').length).toBeLessThan(live.eventsOf('fast').length);
  const acked = new Set<string>();
  await eventually('all of them', () => {
    for (const { revision } of live.of('slow', 'next')) {
      if (acked.has(revision)) continue;
      acked.add(revision);
      live.send({ type: 'ack', id: 'slow', revision });
    }
    return live.eventsOf('slow').length === 8 ? true : undefined;
  });
  expect(live.eventsOf('slow')).toEqual(live.eventsOf('fast'));
});

it('a subscription is allowed what the watch is allowed, and ends with the right', async () => {
  const mine = await newMaps(client, 'mine');
  const theirs = await newMaps(client, 'theirs');
  const namespace = mine.split('/')[4] ?? '';
  const rights = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] }];
  await created(client, `${rights}/roles`, {
    apiVersion,
    kind: 'Role',
    metadata: { name: 'r' },
    rules,
  });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }];
  const binding = { apiVersion, kind: 'RoleBinding', metadata: { name: 'b' }, roleRef, subjects };
  await created(client, `${rights}/rolebindings`, binding);

  const live = await opened({ protocols: [PROTOCOL, bearerProtocol(BOB)], token: '' });
  expect(live.protocol).toBe(PROTOCOL);
  live.send({ type: 'subscribe', id: 'theirs', path: theirs });
  live.send({ type: 'subscribe', id: 'past', path: `/at/1${theirs}` });
  live.send({ type: 'subscribe', id: 'log', path: '/everwatch/v1/log', query: '' });
  for (const id of ['theirs', 'past', 'log']) {
    const { status } = await live.until(`a refusal of ${id}`, (one) => one.id === id);
    expect(status).toMatchObject({ code: 403, reason: 'Forbidden' });
  }
  live.send({ type: 'subscribe', id: 'mine', path: mine });
  await live.untilCaughtUp('mine');
  expect(live.eventsOf('mine')).toEqual(['ADDED mine']);

  await client.delete(`${rights}/rolebindings/b`);
  const ended = await live.until('the end', ({ type, id }) => type === 'error' && id === 'mine');
  expect(ended['status']).toMatchObject({ code: 403 });
  await created(client, mine, configMap('unseen'));
  live.send({ type: 'ping' });
  await live.until('pong', ({ type }) => type === 'pong');
  expect(live.eventsOf('mine')).toEqual(['ADDED mine']);
});

it.each<[string, JsonObject, number, string]>([
  ['an object', { path: '/api/v1/namespaces/a/pods/x' }, 400, 'collection'],
  ['a subresource', { path: '/api/v1/namespaces/a/pods/x/log' }, 400, 'collection'],
  ['another query', { path: '/api/v1/pods', query: 'timeoutSeconds=1' }, 400, 'timeoutSeconds'],
  ['a query in the path', { path: '/api/v1/pods?watch=0' }, 400, 'path is none'],
  ['an escape in the path', { path: '/api/v1/%70ods' }, 400, 'path is none'],
  ['no revision', { path: '/api/v1/pods', from: 'abc' }, 400, 'from'],
  ['itself', { path: '/everwatch/v1/live' }, 400, 'itself'],
  ['a property that is not known', { path: '/api/v1/pods', form: 1 }, 400, 'form is not known'],
  ['what there is not', { path: '/apis/no.such/v1/things' }, 404, 'could not find'],
])('a subscription to %s is refused under its id', async (_, more, code, part) => {
  const live = await opened();
  live.send({ type: 'subscribe', id: 'x', ...more });
  const { status } = await live.until('error', ({ type, id }) => type === 'error' && id === 'x');
  expect(status).toMatchObject({ kind: 'Status', code });
  expect((status as { message: string }).message).toContain(part);
});

it.each([
  ['what is no JSON', '{', 4400],
  ['a list', '[]', 4400],
  ['a type that there is not', '{"type":"toString"}', 4400],
  ['bytes', Buffer.from('{"type":"ping"}'), 4400],
  ['a message that is too long', `{"type":"ping","x":"${'x'.repeat(70_000)}"}`, 1009],
])('%s closes the socket', async (_, message, code) => {
  const live = await opened();
  live.sendText(message);
  expect(await live.closed).toBe(code);
});

it('an id that is in use closes the socket; one that was given back is free', async () => {
  const live = await opened();
  const path = await newMaps(client);
  live.send({ type: 'subscribe', id: 'x', path });
  live.send({ type: 'unsubscribe', id: 'x' });
  await live.until('complete', ({ type, id }) => type === 'complete' && id === 'x');
  live.send({ type: 'subscribe', id: 'x', path });
  live.send({ type: 'subscribe', id: 'x', path });
  expect(await live.closed).toBe(4409);
});

it('without the subprotocol there is no live connection', async () => {
  await expect(LiveSocket.open(server(), { protocols: ['other'] })).rejects.toThrow('400');
  await expect(LiveSocket.open(server(), { token: 'wrong' })).rejects.toThrow('401');
  expect((await client.get('/everwatch/v1/live')).status).toBe(400);
});

it('the log of one object is a subscription, which completes at its end', async () => {
  const maps = await newMaps(client, 'told');
  await client.patch(`${maps}/told`, { data: { a: '2' } });
  const query = `resource=core/configmaps&path=${maps.split('/')[4] ?? ''}/told&effectiveOnly=true`;
  const live = await opened();
  live.send({ type: 'subscribe', id: 'life', path: '/everwatch/v1/log', query });
  await live.until('complete', ({ type }) => type === 'complete');
  const lines = live.of('life', 'next').flatMap(({ events }) => events);
  expect(lines.map(({ type, object }) => [type, object['type']])).toEqual([
    ['LINE', 'added'],
    ['LINE', 'modified'],
  ]);
  expect(live.of('life', 'next').at(-1)?.revision).toBe(
    JSON.stringify(lines.at(-1)?.object['resourceVersion']),
  );
});

it('what changed is told with its user and verb, and without objects', async () => {
  const maps = await newMaps(client, 'x');
  const namespace = maps.split('/')[4] ?? '';
  const live = await opened();
  const query = `namespace=${namespace}&follow=true`;
  live.send({ type: 'subscribe', id: 'all', path: '/everwatch/v1/changes', query });
  const only = `namespace=${namespace}&verb=patch&resource=core/configmaps&follow=true&limit=1`;
  live.send({ type: 'subscribe', id: 'only', path: '/everwatch/v1/changes', query: only });
  await client.patch(`${maps}/x`, { data: { a: 'secret' } });
  await live.until('the only one', ({ type, id }) => type === 'complete' && id === 'only');
  const lines = live.of('only', 'next').flatMap(({ events }) => events.map(({ object }) => object));
  expect(lines).toMatchObject([
    { type: 'modified', verb: 'patch', resource: 'core/configmaps', namespace, name: 'x' },
  ]);
  expect(JSON.stringify(lines)).not.toContain('secret');
  await live.until('all', () => live.of('all', 'next').length > 0);
  const all = live.of('all', 'next').flatMap(({ events }) => events.map(({ object }) => object));
  expect(all.map(({ type, name }) => ({ type, name }))).toContainEqual({
    type: 'added',
    name: 'x',
  });
});

it('figures of the server come as often as they are asked for', async () => {
  const live = await opened();
  const query = 'every=1';
  live.send({ type: 'subscribe', id: 'f', path: '/everwatch/v1/figures', query });
  const lines = () => live.of('f', 'next').flatMap(({ events }) => events);
  await live.until('three lines', () => lines().length >= 3);
  // The sockets of the tests before it may still be closing.
  const isAlone = ({ object }: { object: JsonObject }): boolean =>
    object['watches'] === 0 && at(object, 'live', 'connections') === 1;
  await live.until('a line of this one alone', () => lines().some(isAlone));
  expect(Number(lines()[2]?.object['resourceVersion'])).toBeGreaterThan(0);
});
