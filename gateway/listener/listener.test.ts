import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { badRequest } from '../../api/meta/status.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { statusAnswer } from '../../actors/request/answer.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { AnswerWriter } from '../responses/answer-writer.ts';
import { Listener } from './listener.ts';
import {
  type Ask,
  authority,
  closeAll,
  closers,
  HOST,
  http2Session,
  listening,
  overHttp1,
  overHttp2,
  serving,
  text,
  watchAnswer,
} from './given-listener.fixture.ts';
import { until } from '../../tools/until.fixture.ts';

afterEach(closeAll);

/** Both protocols answer alike. */
const protocols = [
  ['HTTP/2', (listener: Listener, ask?: Ask) => overHttp2(http2Session(listener), ask)],
  ['HTTP/1.1', (listener: Listener, ask?: Ask) => overHttp1(listener, ask)],
] as const;

describe.each(protocols)('%s', (_name, ask) => {
  it('brings the request as it was sent', async () => {
    const { listener, requests, outcomes } = await listening((request) => {
      request.responseHeaders['Audit-Id'] = 'x';
      request.reply(text('hello'));
    });
    const path = '/api/v1/a%2Fb?labelSelector=a%3Db&x=%';
    const got = await ask(listener, {
      path,
      headers: { 'X-One': 'two', Accept: 'application/yaml' },
    });
    expect(got).toMatchObject({ code: 200, body: 'hello' });
    expect(got.headers).toMatchObject({
      'audit-id': 'x',
      'content-type': 'text/plain',
      'content-length': '5',
    });
    expect(requests[0]).toMatchObject({
      method: 'GET',
      path: '/api/v1/a%2Fb',
      query: 'labelSelector=a%3Db&x=%',
      isWebSocket: false,
      accepted: { type: 'yaml' },
    });
    expect(requests[0]?.headers['x-one']).toBe('two');
    expect(requests[0]?.connection.remoteAddress).toBe(HOST);
    expect(requests[0]?.connection.clientCertificate()).toBeUndefined();
    expect(outcomes).toEqual([{ code: 200, sizeBytes: 5 }]);
  });

  it('reads bodies whole', async () => {
    const { listener } = await listening((request) => {
      void Promise.resolve(request.readBody(1_000_000)).then((read) => {
        request.reply(text(read.ok ? String(read.bytes.length) : 'broken'));
      });
    });
    expect((await ask(listener, { method: 'POST', body: 'x'.repeat(500_000) })).body).toBe(
      '500000',
    );
    expect((await ask(listener, { method: 'POST', body: '' })).body).toBe('0');
    expect((await ask(listener, { method: 'DELETE' })).body).toBe('0');
  });

  it('answers 413 to a body that is too long', async () => {
    const { listener, outcomes } = await listening((request) => {
      void Promise.resolve(request.readBody(1_000)).then((read) => {
        request.reply(read.ok ? text('ok') : statusAnswer(read.status));
      });
    });
    const got = await ask(listener, { method: 'POST', body: 'x'.repeat(200_000) });
    expect(got.code).toBe(413);
    expect(JSON.parse(got.body)).toMatchObject({
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 1000',
    });
    expect(outcomes).toHaveLength(1);
    expect((await ask(listener, { method: 'POST', body: 'x' })).body).toBe('ok');
  });

  it('answers a client before its body was read', async () => {
    const { listener } = await listening((request) => request.reply(text('no', 403)));
    const got = await ask(listener, { method: 'POST', body: 'x'.repeat(10_000) });
    expect(got).toMatchObject({ code: 403, body: 'no' });
    expect((await ask(listener)).code).toBe(403);
  });

  it('sends no body to HEAD', async () => {
    const { listener, outcomes } = await listening((request) => request.reply(text('hello')));
    const got = await ask(listener, { method: 'HEAD' });
    expect(got).toMatchObject({ code: 200, body: '' });
    expect(got.headers['content-length']).toBe('5');
    expect(outcomes).toHaveLength(1);
  });

  it('sends warnings in any language, each as a header', async () => {
    const { listener } = await listening((request) => {
      request.warn('unknown field "поле \\ 😀"');
      request.warn('second');
      request.reply(statusAnswer(badRequest('x')));
    });
    const { code, headers } = await ask(listener);
    expect(code).toBe(400);
    const values = Buffer.from(String(headers['warning']), 'latin1').toString();
    expect(values).toBe('299 - "unknown field \\"поле \\\\ 😀\\"", 299 - "second"');
  });

  it('answers 500 when an answer cannot be written', async () => {
    const { listener, faults, outcomes } = await listening((request) => {
      request.responseHeaders['X-Broken'] = 'a\nb';
      request.reply(statusAnswer(badRequest('x')));
    });
    const got = await ask(listener);
    // HTTP/2 takes such a header for granted; what counts is that the client hears something.
    expect([400, 500]).toContain(got.code);
    expect(outcomes).toHaveLength(1);
    expect(faults.length).toBe(got.code === 500 ? 1 : 0);
  });

  it('cuts a client off when an answer breaks in the middle', async () => {
    const { listener, faults, outcomes } = await listening(
      (request) => request.reply(watchAnswer),
      (exchange) => {
        exchange.head(200, { 'content-type': 'application/json' });
        exchange.write(Buffer.from('{"type":'));
        throw new Error('broken');
      },
    );
    await expect(ask(listener)).rejects.toThrow();
    expect(faults).toHaveLength(1);
    expect(outcomes).toEqual([{ code: 500, sizeBytes: 0 }]);
  });

  it('does not end an answer that it aborts after a part of it has arrived', async () => {
    const { listener } = await listening(
      (request) => request.reply(watchAnswer),
      (exchange) => {
        exchange.head(200, { 'content-type': 'application/json' });
        exchange.write(Buffer.from('{"type":'));
        setTimeout(() => {
          exchange.abort();
        }, 20);
      },
    );
    await expect(ask(listener)).rejects.toThrow();
  });

  it('keeps the connection of a client that asks twice', async () => {
    const { listener, requests } = await listening((request) => request.reply(text('ok')));
    const session = http2Session(listener);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    closers.push(() => agent.destroy());
    for (let time = 0; time < 2; time += 1) {
      if (_name === 'HTTP/2') await overHttp2(session);
      else await overHttp1(listener, {}, { agent });
    }
    expect(requests[0]?.connection).toBe(requests[1]?.connection);
  });
});

it('waits long for the next request on a connection of HTTP/1.1, and says how long', async () => {
  const { listener } = await listening((request) => request.reply(text('ok')));
  const agent = new Agent({ keepAlive: true });
  closers.push(() => agent.destroy());
  const { headers } = await overHttp1(listener, {}, { agent });
  expect(headers['keep-alive']).toBe('timeout=90');
});

describe('a slow client', () => {
  it.each(['HTTP/2', 'HTTP/1.1'])(
    'has the exchange say when it is full, and when there is room (%s)',
    async (name) => {
      let written = 0;
      let drained = false;
      const { listener } = await listening(
        (request) => request.reply(watchAnswer),
        (exchange) => {
          exchange.head(200, {});
          const chunk = Buffer.alloc(64 * 1024);
          exchange.onDrain(() => {
            drained = true;
            exchange.end();
          });
          do written += chunk.length;
          while (exchange.write(chunk));
        },
      );
      const got =
        name === 'HTTP/2' ? await overHttp2(http2Session(listener)) : await overHttp1(listener);
      expect(drained).toBe(true);
      expect(got.body).toHaveLength(written);
    },
  );
});

describe('what is no request', () => {
  it('does not disturb the others', async () => {
    const { listener, requests, failedHandshakes } = await listening((request) =>
      request.reply(text('ok')),
    );
    const plain = connectTcp(listener.port, HOST);
    plain.on('error', () => undefined);
    plain.end('GET / HTTP/1.1\r\n\r\n');
    plain.resume();
    await once(plain, 'close');
    expect(failedHandshakes.count).toBe(1);
    const garbage = connectTls({ host: HOST, port: listener.port, ca: authority.certificate });
    garbage.on('error', () => undefined);
    garbage.write('\u0000\u0001 nonsense\r\n\r\n');
    garbage.resume();
    await once(garbage, 'close');
    const broken = connectTls({
      host: HOST,
      port: listener.port,
      ca: authority.certificate,
      ALPNProtocols: ['h2'],
    });
    broken.on('error', () => undefined);
    broken.write('this is no HTTP/2 preface at all, whatever was agreed on');
    broken.resume();
    await once(broken, 'close');
    expect(requests).toEqual([]);
    expect(failedHandshakes.count).toBe(1);
    expect((await overHttp1(listener)).body).toBe('ok');
    expect((await overHttp2(http2Session(listener))).body).toBe('ok');
  });

  it('but an upgrade goes to the taker of upgrades', async () => {
    const { listener, upgrades } = await listening((request) => request.reply(text('ok')));
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
    await expect(overHttp1(listener, { path: '/x?watch=1', headers })).resolves.toMatchObject({
      code: 400,
    });
    expect(upgrades).toEqual(['/x?watch=1']);
  });
});

describe('the end', () => {
  it('refuses new connections, closes those that rest and waits for those that do not', async () => {
    const slow: ReceivedRequest[] = [];
    const { listener } = await listening((request) => {
      if (request.path === '/slow') slow.push(request);
      else request.reply(text('ok'));
    });
    const { port } = listener;
    const resting = http2Session(listener);
    await overHttp2(resting);
    const agent = new Agent({ keepAlive: true });
    closers.push(() => agent.destroy());
    await overHttp1(listener, {}, { agent });
    const slow2 = overHttp2(http2Session(listener), { path: '/slow' });
    const slow1 = overHttp1(listener, { path: '/slow' });
    await until(() => slow.length === 2);

    listener.stopAccepting();
    let isClosed = false;
    const closed = listener.whenClosed().then(() => (isClosed = true));
    await once(resting, 'close');
    expect(isClosed).toBe(false);
    const refused = connectTcp(port, HOST);
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');

    for (const request of slow) request.reply(text('done'));
    expect((await slow2).body).toBe('done');
    expect((await slow1).body).toBe('done');
    await closed;
  });

  it('is at once where no request is', async () => {
    const { listener } = await listening(() => undefined);
    listener.stopAccepting();
    await listener.whenClosed();
  });
});

/** Answers nothing. */
function idleListener(): Listener {
  return new Listener({
    tls: { cert: serving.certificate, key: serving.key },
    clock: new ManualClock(),
    filterChain: { send: () => undefined },
    writer: new AnswerWriter(new ManualClock(), () => undefined),
    writeFailed: () => undefined,
    upgrade: () => undefined,
  });
}

/** One that has listened, and is closed. */
async function closedListener(): Promise<WeakRef<Listener>> {
  const listener = idleListener();
  await listener.listen(0, HOST);
  listener.stopAccepting();
  await listener.whenClosed();
  return new WeakRef(listener);
}

it('is held by nothing when it is closed', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // Of V8.
  const closed = await closedListener();
  await until(() => {
    collect();
    return closed.deref() === undefined;
  });
});

describe('listening', () => {
  it('on a port that is taken says so', async () => {
    const { listener } = await listening(() => undefined);
    const other = idleListener();
    expect(other.port).toBe(0);
    await expect(other.listen(listener.port, HOST)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('an answer that ends the connection', () => {
  it('goes with GOAWAY over HTTP/2, and what is under way is answered', async () => {
    const held: ReceivedRequest[] = [];
    const { listener } = await listening((request) => {
      if (request.path === '/held') {
        held.push(request);
        return;
      }
      request.responseHeaders['Connection'] = 'close';
      request.reply(text('go'));
    });
    const session = http2Session(listener);
    const goneAway = once(session, 'goaway');
    const late = overHttp2(session, { path: '/held' });
    await until(() => held.length === 1);
    const got = await overHttp2(session);
    expect(got.body).toBe('go');
    expect(got.headers).not.toHaveProperty('connection');
    const [code] = (await goneAway) as [number];
    expect(code).toBe(0);
    held[0]?.reply(text('late'));
    expect((await late).body).toBe('late');
  });

  it('goes with a header over HTTP/1.1', async () => {
    const { listener } = await listening((request) => {
      request.responseHeaders['Connection'] = 'close';
      request.reply(text('go'));
    });
    const agent = new Agent({ keepAlive: true });
    closers.push(() => agent.destroy());
    expect((await overHttp1(listener, {}, { agent })).headers).toMatchObject({
      connection: 'close',
    });
  });
});
