import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttp, type Server as HttpServer } from 'node:http';
import { createServer as createHttps, request, type Agent } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { makeAuthority, makeLeaf } from '../listener/certificate-maker.ts';
import type { PemPair } from '../listener/certificate-pair.ts';
import { EgressFigures } from '../metrics/egress-figures.ts';
import type { ProxyPlace } from './egress/proxy-place.ts';
import { wayThrough } from './egress/proxy-way.ts';
import { TunnelAgent } from './tunnel-agent.ts';

const validity = { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 3_600_000 };
const authority = await makeAuthority('test', validity);
const ca = authority.certificate;
const leaf = { commonName: 'x', organizations: [], validity } as const;
const serving = certAndKey(
  await makeLeaf(authority, {
    ...leaf,
    use: 'server',
    names: [
      { type: 'dns', value: 'localhost' },
      { type: 'ip', value: '127.0.0.1' },
    ],
  }),
);
const known = certAndKey(await makeLeaf(authority, { ...leaf, use: 'client', names: [] }));
const others = await makeAuthority('others', validity);
const unknown = certAndKey(await makeLeaf(others, { ...leaf, use: 'client', names: [] }));

function certAndKey({ certificate, key }: PemPair) {
  return { cert: certificate, key };
}

let directory: string;
let target: Server;
const asked: string[] = [];
let figures = new EgressFigures();
const open: Server[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'everwatch-tunnel-'));
  target = await listening(
    createHttps(serving, (incoming, answer) => {
      answer.end(`hello ${incoming.headers.host?.split(':')[0] ?? ''}`);
    }),
  );
});

beforeEach(() => {
  figures = new EgressFigures();
});

afterAll(() => {
  for (const one of open) one.close();
  rmSync(directory, { recursive: true });
});

async function listening<One extends Server>(server: One, path?: string): Promise<One> {
  await new Promise<void>((resolve) => {
    if (path === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(path, resolve);
  });
  open.push(server);
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Goes where it is asked to, and writes that down; or says no. */
function proxying<One extends HttpServer>(server: One, refusal?: string): One {
  server.on('connect', (incoming, client) => {
    asked.push(incoming.url ?? '');
    if (refusal !== undefined) {
      client.end(refusal);
      return;
    }
    const onward = connect(portOf(target), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    onward.on('error', () => client.destroy());
    client.on('error', () => onward.destroy());
  });
  return server;
}

function agentThrough(proxy: ProxyPlace): Agent {
  const way = wayThrough(proxy, { clock: testClock(Date.now()), meters: figures });
  return new TunnelAgent(way, { clock: testClock(Date.now()), keepAlive: true, ca });
}

/** Of the dialer, without buckets and sums, which differ. */
function samples(): string[] {
  const lines = figures.format().split('\n');
  return lines.flatMap((line) => {
    const sample = /^apiserver_egress_dialer_(.*)$/.exec(line)?.[1];
    return sample === undefined || /_(bucket|sum)\{/.test(sample) ? [] : [sample];
  });
}

function ask(agent: Agent, host = 'localhost'): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host, port: 443, agent }, (answer) => {
      answer.setEncoding('utf8');
      let text = '';
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => {
        resolve(text);
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('a tunnel', () => {
  it('leads through a proxy with TLS that knows us by our certificate', async () => {
    const proxy = await listening(
      proxying(createHttps({ ...serving, ca, requestCert: true, rejectUnauthorized: true })),
    );
    const place = { kind: 'tcp', host: 'localhost', port: portOf(proxy) } as const;
    const agent = agentThrough({ ...place, tls: { ca, ...known, serverName: '' } });
    expect(await ask(agent)).toBe('hello localhost');
    expect(asked.at(-1)).toBe('localhost:443');
    agent.destroy();
    const stranger = agentThrough({ ...place, tls: { ca, ...unknown, serverName: '' } });
    await expect(ask(stranger)).rejects.toThrow();
    // With TLS 1.3 a client is refused after it has begun to speak.
    expect(samples()).toEqual([
      'dial_start_total{protocol="http_connect",transport="tcp"} 2',
      'dial_failure_count{protocol="http_connect",stage="proxy",transport="tcp"} 1',
      'dial_duration_seconds_count{protocol="http_connect",transport="tcp"} 1',
    ]);
  });

  it('leads through a socket, and is used again', async () => {
    const path = join(directory, 'proxy.sock');
    await listening(proxying(createHttp()), path);
    const agent = agentThrough({ kind: 'socket', path });
    const before = asked.length;
    expect(await ask(agent)).toBe('hello localhost');
    expect(await ask(agent)).toBe('hello localhost');
    expect(asked.length - before).toBe(1);
    expect(samples()).toContain('dial_start_total{protocol="http_connect",transport="uds"} 1');
    agent.destroy();
  });

  it('believes the far end only by its certificate', async () => {
    const proxy = await listening(proxying(createHttp()));
    const place = { kind: 'tcp', host: '127.0.0.1', port: portOf(proxy), tls: undefined } as const;
    await expect(ask(agentThrough(place), 'other.example')).rejects.toThrow(
      'x509: certificate is valid for localhost, not other.example',
    );
  });

  it.each([
    ['HTTP/1.1 403 Forbidden\r\n\r\n', ', code 403: 403 Forbidden'],
    ['HTTP/1.1 200 OK\r\n\r\nsurprise', 'unexpected 8 bytes of buffered data from CONNECT proxy'],
    ['HTTP/2 200\r\n\r\n', 'Parse Error'],
    ['', 'socket hang up'],
  ])('does not lead through a proxy that answers %j', async (refusal, why) => {
    const proxy = await listening(proxying(createHttp(), refusal));
    const place = { kind: 'tcp', host: '127.0.0.1', port: portOf(proxy), tls: undefined } as const;
    await expect(ask(agentThrough(place))).rejects.toThrow(why);
    expect(samples()).toContain(
      'dial_failure_count{protocol="http_connect",stage="proxy",transport="tcp"} 1',
    );
  });

  it('says that nothing listens', async () => {
    const path = join(directory, 'absent.sock');
    await expect(ask(agentThrough({ kind: 'socket', path }))).rejects.toThrow('ENOENT');
    expect(samples()).toContain(
      'dial_failure_count{protocol="http_connect",stage="connect",transport="uds"} 1',
    );
  });
});
