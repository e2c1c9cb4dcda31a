/** A live socket over a connection in memory, whose client takes what it is sent when the test says so. */
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { until } from '../../tools/until.fixture.ts';
import { socketsFor } from './live-socket.ts';
import type { LiveWire } from './live-wire.ts';

const PROTOCOL = 'a.protocol';

/** What the server has of the connection. */
class Connection extends Duplex {
  #taken: (() => void)[] = [];

  override _read(): void {
    // Comes as the test pushes it.
  }

  override _write(_chunk: Buffer, _encoding: string, taken: () => void): void {
    this.#taken.push(taken);
  }

  /** The client takes what it was sent. @returns whether there was anything. */
  accept(): boolean {
    const [taken] = this.#taken.splice(0, 1);
    taken?.();
    return taken !== undefined;
  }

  /** The client says it, in a frame that is masked with zeros. */
  say(text: string): void {
    const bytes = Buffer.from(text);
    const masked = 0x80;
    this.push(Buffer.concat([Buffer.of(0x81, masked | bytes.length), Buffer.alloc(4), bytes]));
  }
}

function given(answerBytes: number) {
  const connection = new Connection();
  const heard: string[] = [];
  const headers = {
    upgrade: 'websocket',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    'sec-websocket-version': '13',
    'sec-websocket-protocol': PROTOCOL,
  };
  const incoming = { method: 'GET', url: '/', headers } as unknown as IncomingMessage; // What `ws` looks at.
  const clock = new ManualClock();
  const answer = Buffer.alloc(answerBytes, 'a');
  const client = { socket: connection, head: Buffer.alloc(0), incoming };
  socketsFor(PROTOCOL)(client, clock, (wire: LiveWire) => ({
    receive(text) {
      heard.push(text);
      wire.send({ type: 'pong', parts: [answer] });
      wire.flush();
    },
    drained: () => undefined,
    end: () => undefined,
    closed: () => undefined,
  }));
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  };
  return { connection, clock, heard, turns };
}

it('reads nothing of a client that takes nothing, and goes on when it does', async () => {
  const { connection, heard, turns } = given(300_000);
  while (connection.accept());
  const said = Array.from({ length: 20 }, (_, number) => `message ${String(number)}`);
  for (const text of said) {
    connection.say(text);
    await turns();
  }
  // As much as may wait, and one more.
  expect(heard).toEqual(said.slice(0, 4));
  await until(() => {
    connection.accept();
    return heard.length === said.length;
  });
  expect(heard).toEqual(said);
  connection.destroy();
});

it('reads a client that says too much when there is time for it, whatever it takes', async () => {
  const { connection, clock, heard, turns } = given(1);
  while (connection.accept());
  const texts = Array.from({ length: 4_300 }, (_, number) => String(number));
  for (const text of texts) connection.say(text);
  await turns();
  const first = heard.length;
  expect(first).toBeLessThan(texts.length);
  while (connection.accept());
  await turns();
  expect(heard).toHaveLength(first);
  for (let second = 0; heard.length < texts.length; second += 1) {
    expect(second).toBeLessThan(10);
    clock.advance(1_000);
    await turns();
    while (connection.accept());
  }
  expect(heard).toEqual(texts);
  connection.destroy();
});
