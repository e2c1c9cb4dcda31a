/** Whom connections to servers believe, over real TLS. */
import { createServer, type Server } from 'node:https';
import { createServer as createTlsServer } from 'node:tls';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { makeAuthority, makeLeaf } from '../listener/tls/certificate-maker.ts';
import type { PemPair } from '../listener/tls/certificate-pair.ts';
import { secureRequest, type SecureRequestOptions, TrustingAgent } from './trusting-agent.ts';

const now = Date.now();
const HOUR_MS = 3_600_000;
const validity = { notBefore: now - HOUR_MS, notAfter: now + HOUR_MS };
const root = await makeAuthority('root', validity);
const stranger = await makeAuthority('root', validity);
const leaf = await makeLeaf(root, {
  ...{ commonName: 'hooks', organizations: [], use: 'server', validity },
  names: [{ type: 'dns', value: 'localhost' }],
});

const open: Server[] = [];
const clock = testClock(now);
const agent = new TrustingAgent({ clock, keepAlive: true });
afterAll(() => {
  agent.destroy();
  for (const server of open) server.close();
});

/** @param mayAnswer waited for by each answer. */
async function serving({ certificate, key }: PemPair, mayAnswer?: Promise<void>) {
  let asked = 0;
  const server = createServer({ cert: certificate, key }, (_, answer) => {
    asked += 1;
    if (mayAnswer === undefined) answer.end('here');
    else void mayAnswer.then(() => answer.end('here'));
  });
  const closed = new Promise<void>((resolve) => {
    server.on('secureConnection', (socket) => socket.once('close', resolve));
  });
  open.push(server);
  // It closes none by itself.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return { port, asked: () => asked, closed };
}

function ask(port: number, options: Partial<SecureRequestOptions>): Promise<string> {
  return new Promise((resolve) => {
    const sent = secureRequest({ agent, host: 'localhost', port, ...options });
    sent.on('error', (error) => {
      resolve(error.message);
    });
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => {
        resolve('answered');
      });
    });
    sent.end();
  });
}

describe('TrustingAgent', () => {
  it('believes an authority, and a certificate that is the authority itself', async () => {
    const { port, asked } = await serving(leaf);
    expect(await ask(port, { ca: root.certificate })).toBe('answered');
    expect(await ask(port, { ca: leaf.certificate })).toBe('answered');
    expect(await ask(port, { ca: `some text\n${root.certificate}` })).toBe('answered');
    expect(await ask(port, { rejectUnauthorized: false })).toBe('answered');
    expect(asked()).toBe(4);
  });

  it.each([
    ['another authority', { ca: stranger.certificate }, 'signed by unknown authority'],
    ['only this machine does', {}, 'signed by unknown authority'],
    [
      'another name',
      { ca: root.certificate, servername: 'other.example' },
      'x509: certificate is valid for localhost, not other.example',
    ],
    [
      'an address',
      { ca: root.certificate, host: '127.0.0.1' },
      "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    ],
  ])('does not believe %s, and asks it nothing', async (_, options, words) => {
    const { port, asked } = await serving(leaf);
    const answer = await ask(port, options);
    expect(answer).toMatch(/^tls: failed to verify certificate: x509: /);
    expect(answer).toContain(words);
    expect(asked()).toBe(0);
  });

  it('lets no byte out to whom it does not believe', async () => {
    const heard: Buffer[] = [];
    const server = createTlsServer({ cert: leaf.certificate, key: leaf.key }, (socket) => {
      socket.on('data', (bytes: Buffer) => heard.push(bytes));
      socket.on('error', () => undefined);
    });
    const closed = new Promise<void>((resolve) => {
      server.on('connection', (socket: Socket) => {
        socket.on('close', () => {
          resolve();
        });
      });
      server.on('tlsClientError', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // It listens on TCP.
    const answer = await ask(port, {
      ca: stranger.certificate,
      headers: { authorization: 'Bearer secret' },
    });
    expect(answer).toContain('unknown authority');
    await closed;
    expect(Buffer.concat(heard).toString()).toBe('');
    server.close();
  });

  it('judges by the clock, each connection anew', async () => {
    const { port } = await serving(leaf);
    const late = new TrustingAgent({ clock: testClock(now + 2 * HOUR_MS) });
    expect(await ask(port, { ca: root.certificate, agent: late })).toContain(
      'x509: certificate has expired or is not yet valid',
    );
    expect(await ask(port, { ca: root.certificate })).toBe('answered');
  });

  it('closes what was idle for 90 seconds, or for as long as is said', async () => {
    expect(agent.options.timeout).toBe(90_000);
    const { port, closed } = await serving(leaf);
    const hasty = new TrustingAgent({ clock, keepAlive: true, timeout: 20 });
    expect(await ask(port, { ca: root.certificate, agent: hasty })).toBe('answered');
    await closed;
    hasty.destroy();
  });

  it('keeps a connection whose request waits for longer than that', async () => {
    let answerNow = (): void => undefined;
    const wasIdle = new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    const { port, asked } = await serving(leaf, wasIdle);
    const hasty = new TrustingAgent({ clock, keepAlive: true, timeout: 20 });
    const options = { host: 'localhost', port, ca: root.certificate, agent: hasty };
    const code = await new Promise((resolve, reject) => {
      const sent = secureRequest(options).once('timeout', answerNow).on('error', reject);
      sent.once('response', (response) => {
        response.resume().once('end', () => {
          resolve(response.statusCode);
        });
      });
      sent.end();
    });
    expect([code, asked()]).toEqual([200, 1]);
    hasty.destroy();
  });

  it('says what is wrong with a bundle', async () => {
    expect(await ask(1, { ca: 'no PEM' })).toBe(
      'unable to load root certificates: unable to parse bytes as PEM block',
    );
  });
});
