/**
 * What one connection may ask of the server, and what strangers may leave behind in its figures.
 * e2e/limits says what is allowed, e2e/hostile that no other client is harmed.
 */
import { expect, it } from 'vitest';

import { inParallel, textOf } from '../api/objects.ts';
import { flood, FRAME, frame, PREFACE, tlsTo, untilClosed } from '../hostile/wire.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { type Attacked, realAndBroken } from './real-and-broken.ts';

const { onBoth } = realAndBroken([
  {
    file: 'actors/filters/authentication.ts',
    text: 'if (isUnknown(decided) && limitsUnknown) limitConnection(request);',
    instead: '',
  },
  {
    file: 'actors/request/request-labels.ts',
    text: "return KNOWN_PATHS.get(first) ?? '';",
    instead: 'return path;',
  },
  {
    file: 'gateway/http2/header-block.ts',
    text: 'if (isFlood || this.#size > this.#bytesMax || this.#held.bytes > HELD_BYTES_MAX) {',
    instead: 'if (this.#held.bytes < 0) {',
  },
  {
    file: 'gateway/http2/streams.ts',
    text: 'if (this.#resets.spend(1)) return;',
    instead: 'if (this.#resets.spend(0)) return;',
  },
]);

/** Requests of HTTP that the server has counted. */
async function counted(client: AdminClient): Promise<number> {
  const lines = await series(client);
  return lines
    .filter((line) => line.startsWith('apiserver_request_total{'))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

async function series(client: AdminClient): Promise<string[]> {
  return textOf(await client.get('/metrics')).split('\n');
}

const CANCEL = Buffer.from([0, 0, 0, 8]);
const RESET_STREAM = 3;
const GOAWAY = 7;
const WINDOW_UPDATE = 8;
/** RFC 7541: GET, https, `x` for a host, `/version` for a path. */
const HEAD = [0x82, 0x87, 0x01, 1, 0x78, 0x04, 8];
const VERSION = Buffer.concat([Buffer.from(HEAD), Buffer.from('/version')]);

const opened = (stream: number): Buffer =>
  frame({ type: FRAME.headers, flags: 5, stream }, VERSION);
const reset = (stream: number): Buffer => frame({ type: RESET_STREAM, stream }, CANCEL);
const opening = (stream: number, bytes: number): Buffer =>
  frame({ type: WINDOW_UPDATE, stream }, Buffer.from([0, 0, 0, bytes]));

/** A connection of HTTP/2, and how many frames of a type it has brought. */
async function connection({ server }: Attacked, who: 'admin' | 'nobody') {
  const socket = await tlsTo(server, 'h2', who === 'admin' ? undefined : {});
  const seen = new Map<number | undefined, number>();
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
      seen.set(received[3], (seen.get(received[3]) ?? 0) + 1);
      received = received.subarray(9 + received.readUIntBE(0, 3));
    }
  });
  socket.write(PREFACE);
  const isOver = (): boolean => socket.destroyed || seen.has(GOAWAY);
  return { socket, isOver, count: (type: number) => seen.get(type) ?? 0 };
}

it('CVE-2023-44487: a stranger gets no more streams, however soon he resets them', async () => {
  const outcomes = await onBoth(async (attacked) => {
    const before = await counted(attacked.client);
    const { socket, isOver, count } = await connection(attacked, 'nobody');
    for (let batch = 0; batch < 20 && !isOver(); batch += 1) {
      const ids = Array.from({ length: 50 }, (_, index) => 2 * (50 * batch + index) + 1);
      const ping = frame({ type: FRAME.ping }, Buffer.alloc(8));
      socket.write(Buffer.concat([...ids.map(opened), ping]));
      await eventually('a pong', () => count(FRAME.ping) > batch || isOver() || undefined);
      if (!isOver()) socket.write(Buffer.concat(ids.map(reset)));
    }
    socket.destroy();
    let seen = before;
    return eventually('nothing is being counted any more', async () => {
      const now = await counted(attacked.client);
      const isAll = now <= seen + 1; // The one that asked.
      seen = now;
      return isAll ? now - before : undefined;
    });
  });
  expect(outcomes.real).toBeLessThan(100);
  expect(outcomes.broken).toBeGreaterThan(900);
});

it.each([
  ['CVE-2023-44487', 'has reset', reset],
  ['CVE-2025-8671', 'has made the server reset', (stream: number) => opening(stream, 0)],
])('%s: a known client is told to go before it %s 5,000 streams', async (_cve, _how, ended) => {
  const outcomes = await onBoth(async (attacked) => {
    const { socket, isOver, count } = await connection(attacked, 'admin');
    const ids = Array.from({ length: 5_000 }, (_, index) => 2 * index + 1);
    socket.write(Buffer.concat(ids.flatMap((stream) => [opened(stream), ended(stream)])));
    socket.write(frame({ type: FRAME.ping }, Buffer.alloc(8)));
    await eventually('GOAWAY, or a pong', () => isOver() || count(FRAME.ping) > 0 || undefined);
    const isGone = isOver();
    socket.destroy();
    return isGone;
  });
  expect(outcomes).toEqual({ real: true, broken: false });
});

it('CVE-2023-45288: a header block without end is not read to its end', async () => {
  const pair = Buffer.from([0x00, 1, 0x61, 1, 0x62]);
  const begin = frame(
    { type: FRAME.headers, flags: 1, stream: 1 },
    Buffer.from([0x82, 0x87, 0x84]),
  );
  const one = frame({ type: FRAME.continuation, stream: 1 }, pair);
  const many = Buffer.concat(Array.from({ length: 10_000 }, () => one));
  const outcomes = await onBoth(async ({ server }) => {
    const socket = await tlsTo(server, 'h2');
    const closed = untilClosed(socket).then(() => 'closed');
    socket.resume().write(Buffer.concat([PREFACE, begin]));
    await flood(socket, many, 100);
    const allSent = eventually('all is sent', () => socket.writableLength === 0 || undefined);
    const outcome = await Promise.race([closed, allSent.then(() => 'read')]);
    socket.destroy();
    return outcome;
  });
  expect(outcomes).toEqual({ real: 'closed', broken: 'read' });
});

it('CVE-2020-8552: unknown paths make no series of their own', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    const before = (await series(client)).length;
    await inParallel(300, (index) => client.get(`/unknown-${String(index)}/path`));
    return (await series(client)).length - before;
  });
  expect(outcomes.real).toBeLessThan(100);
  expect(outcomes.broken).toBeGreaterThan(300);
});
