/** Requests that are passed on to aggregated servers, which are real ones here: of HTTP/2, of HTTP/1.1, and of both. */
import { once } from 'node:events';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AggregatedService } from '../../actors/aggregation/aggregated-services.ts';
import { testClock } from '../../actors/request/given.fixture.ts';
import { makeAuthority, makeLeaf } from '../listener/certificate-maker.ts';
import { AggregatedWays } from './aggregated-ways.ts';
import { asking, textOf, type Asked } from './given-asked.fixture.ts';

const now = Date.now();
const validity = { notBefore: now - 3_600_000, notAfter: now + 3_600_000 };
const root = await makeAuthority('root', validity);
const stranger = await makeAuthority('root', validity);
const leaf = await makeLeaf(root, {
  ...{ commonName: 'served', organizations: [], use: 'server', validity },
  names: [{ type: 'dns', value: 'api.default.svc' }],
});
const shown = await makeLeaf(root, {
  ...{
    commonName: 'front-proxy',
    organizations: [],
    use: 'client',
    validity,
    names: [],
  },
});

type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;
let handle: Handler = (_request, response) => response.end('hello');

const tls = {
  cert: leaf.certificate,
  key: leaf.key,
  ca: root.certificate,
  requestCert: true,
};

async function listening(server: ReturnType<typeof createSecureServer> | Server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return { server, port };
}

const opened: { server: { close(): void }; port: number }[] = [];
const ports = { h2: 0, h1: 0, both: 0, gone: 1 };
beforeAll(async () => {
  const newer = createSecureServer(tls, (request, response) => {
    handle(request, response);
  });
  const older = createServer(tls, (request, response) => {
    // Of what tests look at they have the same.
    handle(request as never, response as never);
  });
  const both = createSecureServer({ ...tls, allowHTTP1: true }, (request, response) => {
    handle(request, response);
  });
  opened.push(await listening(newer), await listening(older), await listening(both));
  [ports.h2 = 0, ports.h1 = 0, ports.both = 0] = opened.map(({ port }) => port);
});
const ends: AbortController[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end.abort();
  handle = (_request, response) => response.end('hello');
});
afterAll(() => {
  for (const { server } of opened) server.close();
});

function given(port: number, options: { ca?: string; rejectsRedirects?: boolean } = {}) {
  const end = new AbortController();
  ends.push(end);
  const clock = testClock(now);
  let credentials = { cert: shown.certificate, key: shown.key, ca: undefined };
  const ways = new AggregatedWays({
    ...{ clock, until: end.signal, way: undefined },
    credentials: () => credentials,
    find: () => ({ ok: true, host: '127.0.0.1', port }),
    rejectsRedirects: options.rejectsRedirects ?? true,
  });
  const service: AggregatedService = {
    ...{
      name: 'v1.example.com',
      uid: 'u',
      group: 'example.com',
      version: 'v1',
    },
    ...{
      path: '/apis/example.com/v1',
      groupPriorityMinimum: 1,
      versionPriority: 1,
    },
    service: { namespace: 'default', name: 'api', port: 443 },
    ...{ caBundle: options.ca ?? root.certificate, skipsVerification: false },
    ...{ available: true, reason: 'Passed' },
  };
  const renew = (): void => {
    credentials = { ...credentials };
  };
  return { ways, service, clock, renew };
}

describe.each(['h2', 'h1', 'both'] as const)('a server that speaks %s', (protocol) => {
  it('is asked as the user, and never shown what names or proves another', async () => {
    const { ways, service } = given(ports[protocol]);
    let seen: Record<string, unknown> = {};
    handle = (request, response) => {
      const socket =
        (request.stream as { session?: { socket: unknown } } | undefined)?.session?.socket ??
        request.socket;
      const peer = (
        socket as { getPeerCertificate(): { subject: { CN: string } } }
      ).getPeerCertificate();
      seen = { ...request.headers, url: request.url, shown: peer.subject.CN };
      response.end('hello');
    };
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
    const answer = await ways.proxy(request, service);
    expect(await textOf(answer)).toBe('hello');
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
    const { ways, service } = given(ports[protocol]);
    handle = (request, response) => {
      response.writeHead(201, { 'x-own': 'yes' });
      request.pipe(response);
    };
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
    const { ways, service } = given(ports[protocol]);
    const ended = new Promise<void>((resolve) => {
      handle = (request, response) => {
        response.write('first');
        request.once('close', resolve);
      };
    });
    const { request, leave } = asking();
    const answer = await ways.proxy(request, service);
    leave();
    await ended;
    await expect(textOf(answer)).rejects.toThrow();
  });

  it('that breaks an answer off gives none that looks whole', async () => {
    const { ways, service } = given(ports[protocol]);
    handle = (request, response) => {
      response.write('half');
      setImmediate(() => {
        if (request.httpVersion === '2.0') request.stream.close(8);
        else request.socket.destroy();
      });
    };
    const answer = await ways.proxy(asking().request, service);
    await expect(textOf(answer)).rejects.toThrow();
  });

  it('answers a redirect that no client follows', async () => {
    handle = (_request, response) => {
      response.writeHead(302, { location: 'https://192.0.2.9/' });
      response.end();
    };
    const strict = given(ports[protocol]);
    const refused = await strict.ways.proxy(asking().request, strict.service);
    expect(refused).toMatchObject({ kind: 'Document', code: 502 });
    const lax = given(ports[protocol], { rejectsRedirects: false });
    const passed = await lax.ways.proxy(asking().request, lax.service);
    expect(passed).toMatchObject({
      code: 302,
      headers: { location: 'https://192.0.2.9/' },
    });
  });

  it('is asked for a document as the aggregator itself', async () => {
    const { ways, service } = given(ports[protocol]);
    handle = (request, response) => {
      response.setHeader('etag', '"1"');
      response.end(`${String(request.headers['x-remote-user'])} ${request.url}`);
    };
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
    const { ways, service } = given(ports[protocol]);
    // The next request finds a connection that was used before.
    await textOf(await ways.proxy(asking({ method }).request, service));
    let seen = 0;
    handle = (request, response) => {
      seen += 1;
      if (seen > 1) response.end('hello');
      else if (request.httpVersion === '2.0') request.stream.session?.goaway(2);
      else request.socket.destroy();
    };
    const answer = await ways.proxy(asking({ method }).request, service);
    expect(await textOf(answer)).toMatch(told);
    expect(seen).toBe(method === 'GET' ? 2 : 1);
  });

  it('is not believed with the certificate of another authority', async () => {
    const { ways, service } = given(ports[protocol], {
      ca: stranger.certificate,
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
    const { ways, service } = given(ports.both);
    handle = (request, response) => response.end(request.httpVersion);
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
    const { ways, service } = given(ports.both);
    const seen = new Set<unknown>();
    handle = (request, response) => {
      seen.add(request.socket.remotePort);
      response.end('x');
    };
    for (let nth = 0; nth < 5; nth += 1) await textOf(await ways.proxy(asking().request, service));
    expect(seen.size).toBe(1);
  });

  it('that ends each connection behind its answer is asked all the same', async () => {
    const { ways, service } = given(ports.both);
    handle = (_request, response) => {
      response.setHeader('connection', 'close');
      response.end('x');
    };
    for (let nth = 0; nth < 5; nth += 1) {
      expect(await textOf(await ways.proxy(asking().request, service))).toBe('x');
    }
  });

  it('is asked over new connections with a new certificate of ours', async () => {
    const { ways, service, renew } = given(ports.both);
    const seen: unknown[] = [];
    handle = (request, response) => {
      seen.push(request.socket.remotePort);
      response.end('x');
    };
    const ask = async () => textOf(await ways.proxy(asking().request, service));
    await ask();
    renew();
    await ask();
    expect(new Set(seen).size).toBe(2);
  });

  it('gives large answers whole, however slowly they are read', async () => {
    const { ways, service } = given(ports.both);
    const large = Buffer.alloc(3_000_000, 'abcdefg');
    handle = (_request, response) => response.end(large);
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
    const { ways, service } = given(ports.both);
    handle = (_request, response) => {
      response.setHeader('content-length', 5);
      response.end('small');
    };
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
      const { ways, service } = given(ports[protocol]);
      const waiting: Http2ServerResponse[] = [];
      const all = new Promise<void>((resolve) => {
        handle = (_request, response) => {
          waiting.push(response);
          if (waiting.length === 300) resolve();
        };
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
    const { ways, service, clock } = given(ports.h2);
    const reached = new Promise<void>((resolve) => {
      handle = () => {
        resolve();
      };
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
  const { ways, service } = given(ports.gone);
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
  const { ways, service } = given(ports.h2);
  const { request } = asking({
    user: { name: 'a\r\nX-Remote-Group: system:masters' },
  });
  const answer = await ways.proxy(request, service);
  expect(await textOf(answer)).toBe(
    'error trying to reach service: net/http: invalid header field value for "X-Remote-User"\n',
  );
});
