import { once } from 'node:events';
import { constants } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { statusAnswer } from '../../actors/request/answer.ts';
import type { BodyRead } from '../../actors/request/request.ts';
import type { Exchange } from '../responses/exchange.ts';
import {
  authority,
  closeAll,
  HOST,
  http2Session,
  listening,
  text,
  watchAnswer,
} from './given-listener.fixture.ts';
import { until } from '../../tools/until.fixture.ts';

afterEach(closeAll);

describe('a client that goes away', () => {
  it.each(['stream', 'session'])(
    'in the middle of its upload is told of as such (HTTP/2, its %s)',
    async (what) => {
      const reads: BodyRead[] = [];
      const { listener, outcomes, requests } = await listening((request) => {
        void Promise.resolve(request.readBody(1_000_000)).then((read) => {
          reads.push(read);
          request.reply(read.ok ? text('ok') : statusAnswer(read.status));
        });
      });
      const session = http2Session(listener);
      const stream = session.request({ ':method': 'POST' });
      stream.on('error', () => undefined);
      stream.write('half');
      await until(() => requests.length === 1);
      if (what === 'stream') stream.destroy();
      else session.destroy();
      await until(() => outcomes.length === 1);
      expect(reads).toMatchObject([{ ok: false, status: { code: 400 } }]);
    },
  );

  it('in the middle of its upload is told of as such (HTTP/1.1)', async () => {
    const reads: BodyRead[] = [];
    const { listener, outcomes, requests } = await listening((request) => {
      void Promise.resolve(request.readBody(1_000_000)).then((read) => {
        reads.push(read);
        request.reply(read.ok ? text('ok') : statusAnswer(read.status));
      });
    });
    const options = { host: HOST, port: listener.port, method: 'POST', ca: authority.certificate };
    const request = requestHttps({ ...options, headers: { 'content-length': '100' } });
    request.on('error', () => undefined);
    request.write('half');
    await until(() => requests.length === 1);
    request.destroy();
    await until(() => outcomes.length === 1);
    expect(reads).toMatchObject([{ ok: false, status: { code: 400 } }]);
  });

  it('before its body is read does not keep its request', async () => {
    const { listener, requests } = await listening(() => undefined);
    const session = http2Session(listener);
    const stream = session.request({ ':method': 'POST' });
    stream.on('error', () => undefined);
    await until(() => requests.length === 1);
    let closed = false;
    stream.on('close', () => (closed = true));
    stream.close(constants.NGHTTP2_CANCEL);
    await until(() => closed);
    // The reset has reached the server when a later ping comes back.
    await new Promise((resolve) => session.ping(resolve));
    expect(await requests[0]?.readBody(10)).toMatchObject({ ok: false });
  });

  it('before it is answered does not keep its request', async () => {
    const { listener, requests, outcomes } = await listening(() => undefined);
    const stream = http2Session(listener).request({});
    stream.on('error', () => undefined);
    await until(() => requests.length === 1);
    stream.close(constants.NGHTTP2_CANCEL);
    await once(stream, 'close');
    requests[0]?.reply(text('too late'));
    await until(() => outcomes.length === 1);
  });

  it.each(['HTTP/2', 'HTTP/1.1'])(
    'in the middle of the answer closes the exchange (%s)',
    async (name) => {
      let exchange: Exchange | undefined;
      let closedTimes = 0;
      const { listener } = await listening(
        (request) => request.reply(watchAnswer),
        (opened) => {
          exchange = opened;
          opened.head(200, {});
          opened.write(Buffer.from('first'));
          opened.onClose(() => {
            closedTimes += 1;
          });
        },
      );
      if (name === 'HTTP/2') {
        const stream = http2Session(listener).request({});
        stream.on('error', () => undefined);
        await once(stream, 'data');
        stream.close(constants.NGHTTP2_CANCEL);
      } else {
        const request = requestHttps({
          host: HOST,
          port: listener.port,
          ca: authority.certificate,
        });
        request.on('error', () => undefined);
        request.end();
        const [incoming] = (await once(request, 'response')) as [NodeJS.ReadableStream];
        incoming.on('error', () => undefined);
        await once(incoming, 'data');
        request.destroy();
      }
      await until(() => closedTimes > 0);
      expect(exchange?.closed).toBe(true);
      // Nothing that comes later may throw, or wait for room that is never made.
      expect(exchange?.write(Buffer.from('late'))).toBe(true);
      exchange?.end();
      exchange?.abort();
      let toldAtOnce = false;
      exchange?.onClose(() => (toldAtOnce = true));
      expect(toldAtOnce).toBe(true);
      expect(closedTimes).toBe(1);
    },
  );
});
