/** Live connections of clients that are slow, that flood, that have a thousand subscriptions, and whose server is killed. */
import { beforeAll, expect, it } from 'vitest';

import { configMap, created, newMaps } from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { startServer } from '../support/server.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { killedWhileFollowing } from './kills.ts';
import { LiveSocket } from './live-socket.ts';

const server = serverForThisFile();
let client: AdminClient;
beforeAll(() => {
  client = adminClient(server());
});

const CHANGES = 150;
const FLOOD = 4_400;
const TEXT = 'x'.repeat(100_000);

it('a client that does not read holds up no other, and is shown everything when it reads', async () => {
  const maps = await newMaps(client, 'a');
  const [slow, fast] = [await LiveSocket.open(server()), await LiveSocket.open(server())];
  for (const live of [slow, fast]) {
    live.send({ type: 'subscribe', id: 's', path: maps });
    await live.untilCaughtUp('s');
  }
  slow.pause();
  const revisions: string[] = [];
  for (let nth = 0; nth < CHANGES; nth += 1) {
    const { body } = await client.patch(`${maps}/a`, { data: { nth: String(nth), text: TEXT } });
    revisions.push((body as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
  }
  const told = (live: LiveSocket) =>
    live
      .of('s', 'next')
      .filter(({ initial }) => !initial)
      .flatMap(({ events }) => events)
      .map(({ object }) => (object['metadata'] as { resourceVersion: string }).resourceVersion);
  await eventually('the fast one has all', () => told(fast).length === CHANGES || undefined);
  expect(told(slow).length).toBeLessThan(CHANGES);
  slow.resume();
  await eventually('the slow one has all', () => told(slow).length >= CHANGES || undefined);
  expect(told(slow)).toEqual(revisions);
  // It comes behind the last of them, in a frame of its own.
  const isBack = () => slow.of('s', 'caughtUp').length > 1 || undefined;
  await eventually('it has caught up again', isBack);
  for (const live of [slow, fast]) live.close();
});

it('credit that is not given back holds up its subscription alone, on its socket and on others', async () => {
  const maps = await newMaps(client, 'a');
  const [slow, fast] = [await LiveSocket.open(server()), await LiveSocket.open(server())];
  slow.send({ type: 'subscribe', id: 'held', path: maps, credit: 3 });
  slow.send({ type: 'subscribe', id: 'beside', path: maps });
  slow.send({ type: 'subscribe', id: 'acked', path: maps, credit: 3 });
  fast.send({ type: 'subscribe', id: 's', path: maps });
  slow.onMessage(({ type, id, revision }) => {
    if (type === 'next' && id === 'acked') slow.send({ type: 'ack', id, revision });
  });
  for (const id of ['held', 'beside', 'acked']) await slow.untilCaughtUp(id);
  await fast.untilCaughtUp('s');
  const told = (live: LiveSocket, id: string) => live.eventsOf(id).length;
  for (let nth = 1; nth <= 40; nth += 1) {
    await client.patch(`${maps}/a`, { data: { nth: String(nth) } });
    await eventually('the others are told', () => {
      const all = [told(slow, 'beside'), told(slow, 'acked'), told(fast, 's')];
      return all.every((count) => count === nth + 1) || undefined;
    });
  }
  expect(told(slow, 'held')).toBeLessThanOrEqual(3);
  for (const live of [slow, fast]) live.close();
});

it('a client that floods is read no faster than the limits say, and stays', async () => {
  const live = await LiveSocket.open(server());
  const beganAt = performance.now();
  // What a packet brings is read at once, so messages are not short.
  const flood = { type: 'ping', text: 'x'.repeat(1_000) };
  for (let nth = 0; nth < FLOOD; nth += 1) live.send(flood);
  expect((await client.get('/readyz')).status).toBe(200);
  const answers = () => live.messages.filter(({ type }) => type === 'error').length;
  await eventually('an answer to each', () => answers() === FLOOD || undefined);
  // 4,000 at once, some that came with them, and the rest 200 a second.
  expect(performance.now() - beganAt).toBeGreaterThan(1_000);
  live.close();
});

it('a thousand subscriptions of one socket are all told', async () => {
  const maps = await newMaps(client, 'a');
  const live = await LiveSocket.open(server());
  const ids = Array.from({ length: 1_000 }, (_, nth) => `s${String(nth)}`);
  for (const id of ids) live.send({ type: 'subscribe', id, path: maps });
  const caughtUp = () => live.messages.filter(({ type }) => type === 'caughtUp').length;
  await eventually('all are there', () => caughtUp() === ids.length || undefined);
  await created(client, maps, configMap('b'));
  const told = () => live.messages.filter(({ initial, events }) => !initial && events.length > 0);
  await eventually('all are told', () => told().length === ids.length || undefined);
  expect(new Set(told().map(({ id }) => id)).size).toBe(ids.length);
  live.close();
});

it('behind a killed server nothing is missed and nothing doubled', async () => {
  const killed = await startServer();
  try {
    const judged = await killedWhileFollowing([killed], 2);
    expect(judged).toMatchObject({ missed: [], doubled: [], isInOrder: true });
    expect(judged.events).toBeGreaterThan(10);
  } finally {
    await killed.stop();
  }
});
