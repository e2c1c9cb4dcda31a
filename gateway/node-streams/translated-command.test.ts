/** A command over WebSocket in the course of time: what is idle ends, and a node is told that the client is there. */
import { once } from 'node:events';
import { createServer, IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import type { StreamWish } from '../../actors/connect/node-connections.ts';
import { SpdyReader } from './spdy-frames.ts';
import { openCommand } from './translated-command.ts';

const HOUR_MS = 3_600_000;
/** A busy machine may need it. */
const LONG = { timeout: 120_000 };
const WISH: StreamWish = {
  kind: 'exec',
  stdin: true,
  stdout: true,
  stderr: false,
  tty: false,
  nodeTakesWebSockets: false,
};

let clock: ManualClock;
let door: Server;
let webSocket: WebSocket;
let codes: number[];
let stop: (why: string) => void;

beforeEach(() => {
  clock = new ManualClock();
  codes = [];
  door = createServer();
});
afterEach(async () => {
  webSocket.terminate();
  door.close();
  await once(door, 'close');
  await vi.waitFor(() => {
    expect(clock.waiting).toBe(0);
  }, LONG);
});

/** A client whose command leads to a node of this test. @returns the end of the node. */
async function commanded(isThroughTunnel = false): Promise<Duplex> {
  const [ours, node] = duplexPair();
  const response = new IncomingMessage(new Socket()); // Not read.
  const backend = { response, socket: ours, head: Buffer.alloc(0) };
  door.on('upgrade', (incoming, socket: Duplex, head: Buffer) => {
    stop = openCommand({ incoming, socket, head }, WISH, {
      ...{ clock, isThroughTunnel },
      call: () => Promise.resolve({ kind: 'upgraded', backend }),
      ended: (code) => codes.push(code),
    });
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const { port } = door.address() as AddressInfo;
  webSocket = new WebSocket(`ws://127.0.0.1:${String(port)}/`, ['v5.channel.k8s.io']);
  // Told at once, before the node is called.
  await once(webSocket, 'message');
  await once(node, 'readable');
  return node;
}

it('nothing for four hours ends it; each message begins them anew', async () => {
  const node = await commanded();
  node.resume();
  const closed = once(webSocket, 'close');
  clock.advance(3 * HOUR_MS);
  const chunks: Buffer[] = [];
  node.on('data', (chunk: Buffer) => chunks.push(chunk));
  webSocket.send(Buffer.from([0, ...Buffer.from('typed')]));
  await vi.waitFor(() => {
    expect(Buffer.concat(chunks).toString()).toContain('typed');
  }, LONG);
  clock.advance(3 * HOUR_MS);
  expect(webSocket.readyState).toBe(WebSocket.OPEN);
  clock.advance(HOUR_MS);
  await closed;
  await vi.waitFor(() => {
    expect(codes).toEqual([500]);
  }, LONG);
});

it('the node is sent a ping every five seconds, with odd numbers', async () => {
  const node = await commanded();
  const chunks: Buffer[] = [];
  node.on('data', (chunk: Buffer) => chunks.push(chunk));
  node.resume();
  clock.advance(15_000);
  const said = (): string => Buffer.concat(chunks).toString('hex');
  const ping = (id: number): string => `800300060000000400000000`.slice(0, 23) + String(id);
  await vi.waitFor(() => {
    expect(said()).toContain(ping(5));
  }, LONG);
  expect([1, 3].map((id) => said().includes(ping(id)))).toEqual([true, true]);
  const closed = once(webSocket, 'close');
  node.end();
  await closed;
});

it('is told why by a server that stops, once', async () => {
  const node = await commanded();
  node.resume();
  const [said, closed] = [once(webSocket, 'message'), once(webSocket, 'close')];
  stop('the API server is stopping');
  stop('again');
  const [message] = (await said) as [Buffer];
  expect([message[0], message.toString()]).toEqual([
    3,
    expect.stringContaining('the API server is stopping'),
  ]);
  expect((await closed)[0]).toBe(1_000);
  await vi.waitFor(() => {
    expect(codes).toEqual([500]);
  }, LONG);
});

it.each([
  ['at once', false],
  ['when it has been quiet for a moment, where it is behind a tunnel', true],
])('the node is told %s that the input has ended', async (_when, isThroughTunnel) => {
  const node = await commanded(isThroughTunnel);
  const reader = new SpdyReader();
  const ended: number[] = [];
  let typed = '';
  node.on('data', (chunk: Buffer) => {
    for (const event of reader.read(chunk)) {
      if (event.kind !== 'data') continue;
      typed += event.bytes.toString();
      if (event.isLast) ended.push(event.stream);
    }
  });
  webSocket.send(Buffer.from([0, ...Buffer.from('typed')]));
  webSocket.send(Buffer.from([255, 0]));
  // The input is said before anything else that is told here.
  await vi.waitFor(() => {
    expect(typed).toBe('typed');
    expect(clock.waiting).toBe(isThroughTunnel ? 3 : 2);
  }, LONG);
  const ofInput = (): boolean => ended.includes(3);
  if (isThroughTunnel) {
    expect(ofInput()).toBe(false);
    clock.advance(49);
    await new Promise(setImmediate);
    expect(ofInput()).toBe(false);
    clock.advance(1);
  }
  await vi.waitFor(() => {
    expect(ofInput()).toBe(true);
  }, LONG);
  const closed = once(webSocket, 'close');
  node.end();
  await closed;
});
