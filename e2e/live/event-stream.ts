/** The live protocol over Server-Sent Events, read as an EventSource reads it. */
import { expect } from 'vitest';

import type { AdminClient } from '../support/admin-client.ts';
import { type JsonObject, parseJson } from '../support/json.ts';
import { eventText, problemOfMessage } from './live-socket.ts';

export class EventStream {
  readonly received: JsonObject[] = [];
  lastEventId = '';
  /** How many messages had come when a place was told. */
  readonly #places = new Map<string, number>();
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
    return this.received.flatMap(textsIn);
  }

  /** Of what came until a place was told, as a client has kept it that goes on from there. */
  textsUntil(place: string): string[] {
    const end = this.#places.get(place) ?? 0;
    return this.received.slice(0, end).flatMap(textsIn);
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
    if (fields.get('event') !== 'place') {
      expect(message['type']).toBe(fields.get('event'));
      expect(problemOfMessage(message)).toBeUndefined();
    }
    this.received.push(message);
    const id = fields.get('id');
    if (id !== undefined) this.#places.set(id, this.received.length);
  }
}

export async function eventsOf(
  client: AdminClient,
  subscribes: JsonObject[],
  lastEventId?: string,
): Promise<EventStream> {
  const query = subscribes.map((one) => `subscribe=${encodeURIComponent(JSON.stringify(one))}`);
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const response = await client.open(`/everwatch/v1/live/events?${query.join('&')}`, headers);
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('text/event-stream');
  return new EventStream(response);
}

function textsIn({ events }: JsonObject): string[] {
  return ((events ?? []) as { type: string; object: JsonObject }[]).map(eventText);
}
