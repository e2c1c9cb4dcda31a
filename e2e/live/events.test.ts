/** The live protocol over Server-Sent Events. */
import { beforeAll, expect, it } from 'vitest';

import { configMap, created, newMaps } from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { eventsOf } from './event-stream.ts';

const server = serverForThisFile();
let client: AdminClient;
beforeAll(() => {
  client = adminClient(server());
});

it('an id is a place from which all subscriptions go on', async () => {
  const maps = await newMaps(client, 'a');
  const others = await newMaps(client, 'b');
  const subscribes = [
    { id: 'm', path: maps },
    { id: 'o', path: others },
  ];
  const first = await eventsOf(client, subscribes);
  await eventually('a place', () => first.lastEventId !== '' || undefined);
  expect(first.texts.sort()).toEqual(['ADDED a', 'ADDED b']);
  await created(client, maps, configMap('c'));
  await eventually('the change', () => first.texts.includes('ADDED c') || undefined);
  const { revision } =
    first.received.find(({ type, initial }) => type === 'next' && !initial) ?? {};
  const isThere = () => Number(first.lastEventId) >= Number(revision) || undefined;
  await eventually('its place', isThere);
  first.close();
  await created(client, others, configMap('d'));
  await client.delete(`${maps}/a`);

  const again = await eventsOf(client, subscribes, first.lastEventId);
  await eventually('both', () => again.texts.length >= 2 || undefined);
  await eventually('a place', () => again.lastEventId !== '' || undefined);
  expect(again.texts.sort()).toEqual(['ADDED d', 'DELETED a']);
  again.close();
});

it.each([
  ['nothing to subscribe to', '', 'subscribe must be given'],
  ['what is no JSON', '?subscribe=x', 'not JSON'],
  ['a property that is not known', '?subscribe=%7B%22a%22%3A1%7D', 'must be given'],
  [
    'one id twice',
    `?${'subscribe=%7B%22id%22%3A%22a%22%2C%22path%22%3A%22%2F%22%7D&'.repeat(2)}`,
    'twice',
  ],
])('%s is refused', async (_, query, part) => {
  const { status, body } = await client.get(`/everwatch/v1/live/events${query}`);
  expect(status).toBe(400);
  expect((body as { message: string }).message).toContain(part);
});
