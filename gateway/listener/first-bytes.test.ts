import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { goOracle } from '../../api/patch/go-oracle.fixture.ts';
import { firstBytesServer } from './first-bytes.ts';
import { TURNS_FOR_COMING } from './tls/handshake-turns.ts';
import { closeAll, closers, HOST, listening, text } from './given-listener.fixture.ts';
import { until } from '../../tools/until.fixture.ts';

const ANSWER = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS', 'DELETE', 'PATCH', 'CONNECT', 'get'];
const TARGETS = ['/', '*', 'http://x/', 'x:1', ''];

const oracle = await goOracle('https-server');

afterEach(closeAll);

function open(port: number): Socket {
  const socket = connect(port, HOST);
  socket.on('error', () => undefined);
  closers.push(() => socket.destroy());
  return socket;
}

/** All that the server says until the connection ends. */
async function said(port: number, sent: Buffer | string): Promise<string> {
  const socket = open(port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.end(sent);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

const given = () => listening((request) => request.reply(text('served')));

describe('a client that does not begin as TLS does', () => {
  it('is told that the port speaks HTTPS when it sends a request, and counted', async () => {
    const { listener, requests, failedHandshakes } = await given();
    expect(await said(listener.port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toBe(ANSWER);
    expect(requests).toEqual([]);
    expect(failedHandshakes.count).toBe(1);
  });

  it('hears the same when the bytes come one by one', async () => {
    const { listener } = await given();
    const socket = open(listener.port).setNoDelay();
    const heard = once(socket, 'data');
    for (const byte of 'OPTIO') {
      socket.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(String((await heard)[0])).toBe(ANSWER);
  });

  it('is cut off when it sends less than that for as long as a handshake may take', async () => {
    const clock = testClock();
    const { listener, failedHandshakes } = await listening(() => undefined, undefined, clock);
    const socket = open(listener.port);
    socket.write('GET ');
    const closed = new Promise((resolve) => socket.resume().once('close', resolve));
    await until(() => clock.waiting > 0);
    clock.advance(31_999);
    expect(failedHandshakes.count).toBe(0);
    clock.advance(1);
    await closed;
    await until(() => failedHandshakes.count === 1);
  });

  it('holds no timer once it is known', async () => {
    const clock = testClock();
    const taken: Buffer[] = [];
    const take = (socket: Socket): void => void socket.on('data', (read) => void taken.push(read));
    const server = firstBytesServer({ clock, waitMs: 1, take, refused: () => undefined });
    await once(server.listen(0, HOST), 'listening');
    closers.push(() => server.close());
    const address = server.address() as AddressInfo; // It listens on no pipe.
    await said(address.port, 'hello world');
    open(address.port).write(Buffer.from([0x16, 3, 1, 0, 1, 1]));
    await until(() => Buffer.concat(taken).length === 6);
    expect([...Buffer.concat(taken)]).toEqual([0x16, 3, 1, 0, 1, 1]);
    expect(clock.waiting).toBe(0);
  });
});

describe('clients that begin as TLS does, many at once', () => {
  const HELLO = Buffer.from([0x16, 3, 1, 0, 1, 1]);
  const COUNT = 60;

  async function taken(then: (count: number, accepted: readonly Socket[]) => void) {
    const clock = testClock();
    const accepted: Socket[] = [];
    const known = { taken: 0, destroyed: 0, refused: 0, waited: 0 };
    const take = (socket: Socket): void => {
      known.taken += 1;
      if (socket.destroyed) known.destroyed += 1;
      known.waited = Math.max(known.waited, accepted.length - known.taken);
      then(known.taken, accepted);
    };
    const refused = (): void => void (known.refused += 1);
    const server = firstBytesServer({ clock, waitMs: 1, take, refused });
    server.on('connection', (socket) => accepted.push(socket));
    await once(server.listen(0, HOST), 'listening');
    closers.push(() => server.close());
    const address = server.address() as AddressInfo; // It listens on no pipe.
    for (let n = 0; n < COUNT; n += 1) open(address.port).write(HELLO);
    await until(() => known.taken + known.refused === COUNT);
    expect(clock.waiting).toBe(0);
    return known;
  }

  it('are all accepted while handshakes wait, and all taken', async () => {
    const { taken: count, waited } = await taken(() => undefined);
    expect(count).toBe(COUNT);
    expect(waited).toBeGreaterThan(TURNS_FOR_COMING);
  });

  it('and leave while they wait are refused, and never taken', async () => {
    const known = await taken((count, accepted) => {
      if (count === 3) for (const socket of accepted) socket.destroy();
    });
    expect(known.refused).toBeGreaterThan(0);
    expect(known.destroyed).toBe(0);
  });
});

describe.skipIf(oracle === undefined)('what a client hears that sends', () => {
  const starts = METHODS.flatMap((method) => TARGETS.map((target) => `${method} ${target}`));
  const cut = ['', 'G', 'GET', 'GET ', 'HEAD', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\r\nGET / '];
  const bytes = fc.sample(fc.uint8Array({ maxLength: 12 }), { seed: 7, numRuns: 200 });
  // A record of TLS that is broken later is OpenSSL's to judge.
  const strange = bytes.filter(([type]) => type !== 0x15 && type !== 0x16);
  const versions = [0x10, 0x47, 0xff].map((major) => Buffer.from([0x16, major, 1, 0, 5, 1, 2]));
  const sent = [
    ...[...starts, ...starts.map((start) => `${start} HTTP/1.1\r\nHost: x\r\n\r\n`), ...cut],
    ...[...strange.map((one) => Buffer.from(one)), ...versions],
  ].map((one) => Buffer.from(one));

  it('anything but TLS is what net/http says', async () => {
    const questions = sent.map((one) => ({ text: one.toString('base64') }));
    const answers = oracle?.<{ answer: string | null }>(questions) ?? [];
    const theirs = answers.map(({ answer }) => Buffer.from(answer ?? '', 'base64').toString());
    const { listener } = await given();
    const ours: string[] = [];
    for (const one of sent) ours.push(await said(listener.port, one));
    expect(new Set(theirs)).toEqual(new Set(['', ANSWER]));
    expect(ours).toEqual(theirs);
  });
});
