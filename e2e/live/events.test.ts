/** The live protocol over Server-Sent Events, read as an EventSource reads it. */
import { beforeAll, expect, it } from 'vitest';

import { configMap, created, newMaps } from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { type JsonObject, parseJson } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { eventText } from './live-socket.ts';

const server = serverForThisFile();
let client: AdminClient;
beforeAll(() => {
  client = adminClient(server());
});

class Events {
  readonly received: JsonObject[] = [];
  lastEventId = '';
  readonly #close: () => void;

  constructor(body: NodeJS.ReadableStream & { destroy(): void }) {
    this.#close = () => {
      body.destroy();
    };
    let text = '';
    body.setEncoding('utf8');
    body.on('error', () => undefined);
    body.on('data', (more: string) => {
      text += more;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block.split('\n'));
    });
  }

  get texts(): string[] {
    return this.received.flatMap(({ events }) =>
      ((events ?? []) as { type: string; object: JsonObject }[]).map(eventText),
    );
  }

  close(): void {
    this.#close();
  }

  #take(lines: string[]): void {
    const fields = new Map(
      lines.map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
    );
    this.lastEventId = fields.get('id') ?? this.lastEventId;
    const data = fields.get('data');
    if (data === undefined) return;
    const message = parseJson(data) as JsonObject;
    if (fields.get('event') !== 'place') expect(message['type']).toBe(fields.get('event'));
    this.received.push(message);
  }
}

async function opened(subscribes: JsonObject[], lastEventId?: string): Promise<Events> {
  const query = subscribes.map((one) => `subscribe=${encodeURIComponent(JSON.stringify(one))}`);
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const response = await client.open(`/everwatch/v1/live/events?${query.join('&')}`, headers);
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('text/event-stream');
  return new Events(response);
}

it('an id is a place from which all subscriptions go on', async () => {
  const maps = await newMaps(client, 'a');
  const others = await newMaps(client, 'b');
  const subscribes = [
    { id: 'm', path: maps },
    { id: 'o', path: others },
  ];
  const first = await opened(subscribes);
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

  const again = await opened(subscribes, first.lastEventId);
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
