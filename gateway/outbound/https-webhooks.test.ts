/** Certificates that Node would believe, or refuses in other words than Go. */
import { webcrypto } from 'node:crypto';
import 'reflect-metadata';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import * as x509 from '@peculiar/x509';
import { afterAll, expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { HttpsWebhooks } from './https-webhooks.ts';
import { formatCalls } from './rest-calls.ts';

const KEYS = { name: 'ECDSA', namedCurve: 'P-256' };
const validity = {
  notBefore: new Date(Date.now() - 60_000),
  notAfter: new Date(Date.now() + 3_600_000),
};
const open: Server[] = [];
afterAll(() => {
  for (const server of open) server.close();
});

function newKeys() {
  return webcrypto.subtle.generateKey(KEYS, true, ['sign', 'verify']);
}

/** @param names without any, there is the Common Name alone. */
async function webhookWith(hash: 'SHA-1' | 'SHA-256', names: readonly string[]) {
  x509.cryptoProvider.set(webcrypto);
  const [keys, own] = await Promise.all([newKeys(), newKeys()]);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=authority', keys, ...validity, signingAlgorithm: { ...KEYS, hash } },
    extensions: [new x509.BasicConstraintsExtension(true)],
  });
  const dns = names.map((value) => ({ type: 'dns', value }) as const);
  const certificate = await x509.X509CertificateGenerator.create({
    ...{ subject: 'CN=localhost', issuer: authority.subject, ...validity },
    ...{ publicKey: own.publicKey, signingKey: keys.privateKey },
    signingAlgorithm: { ...KEYS, hash },
    extensions: dns.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(dns)],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', own.privateKey));
  const pem = `-----BEGIN PRIVATE KEY-----\n${key.toString('base64')}\n-----END PRIVATE KEY-----\n`;
  // Else OpenSSL would not even serve what is to be refused.
  const ciphers = 'DEFAULT@SECLEVEL=0';
  const server = createServer(
    { cert: certificate.toString('pem'), key: pem, ciphers },
    (request, answer) => answer.end((request.url ?? '').split('?', 1)[0]),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return { url: `https://localhost:${String(port)}/`, caBundle: authority.toString('pem') };
}

async function ask(hash: 'SHA-1' | 'SHA-256', names: readonly string[], path = '') {
  const counted: string[] = [];
  const webhooks = new HttpsWebhooks({
    clock: testClock(Date.now()),
    resolve: () => ({ ok: false, message: '' }),
    deprecated: (problem) => counted.push(problem),
  });
  const place = await webhookWith(hash, names);
  const target = { ...place, url: `${place.url}${path}`, service: undefined };
  const answer = await webhooks.post(target, Buffer.from('{}'));
  const { host } = new URL(target.url);
  const calls = formatCalls()
    .split('\n')
    .filter((line) => line.includes(`host="${host}"`) && !line.includes('_bucket'))
    .map((line) => line.replace(`host="${host}"`, 'HOST'));
  return { answer, counted, calls };
}

it('counts and measures calls, answered or not', async () => {
  const { calls } = await ask('SHA-256', ['localhost']);
  const place = '{HOST,verb="POST"}';
  expect(calls).toEqual([
    'rest_client_requests_total{code="200",HOST,method="POST"} 1',
    expect.stringMatching(/^rest_client_request_duration_seconds_sum\{HOST,verb="POST"\} [\d.]+$/),
    `rest_client_request_duration_seconds_count${place} 1`,
    `rest_client_request_size_bytes_sum${place} 2`,
    `rest_client_request_size_bytes_count${place} 1`,
    `rest_client_response_size_bytes_sum${place} 1`,
    `rest_client_response_size_bytes_count${place} 1`,
  ]);
  const unanswered = await ask('SHA-256', []);
  expect(unanswered.calls[0]).toBe(
    'rest_client_requests_total{code="<error>",HOST,method="POST"} 1',
  );
});

it.each([
  ['', '/'],
  ['/validate', '/validate'],
  ['one//two/', '/one/two'],
  ['one/../two', '/two'],
])('asks where Go does: //HOST/%s is %s', async (path, asked) => {
  const { answer } = await ask('SHA-256', ['localhost'], path);
  expect(answer).toEqual({ ok: true, body: Buffer.from(asked) });
});

it('believes no Common Name where there are no other names', async () => {
  expect((await ask('SHA-256', ['localhost'])).answer).toMatchObject({ ok: true });
  const { answer, counted } = await ask('SHA-256', []);
  expect(answer).toMatchObject({
    message: expect.stringContaining(
      'tls: failed to verify certificate: x509: certificate relies on legacy Common Name field',
    ) as string,
  });
  expect(counted).toEqual(['missing_san']);
  expect((await ask('SHA-256', ['other.example'])).counted).toEqual([]);
});

it('believes nothing that is signed over SHA-1', async () => {
  const { answer, counted } = await ask('SHA-1', ['localhost']);
  expect(answer).toMatchObject({
    message: expect.stringContaining('x509: cannot verify signature: insecure algorithm') as string,
  });
  expect(counted).toEqual(['insecure_sha1']);
});
