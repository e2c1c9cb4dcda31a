import { createServer as createHttp, type Server as HttpServer } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { makeAuthority, makeLeaf } from '../listener/tls/certificate-maker.ts';
import { EgressFigures } from '../metrics/egress-figures.ts';
import { wayThrough } from './egress/proxy-way.ts';
import { httpsDocuments } from './https-documents.ts';

const validity = { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 3_600_000 };
const { certificate: ca, key: caKey } = await makeAuthority('test', validity);
const { certificate: cert, key } = await makeLeaf(
  { certificate: ca, key: caKey },
  {
    commonName: 'issuer',
    organizations: [],
    use: 'server',
    names: [{ type: 'ip', value: '127.0.0.1' }],
    validity,
  },
);
const open: Server[] = [];
const through: string[] = [];
let url: string;
let proxyPort: number;

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  return (server.address() as AddressInfo).port; // It listens on TCP.
}

beforeAll(async () => {
  const issuer = createHttps({ cert, key }, (asked, answer) => {
    if (asked.url === '/moved') answer.writeHead(302, { Location: '/keys' });
    answer.end(asked.headers.authorization ?? 'nothing shown');
  });
  url = `https://127.0.0.1:${String(await listening(issuer))}/keys`;
  const proxy: HttpServer = createHttp();
  proxy.on('connect', ({ url: target = '' }, socket) => {
    through.push(target);
    const there = connect(Number(target.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      there.pipe(socket).pipe(there);
    });
    for (const one of [there, socket]) one.on('error', () => undefined);
  });
  proxyPort = await listening(proxy);
});

afterAll(() => {
  for (const server of open) server.close();
});

it('fetches what is there, straight or the way that the issuer is said to be reached', async () => {
  const place = { kind: 'tcp', host: '127.0.0.1', port: proxyPort, tls: undefined } as const;
  const proxy = wayThrough(place, { clock: testClock(), meters: new EgressFigures() });
  const fetch = httpsDocuments(testClock(Date.now()), { controlPlane: undefined, cluster: proxy });
  const from = (egressSelectorType: string, accessToken?: string) =>
    fetch(url, { certificateAuthority: ca, egressSelectorType }, accessToken);
  const got = (text: string) => ({ ok: true, code: 200, text });
  expect(await from('')).toEqual(got('nothing shown'));
  expect(await from('controlplane')).toEqual(got('nothing shown'));
  expect(through).toEqual([]);
  expect(await from('cluster', 'key')).toEqual(got('Bearer key'));
  expect(through).toEqual([new URL(url).host]);
});

it('follows no redirect, and believes no other authority', async () => {
  const fetch = httpsDocuments(testClock(Date.now()));
  const moved = url.replace('/keys', '/moved');
  const straight = { certificateAuthority: ca, egressSelectorType: '' };
  expect(await fetch(moved, straight)).toMatchObject({ ok: true, code: 302 });
  expect(await fetch(url, { ...straight, certificateAuthority: '' })).toMatchObject({ ok: false });
});
