/** Requests that are passed on to aggregated servers, which are real ones here: of HTTP/2, of HTTP/1.1, and of both. */
import type { Http2ServerResponse } from 'node:http2';
import { Readable } from 'node:stream';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { asking, textOf, type Asked } from './given-asked.fixture.ts';
import { startBackends } from './given-backends.fixture.ts';

const { ports, stranger, waysTo, answerBy, reset, close } = await startBackends();
afterEach(reset);
afterAll(close);

describe.each(['h2', 'h1', 'both'] as const)('a server that speaks %s', (protocol) => {
  it('is asked as the user, and never shown what names or proves another', async () => {
    const { ways, service } = waysTo(ports[protocol]);
    let seen: Record<string, unknown> = {};
    answerBy((request, response) => {
      const socket =
        (request.stream as { session?: { socket: unknown } } | undefined)?.session?.socket ??
        request.socket;
      const peer = (
        socket as { getPeerCertificate(): { subject: { CN: string } } }
      ).getPeerCertificate();
      seen = { ...request.headers, url: request.url, shown: peer.subject.CN };
      response.end('hello');
    });
    const headers = [
      ...['Authorization', 'Bearer secret', 'Impersonate-User', 'root', 'X-Remote-User', 'root'],
      ...['X-Remote-Extra-Scopes', 'all', 'Accept', 'application/json', 'Audit-Id', 'forged'],
    ];
    const user = {
      uid: '7',
      groups: ['a', 'system:authenticated'],
      extra: { 'example.com/of%': ['é'] },
    };
    const { request } = asking({
      url: '/apis/example.com/v1/w?a=b',
      headers,
      user,
    });
    request.auditedAs('real');
    request.responseHeaders['Audit-Id'] = 'real';
    const answer = await ways.proxy(request, service);
    expect(await textOf(answer)).toBe('hello');
    expect(request.responseHeaders).toEqual({ 'Audit-Id': 'real' });
    expect(seen).toMatchObject({
      url: '/apis/example.com/v1/w?a=b',
      accept: 'application/json',
      'x-remote-user': 'jane',
      'x-remote-uid': '7',
      'x-remote-group': 'a, system:authenticated',
      'x-remote-extra-example.com%2fof%25': 'Ã©',
      'x-forwarded-for': '192.0.2.1',
      'audit-id': 'real',
      shown: 'front-proxy',
    });
    const names = Object.keys(seen).join(' ');
    expect(names).not.toMatch(/authorization|impersonate|scopes/);
  });

  it('gets a body as it comes, and its answer goes back as it comes', async () => {
    const { ways, service } = waysTo(ports[protocol]);
    answerBy((request, response) => {
      response.writeHead(201, { 'x-own': 'yes' });
      request.pipe(response);
    });
    const body = new Readable({ read: () => undefined });
    const { request } = asking({ method: 'POST', body });
    body.push('one');
    const answer = await ways.proxy(request, service);
    if (answer.kind !== 'Stream') throw new Error(answer.kind);
    const chunks = answer.chunks(new AbortController().signal)[Symbol.asyncIterator]();
    expect(answer.code).toBe(201);
    expect(answer.headers['x-own']).toBe('yes');
    expect(String((await chunks.next()).value)).toBe('one');
    body.push('two');
    expect(String((await chunks.next()).value)).toBe('two');
    body.push(null);
    expect(await chunks.next()).toMatchObject({ done: true });
  });

  it('hears of a client that goes', async () => {
    const { ways, service } = waysTo(ports[protocol]);
    const ended = new Promise<void>((resolve) => {
      answerBy((request, response) => {
        response.write('first');
        request.once('close', resolve);
      });
    });
    const { request, leave } = asking();
    const answer = await ways.proxy(request, service);
    leave();
    await ended;
    await expect(textOf(answer)).rejects.toThrow();
  });

  it('that breaks an answer off gives none that looks whole', async () => {
    const { ways, service } = waysTo(ports[protocol]);
    answerBy((request, response) => {
      response.write('half');
      setImmediate(() => {
        if (request.httpVersion === '2.0') request.stream.close(8);
        else request.socket.destroy();
      });
    });
    const answer = await ways.proxy(asking().request, service);
    await expect(textOf(answer)).rejects.toThrow();
  });

  it('answers a redirect that no client follows', async () => {
    answerBy((_request, response) => {
      response.writeHead(302, { location: 'https://192.0.2.9/' });
      response.end();
    });
    const strict = waysTo(ports[protocol]);
    const refused = await strict.ways.proxy(asking().request, strict.service);
    expect(refused).toMatchObject({ kind: 'Document', code: 502 });
    const lax = waysTo(ports[protocol], { rejectsRedirects: false });
    const passed = await lax.ways.proxy(asking().request, lax.service);
    expect(passed).toMatchObject({
      code: 302,
      headers: { location: 'https://192.0.2.9/' },
    });
  });

  it('is asked for a document as the aggregator itself', async () => {
    const { ways, service } = waysTo(ports[protocol]);
    answerBy((request, response) => {
      response.setHeader('etag', '"1"');
      response.end(`${String(request.headers['x-remote-user'])} ${request.url}`);
    });
    const found = await ways.fetch(service, '/openapi/v2', {
      timeoutMs: 5_000,
    });
    expect(found).toMatchObject({
      ok: true,
      code: 200,
      headers: { etag: '"1"' },
    });
    expect(found.ok && found.body.toString()).toBe('system:kube-aggregator /openapi/v2');
    const large = await ways.fetch(service, '/openapi/v2', {
      timeoutMs: 5_000,
      sizeMax: 5,
    });
    expect(large).toMatchObject({ ok: false });
  });

  it.each([
    ['GET', 'hello'],
    ['DELETE', /^error trying to reach service: /],
  ])('that ends a connection is sent a %s again only where it is safe', async (method, told) => {
    const { ways, service } = waysTo(ports[protocol]);
    // The next request finds a connection that was used before.
    await textOf(await ways.proxy(asking({ method }).request, service));
    let seen = 0;
    answerBy((request, response) => {
      seen += 1;
      if (seen > 1) response.end('hello');
      else if (request.httpVersion === '2.0') request.stream.session?.goaway(2);
      else request.socket.destroy();
    });
    const answer = await ways.proxy(asking({ method }).request, service);
    expect(await textOf(answer)).toMatch(told);
    expect(seen).toBe(method === 'GET' ? 2 : 1);
  });

  it('is not believed with the certificate of another authority', async () => {
    const { ways, service } = waysTo(ports[protocol], {
      ca: stranger,
    });
    const failed: string[] = [];
    ways.whenFailed((name) => failed.push(name));
    const answer = await ways.proxy(asking().request, service);
    expect(answer).toMatchObject({ kind: 'Document', code: 503 });
    expect(await textOf(answer)).toMatch(/^error trying to reach service: .*x509: certificate/);
    expect(failed).toEqual(['v1.example.com']);
  });
});

describe('a server of both protocols', () => {
  const versions = async (asked: readonly Asked[]): Promise<readonly string[]> => {
    const { ways, service } = waysTo(ports.both);
    answerBy((request, response) => response.end(request.httpVersion));
    const seen: string[] = [];
    for (const one of asked)
      seen.push(await textOf(await ways.proxy(asking(one).request, service)));
    return seen;
  };

  it('is sent all requests over HTTP/2', async () => {
    const body = Readable.from(['{}']);
    const url = '/apis/example.com/v1/widgets?watch=true';
    const asked = [{}, { url }, { method: 'POST', body }, { method: 'DELETE' }, {}];
    expect(await versions(asked)).toEqual(['2.0', '2.0', '2.0', '2.0', '2.0']);
  });

  it('sees one connection for brief requests that come one after the other', async () => {
    const { ways, service } = waysTo(ports.both);
    const seen = new Set<unknown>();
    answerBy((request, response) => {
      seen.add(request.socket.remotePort);
      response.end('x');
    });
    for (let nth = 0; nth < 5; nth += 1) await textOf(await ways.proxy(asking().request, service));
    expect(seen.size).toBe(1);
  });

  it('that ends each connection behind its answer is asked all the same', async () => {
    const { ways, service } = waysTo(ports.both);
    answerBy((_request, response) => {
      response.setHeader('connection', 'close');
      response.end('x');
    });
    for (let nth = 0; nth < 5; nth += 1) {
      expect(await textOf(await ways.proxy(asking().request, service))).toBe('x');
    }
  });

  it('is asked over new connections with a new certificate of ours', async () => {
    const { ways, service, renew } = waysTo(ports.both);
    const seen: unknown[] = [];
    answerBy((request, response) => {
      seen.push(request.socket.remotePort);
      response.end('x');
    });
    const ask = async () => textOf(await ways.proxy(asking().request, service));
    await ask();
    renew();
    await ask();
    expect(new Set(seen).size).toBe(2);
  });

  it('gives large answers whole, however slowly they are read', async () => {
    const { ways, service } = waysTo(ports.both);
    const large = Buffer.alloc(3_000_000, 'abcdefg');
    answerBy((_request, response) => response.end(large));
    const answer = await ways.proxy(asking().request, service);
    if (answer.kind !== 'Stream') throw new Error(answer.kind);
    expect(answer.whole).toBeUndefined();
    const read: Buffer[] = [];
    for await (const chunk of answer.chunks(new AbortController().signal)) {
      read.push(chunk);
      await new Promise(setImmediate);
    }
    expect(Buffer.concat(read).equals(large)).toBe(true);
  });

  it('gives small answers in one piece', async () => {
    const { ways, service } = waysTo(ports.both);
    answerBy((_request, response) => {
      response.setHeader('content-length', 5);
      response.end('small');
    });
    await textOf(await ways.proxy(asking().request, service));
    const answer = await ways.proxy(asking().request, service);
    expect(answer).toMatchObject({
      kind: 'Stream',
      whole: Buffer.from('small'),
    });
  });
});

describe('a server of HTTP/2', () => {
  it.each(['h2', 'both'] as const)(
    'is reached over several connections when many ask, none of which waits for another: %s',
    async (protocol) => {
      const { ways, service } = waysTo(ports[protocol]);
      const waiting: Http2ServerResponse[] = [];
      const all = new Promise<void>((resolve) => {
        answerBy((_request, response) => {
          waiting.push(response);
          if (waiting.length === 300) resolve();
        });
      });
      const asked = Array.from({ length: 300 }, () => ways.proxy(asking().request, service));
      // Every request has reached the server before the first of them is answered.
      await all;
      expect(ways.connectionCount(service.name)).toBeGreaterThanOrEqual(4);
      for (const response of waiting) response.end('x');
      const texts = await Promise.all(asked.map(async (answer) => textOf(await answer)));
      expect(new Set(texts)).toEqual(new Set(['x']));
    },
  );

  it('that hangs ends a discovery request after five seconds', async () => {
    const { ways, service, clock } = waysTo(ports.h2);
    const reached = new Promise<void>((resolve) => {
      answerBy(() => {
        resolve();
      });
    });
    const answer = ways.proxy(asking({ url: '/apis/example.com/v1' }).request, service);
    await reached;
    clock.advance(5_000);
    expect(await textOf(await answer)).toBe(
      'error trying to reach service: context deadline exceeded\n',
    );
  });
});

it('a server that is not available, or not there, is 503 in upstream’s words', async () => {
  const { ways, service } = waysTo(ports.gone);
  const away = await ways.proxy(asking().request, {
    ...service,
    available: false,
  });
  expect(away).toMatchObject({ code: 503 });
  expect(await textOf(away)).toBe('service unavailable\n');
  const refused = await ways.proxy(asking().request, service);
  expect(await textOf(refused)).toBe(
    'error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused\n',
  );
  const broken = await ways.proxy(asking().request, {
    ...service,
    caBundle: 'no PEM',
  });
  expect(broken).toMatchObject({ code: 500 });
  expect(await textOf(broken)).toMatch(/^unable to load root certificates: /);
});

it('a user whose name no header can carry is not passed on', async () => {
  const { ways, service } = waysTo(ports.h2);
  const { request } = asking({
    user: { name: 'a\r\nX-Remote-Group: system:masters' },
  });
  const answer = await ways.proxy(request, service);
  expect(await textOf(answer)).toBe(
    'error trying to reach service: net/http: invalid header field value for "X-Remote-User"\n',
  );
});
