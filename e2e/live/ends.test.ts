/**
 * What ends a subscription or a socket: credentials that run out, rights that are taken, a definition and a fork
 * that are gone. What is not meant goes on.
 */
import { createPrivateKey, sign } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';

import { configMap, created, newMaps, newNamespace } from '../api/objects.ts';
import { bind, grant } from '../authorization/grants.ts';
import { callerOf } from '../authentication/caller.ts';
import { FORKS, makeFork } from '../forks/fork-client.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { textAt } from '../support/json.ts';
import { resourceDefinition } from '../support/resource-definition.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { LiveSocket, type LiveMessage } from './live-socket.ts';
import { socketsForThisFile } from './sockets-for-this-file.ts';

const server = serverForThisFile({ args: ['--authorization-mode', 'RBAC'] });
let client: AdminClient;
beforeAll(() => {
  client = adminClient(server());
});

const opened = socketsForThisFile(server);

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const WINDOW = { offset: 0, limit: 10 };
/** Clocks may go wrong by a minute, as upstream has it. */
const LEEWAY_SECONDS = 60;
/** Time enough to be caught up with it, also beside other tests. */
const LIFETIME_SECONDS = 25;

/** The end of a subscription: its Status. */
async function endOf(live: LiveSocket, id: string): Promise<unknown> {
  const isEnd = (one: LiveMessage): boolean => one.id === id && one.type === 'error';
  return (await live.until(`the end of ${id}`, isEnd))['status'];
}

/** A token as the server makes them, but for its end. */
async function shortToken(name: string, lifetimeSeconds = LIFETIME_SECONDS): Promise<string> {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await created(client, accounts, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name } });
  const request = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} };
  const made = await created(client, `${accounts}/${name}/token`, request);
  const [head = '', claims = ''] = textAt(made, 'status', 'token').split('.');
  const said = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object;
  const exp = Math.floor(Date.now() / 1_000) + lifetimeSeconds - LEEWAY_SECONDS;
  const short = Buffer.from(JSON.stringify({ ...said, exp })).toString('base64url');
  const key = createPrivateKey(readFileSync(join(server().dataDir, 'pki', 'sa.key')));
  const signing = { key, dsaEncoding: 'ieee-p1363' } as const;
  const signed = sign('sha256', Buffer.from(`${head}.${short}`), signing).toString('base64url');
  return `${head}.${short}.${signed}`;
}

it('a token that runs out closes the socket with 4401, and ends the twin', async () => {
  const maps = await newMaps(client, 'a');
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }];
  await grant(client, 'reader', rules);
  const user = 'system:serviceaccount:default:brief';
  await bind(client, { user, role: { kind: 'ClusterRole', name: 'reader' }, namespace: '' });
  const token = await shortToken('brief');
  const live = await opened({ token });
  live.send({ type: 'subscribe', id: 's', path: maps });
  await live.untilCaughtUp('s');
  const { get } = callerOf(server(), { token });
  const subscribe = encodeURIComponent(JSON.stringify({ id: 's', path: maps }));
  // Resolves when the stream has ended.
  const twin = get(`/everwatch/v1/live/events?subscribe=${subscribe}`);
  expect(await live.closed).toBe(4401);
  expect(await twin).toMatchObject({ status: 200 });
  await created(client, maps, configMap('unseen'));
  expect(live.eventsOf('s')).toEqual(['ADDED a']);
  expect((await get(maps)).status).toBe(401);
});

/** What came before the answer broke off. @throws where it did not break off, but came to an end. */
async function brokenOff(answer: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of answer) text += String(chunk);
  } catch {
    return text;
  }
  throw new Error(`the answer came to its end: ${text}`);
}

const FOLLOWED = [
  '/everwatch/v1/log?follow=true&resource=core/configmaps',
  '/everwatch/v1/changes?follow=true&resource=core/configmaps',
  '/everwatch/v1/figures?every=1',
];

it.each([
  ['right', 3_600],
  ['token', LIFETIME_SECONDS],
])('followed logs, changes and figures end with the %s', async (which, seconds) => {
  const maps = await newMaps(client, `followed-${which}`);
  const account = `follower-${which}`;
  await grant(client, account, [
    { nonResourceURLs: ['/everwatch/v1/*'], verbs: ['get'] },
    { apiGroups: ['dev.everwatch'], resources: ['logs'], verbs: ['get'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] },
  ]);
  const user = `system:serviceaccount:default:${account}`;
  const role = { kind: 'ClusterRole', name: account };
  await bind(client, { user, role, namespace: '' });
  const { open } = callerOf(server(), { token: await shortToken(account, seconds) });
  const answers = await Promise.all(FOLLOWED.map((path) => open(path)));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  const all = Promise.all(answers.map((answer) => brokenOff(answer)));
  if (which === 'right') await client.delete(`${RBAC}/clusterrolebindings/${user}`);
  const [log = '', changes = ''] = await all;
  await created(client, maps, configMap(`behind-${which}`));
  for (const text of [log, changes]) {
    expect(text).toContain(`followed-${which}`);
    expect(text).not.toContain(`behind-${which}`);
  }
});

it('a definition that is removed ends subscriptions to its objects, behind their deletion', async () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const group = 'ends.example';
  await created(
    client,
    definitions,
    resourceDefinition({ group, plural: 'things', kind: 'Thing' }),
  );
  const path = `/apis/${group}/v1/namespaces/default/things`;
  const isServed = async () => ((await client.get(path)).status === 200 ? true : undefined);
  await eventually('things are served', isServed);
  const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 't' } };
  await created(client, path, thing);
  const live = await opened();
  live.send({ type: 'subscribe', id: 'objects', path });
  live.send({ type: 'subscribe', id: 'rows', path, window: WINDOW });
  live.send({ type: 'subscribe', id: 'other', path: '/api/v1/namespaces/default/configmaps' });
  await live.untilCaughtUp('objects');
  await live.untilCaughtUp('other');
  await live.until('rows', ({ type }) => type === 'rows');
  await client.delete(`${definitions}/things.${group}`);
  for (const id of ['objects', 'rows']) {
    expect(await endOf(live, id)).toMatchObject({ code: 404, reason: 'NotFound' });
  }
  expect(live.eventsOf('objects')).toEqual(['ADDED t', 'DELETED t']);
  await created(client, '/api/v1/namespaces/default/configmaps', configMap('goes-on'));
  await live.until('the other goes on', () => live.eventsOf('other').includes('ADDED goes-on'));
});

it('impersonation holds for each subscription, and ends with the right to it', async () => {
  const maps = await newMaps(client, 'mine');
  const theirs = await newMaps(client, 'theirs');
  const [, , , , namespace = ''] = maps.split('/');
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] }];
  await grant(client, 'jane', rules, namespace);
  const acting = [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'] }];
  await grant(client, 'actor', acting);
  const headers = { 'impersonate-user': 'jane' };
  const live = await opened({ headers });
  const { user } = await live.until('welcome', ({ type }) => type === 'welcome');
  expect(user).toBe('jane');
  live.send({ type: 'subscribe', id: 'mine', path: maps });
  live.send({ type: 'subscribe', id: 'rows', path: maps, window: WINDOW });
  live.send({ type: 'subscribe', id: 'theirs', path: theirs });
  await live.untilCaughtUp('mine');
  await live.until('rows', ({ type }) => type === 'rows');
  expect(live.eventsOf('mine')).toEqual(['ADDED mine']);
  const refusal = await endOf(live, 'theirs');
  expect(refusal).toMatchObject({ code: 403 });
  expect((refusal as { message: string }).message).toContain('User "jane" cannot watch');

  await client.delete(`${RBAC}/namespaces/${namespace}/rolebindings/jane`);
  for (const id of ['mine', 'rows']) {
    expect(await endOf(live, id)).toMatchObject({ code: 403, reason: 'Forbidden' });
  }
  await created(client, maps, configMap('unseen'));
  live.send({ type: 'ping' });
  await live.until('pong', ({ type }) => type === 'pong');
  expect(live.eventsOf('mine')).toEqual(['ADDED mine']);
});

it('a fork that is deleted ends subscriptions in it, and no other', async () => {
  const namespace = await newNamespace(client);
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  await makeFork(client, 'brief');
  await created(client, `/forks/brief${maps}`, configMap('forked'));
  const live = await opened();
  live.send({ type: 'subscribe', id: 'fork', path: `/forks/brief${maps}` });
  live.send({ type: 'subscribe', id: 'rows', path: `/forks/brief${maps}`, window: WINDOW });
  live.send({ type: 'subscribe', id: 'main', path: maps });
  await live.untilCaughtUp('fork');
  await live.untilCaughtUp('main');
  await live.until('rows', ({ type }) => type === 'rows');
  await client.delete(`${FORKS}/brief`);
  for (const id of ['fork', 'rows']) {
    expect(await endOf(live, id)).toMatchObject({ code: 404, reason: 'NotFound' });
  }
  await created(client, maps, configMap('main'));
  await live.until('main goes on', () => live.eventsOf('main').includes('ADDED main'));
  expect(live.eventsOf('fork')).toEqual(['ADDED forked']);
});
