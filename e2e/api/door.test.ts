/**
 * What happens before a request reaches a resource: the user, the address, the body
 * and the time. Everything here is allowed to system:masters only.
 */
import { webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { type JsonObject, parseJson, textAt } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { WatchStream } from '../watch/watch-stream.ts';
import {
  configMap,
  created,
  expectFailure,
  expectObject,
  mapsIn,
  namesIn,
  newNamespace,
  versionNow,
} from './objects.ts';
import { type Access, halfSent, rawConnection, sendBytes } from './raw-http.ts';

const TOO_LATE =
  '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the ' +
  'allotted timeout","reason":"Timeout","details":{},"code":504}\n';
const folder = mkdtempSync(join(tmpdir(), 'everwatch-door-'));
const tokens = join(folder, 'tokens.csv');
const authority = join(folder, 'ca.pem');
writeFileSync(tokens, 'bob-token,bob,u2,"builders,testers"\n');

let server: RunningServer;
let client: AdminClient;
let admin: Access;
/** Trusts the server, and presents nothing. */
let nobody: Access;
let carol: Access;
let stranger: Access;
let maps: string;

beforeAll(async () => {
  x509.cryptoProvider.set(webcrypto);
  const known = await newAuthority('Known CA');
  writeFileSync(authority, known.pem);
  const args = ['--token-auth-file', tokens, '--client-ca-file', authority];
  args.push(
    '--authorization-mode',
    'AlwaysDeny',
    '--cors-allowed-origins',
    '^https://good\\.example$',
  );
  args.push('--strict-transport-security-directives', 'max-age=31536000,includeSubDomains');
  args.push('--min-request-timeout', '1');
  server = await startServer({ args });
  client = adminClient(server);
  admin = readKubeconfig(server.kubeconfig);
  nobody = { url: admin.url, ca: admin.ca };
  carol = { ...nobody, ...(await known.issue('CN=carol,O=group-of-carol')) };
  stranger = { ...nobody, ...(await (await newAuthority('Unknown CA')).issue('CN=mallory')) };
  maps = mapsIn(await newNamespace(client));
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

async function newAuthority(name: string) {
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const dates = {
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  };
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    ...dates,
    signingAlgorithm: KEY,
    extensions: [new x509.BasicConstraintsExtension(true)],
  });
  const issue = async (subject: string): Promise<{ cert: string; key: string }> => {
    const own = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
    const issued = await x509.X509CertificateGenerator.create({
      subject,
      issuer: certificate.subject,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      ...dates,
      signingAlgorithm: KEY,
      extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
    });
    const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', own.privateKey));
    const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString('base64')}\n-----END PRIVATE KEY-----\n`;
    return { cert: issued.toString('pem'), key };
  };
  return { pem: certificate.toString('pem'), issue };
}

async function get(access: Access, path: string, headers = {}) {
  const { status, headers: got, body } = await sendBytes(access, { method: 'GET', path, headers });
  const isJson = got['content-type'] === 'application/json';
  return { status, headers: got, body: isJson ? parseJson(body.toString()) : body.toString() };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('the user of a request', () => {
  it('is known by certificate, by token, or not at all', async () => {
    const namespace = maps.split('/')[4] ?? '';
    const denied = (user: string) =>
      `configmaps is forbidden: User "${user}" cannot list resource "configmaps" in API group "" ` +
      `in the namespace "${namespace}": Everything is forbidden.`;
    expect((await get(admin, maps)).status).toBe(200);
    const cases: [user: string, access: Access, headers: JsonObject][] = [
      ['carol', carol, {}],
      ['bob', nobody, bearer('bob-token')],
      ['system:anonymous', nobody, {}],
    ];
    for (const [user, access, headers] of cases) {
      expectFailure(await get(access, maps, headers), {
        code: 403,
        reason: 'Forbidden',
        message: denied(user),
        details: { kind: 'configmaps' },
      });
    }
    expectFailure(await get(nobody, '/metrics'), {
      code: 403,
      reason: 'Forbidden',
      message:
        'forbidden: User "system:anonymous" cannot get path "/metrics": Everything is forbidden.',
      details: {},
    });
    expectFailure(await get(carol, `${maps}/a`), {
      code: 403,
      reason: 'Forbidden',
      message:
        `configmaps "a" is forbidden: User "carol" cannot get resource "configmaps" in API group "" ` +
        `in the namespace "${namespace}": Everything is forbidden.`,
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  it('is 401 with credentials that are no good, and nothing is told about why', async () => {
    const bad: [access: Access, headers: JsonObject][] = [
      [nobody, bearer('not-a-token')],
      [nobody, { authorization: 'Bearer bob-token-and-more' }],
      [stranger, {}],
    ];
    for (const [access, headers] of bad) {
      const answer = await get(access, maps, headers);
      expectFailure(answer, { code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
      expect(answer.headers['audit-id']).toBeDefined();
    }
    // A good certificate is enough, whatever else is sent.
    expect((await get(admin, maps, bearer('not-a-token'))).status).toBe(200);
  });

  it('is told nothing about what is there before it is known whether it may', async () => {
    const there = await get(carol, maps);
    const notThere = await get(carol, '/api/v1/namespaces/nonesuch/configmaps');
    expect([there.status, notThere.status]).toEqual([403, 403]);
    expect((await get(carol, '/apis/nonesuch/v1/things')).status).toBe(403);
  });
});

describe('pages of other origins', () => {
  it('may call where their origin is allowed', async () => {
    const origin = 'https://good.example';
    const preflight = await sendBytes(nobody, {
      method: 'OPTIONS',
      path: maps,
      headers: { origin, 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
      'access-control-allow-credentials': 'true',
    });
    expect(preflight.headers['access-control-allow-headers']).toContain('Authorization');
    const answer = await get(admin, maps, { origin });
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': origin },
    });
    for (const other of ['https://bad.example', 'https://good.example.evil', 'null']) {
      const { headers } = await get(admin, maps, { origin: other });
      expect(headers['access-control-allow-origin'], other).toBeUndefined();
    }
  });

  it('are told to come by HTTPS only', async () => {
    const { headers } = await get(admin, maps);
    expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
  });
});

describe('bodies', () => {
  it('that are too large are 413, and the connection lives on', async () => {
    const large = JSON.stringify(configMap('large', { data: { x: 'x'.repeat(4 * 1024 * 1024) } }));
    const expected = {
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    };
    expectFailure(await client.send('POST', maps, { body: large }), expected);
    expectFailure(
      await client.send('PATCH', `${maps}/large`, {
        body: large,
        headers: { 'content-type': 'application/merge-patch+json' },
      }),
      expected,
    );
    expectObject(await client.get(maps));

    const session = connectHttp2(admin.url, { ca: admin.ca, cert: admin.cert, key: admin.key });
    const answer = await overHttp2(session, { ':method': 'POST', ':path': maps }, large);
    expect(answer.status).toBe(413);
    expect((await overHttp2(session, { ':path': maps })).status).toBe(200);
    session.close();
    expectFailure(await client.get(`${maps}/large`), { code: 404, reason: 'NotFound' });
  });

  it('that are as large as they may be are taken', async () => {
    const data = { x: 'x'.repeat(1_000_000) };
    await created(client, maps, configMap('just-right', { data }));
    expectFailure(
      await client.post(maps, configMap('too-much', { data: { x: 'x'.repeat(1_100_000) } })),
      {
        code: 422,
        reason: 'Invalid',
        message:
          'ConfigMap "too-much" is invalid: []: Too long: may not be more than 1048576 bytes',
      },
    );
    expectObject(await client.delete(`${maps}/just-right`));
  });

  it('that are no objects are 400, and say what they are', async () => {
    const unrecognized = 'the object provided is unrecognized (must be of type ConfigMap): ';
    const parsing = "couldn't get version/kind; json parse error: ";
    const cases: [body: string, message: string | RegExp][] = [
      ['{"a":', `${unrecognized}${parsing}unexpected end of JSON input ({"a":)`],
      ['', `${unrecognized}${parsing}unexpected end of JSON input (<empty>)`],
      [
        'nonsense',
        /^the object provided is unrecognized \(must be of type ConfigMap\): .*\(6e6f6e73656e7365\)$/,
      ],
      ['[]', /json: cannot unmarshal array into Go value/],
      [
        '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"a":1}}',
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
          'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
      ],
      [
        '{"kind":"Secret","apiVersion":"v1"}',
        /^Secret in version "v1" cannot be handled as a ConfigMap: /,
      ],
      ['{"kind":"ConfigMap","apiVersion":"v7"}', /v7/],
    ];
    for (const [body, message] of cases) {
      const answer = await client.send('POST', maps, { body });
      expect([body, answer.status]).toEqual([body, 400]);
      expectFailure(answer, { code: 400, reason: 'BadRequest', message });
    }
    expectFailure(
      await client.send('POST', maps, { body: '{}', headers: { 'content-type': 'text/plain' } }),
      {
        code: 415,
        reason: 'UnsupportedMediaType',
        message:
          /^the body of the request was in an unknown format - accepted media types include: application\/json, application\/yaml, application\/vnd\.kubernetes\.protobuf/,
      },
    );
    const binary = {
      body: 'no protobuf',
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    };
    expectFailure(await client.send('POST', maps, binary), { code: 400, reason: 'BadRequest' });
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    expect((await client.send('POST', maps, { body: `{"metadata":${deep}}` })).status).toBe(400);
  });

  it('may have keys that JavaScript finds special', async () => {
    const object =
      '{"metadata":{"name":"special","labels":{"constructor":"x"}},"data":{"__proto__":"a","constructor":"b","toString":"c"}}';
    const answer = await client.send('POST', maps, { body: object });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    const stored = (
      await sendBytes(admin, { method: 'GET', path: `${maps}/special` })
    ).body.toString();
    expect(stored).toContain('"data":{"__proto__":"a","constructor":"b","toString":"c"}');
    await client.patch(
      `${maps}/special`,
      [{ op: 'add', path: '/data/valueOf', value: 'd' }],
      'json-patch',
    );
    const body = '{"data":{"__proto__":"e"}}';
    const headers = { 'content-type': 'application/merge-patch+json' };
    await client.send('PATCH', `${maps}/special`, { body, headers });
    const after = (
      await sendBytes(admin, { method: 'GET', path: `${maps}/special` })
    ).body.toString();
    expect(after).toContain('"__proto__":"e"');
    expect(after).toContain('"valueOf":"d"');
    const list = await client.get(`${maps}?labelSelector=constructor%3Dx`);
    expect(textAt(list.body, 'items', 0, 'metadata', 'name')).toBe('special');
    // What every object of JavaScript has, an object of Kubernetes does not.
    for (const key of ['toString', 'valueOf', 'hasOwnProperty']) {
      expect(namesIn(expectObject(await client.get(`${maps}?labelSelector=${key}`)))).toEqual([]);
    }
  });
});

describe('requests that take long', () => {
  it('hold up no other client, and are served when they are whole', async () => {
    const slow = Array.from({ length: 40 }, (_, index) =>
      halfSent(admin, maps, JSON.stringify(configMap(`slow-${String(index)}`))),
    );
    await Promise.all(slow.map(({ isWanted }) => isWanted));
    await created(client, maps, configMap('quick'));
    const aborted = slow.slice(0, 20);
    for (const one of aborted) one.abort();
    const finished = slow.slice(20);
    for (const one of finished) one.finish();
    for (const { answer } of finished) expect((await answer).status).toBe(201);
    for (let index = 0; index < slow.length; index += 1) {
      const { status } = await client.get(`${maps}/slow-${String(index)}`);
      expect([index, status]).toEqual([index, index < 20 ? 404 : 200]);
    }
  });

  it('are given up after the time that they ask for', async () => {
    const never = halfSent(admin, `${maps}?timeout=500ms`, JSON.stringify(configMap('never')));
    await never.isWanted;
    const { status, body } = await never.answer;
    expect(status).toBe(504);
    expect(body.toString()).toBe(TOO_LATE);
    const list = await client.get(`${maps}?timeout=1ns`);
    expect([list.status, list.body]).toEqual([504, TOO_LATE]);
    never.abort();
    expectFailure(await client.get(`${maps}/never`), { code: 404, reason: 'NotFound' });
    expectFailure(await client.get(`${maps}?timeout=soon`), {
      code: 400,
      reason: 'BadRequest',
      message: 'invalid timeout specified in the request URL - time: invalid duration "soon"',
    });
    expectObject(await client.get(`${maps}?timeout=0s`));
  });
});

it('ends watches that ask for no end after a while, cleanly', async () => {
  const watches = await Promise.all(
    Array.from({ length: 5 }, () => WatchStream.open(client, `${maps}?watch=true&limit=1`)),
  );
  const ends = await Promise.all(watches.map(({ ended }) => ended));
  expect(new Set(ends)).toEqual(new Set(['complete']));
});

interface Http2Answer {
  readonly status: number;
  readonly text: string;
}

async function overHttp2(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body?: string,
): Promise<Http2Answer> {
  const stream = session.request({
    accept: 'application/json',
    'content-type': 'application/json',
    ...headers,
  });
  stream.end(body);
  // Read from the start: Node 24 may close a stream behind its response, and what is read first then looks torn.
  const [[head], text] = await Promise.all([
    once(stream, 'response') as Promise<[Record<string, unknown>]>,
    textOf(stream),
  ]);
  return { status: Number(head[':status']), text };
}

describe('connections', () => {
  it('carry many requests at once over HTTP/2', async () => {
    const session = connectHttp2(admin.url, { ca: admin.ca, cert: admin.cert, key: admin.key });
    const count = 200;
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) => {
        const body = JSON.stringify(configMap(`h2-${String(index)}`));
        return overHttp2(session, { ':method': 'POST', ':path': maps }, body);
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 201));
    // A reset in the middle of a body is the client's affair.
    const reset = session.request({ ':method': 'POST', ':path': maps });
    reset.on('error', () => undefined);
    reset.write('{"metadata":');
    reset.close(8);
    expect((await overHttp2(session, { ':path': `${maps}/h2-0` })).status).toBe(200);
    session.close();
  });

  it('on which nonsense is said do no harm to others', async () => {
    const { hostname, port } = new URL(admin.url);
    const plain = connect({ host: hostname, port: Number(port) });
    plain.on('error', () => undefined);
    plain.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const sayings = [
      'NONSENSE\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      `POST ${maps} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{"metadata":`,
      `POST ${maps} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ];
    const before = await versionNow(client, maps);
    for (const saying of sayings) {
      const socket = await rawConnection(admin);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(saying);
      socket.end();
      socket.resume();
      await closed;
    }
    plain.destroy();
    for (const path of [
      '//',
      '/%',
      '/%zz',
      '/api//v1',
      '/api/v1/namespaces//configmaps',
      '/apis/%2e%2e',
      '/api/v1/namespaces/default/configmaps/%2e%2e',
      '/?&=&%',
      `${maps}/${'n'.repeat(5_000)}`,
      `${maps}?limit=-1`,
      `${maps}?limit=99999999999999999999`,
    ]) {
      const { status } = await get(admin, path);
      expect(status, path).toBeLessThan(500);
    }
    expect(await versionNow(client, maps)).toBe(before);
    expect((await client.get('/readyz')).status).toBe(200);
  });
});
