import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testClock } from '../../actors/given.fixture.ts';
import type { Connection } from '../../actors/request.ts';
import { makeLeaf } from '../listener/certificate-maker.ts';
import type { PemPair } from '../listener/certificate-pair.ts';
import { preparePki, type Pki } from '../listener/self-signed.ts';
import { tlsOptions } from '../listener/tls.ts';
import { connectionOf } from './client-certificate.ts';

const NO_FILES = { tlsCertFile: undefined, tlsPrivateKeyFile: undefined, clientCaFile: undefined };
const HOUR_MS = 3_600_000;
const now = Date.now();

let directory: string;
let pki: Pki;
let stranger: Pki;
let authority: PemPair;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'everwatch-client-'));
  pki = await preparePki({ dataDir: join(directory, 'a'), hostNames: [], now });
  stranger = await preparePki({ dataDir: join(directory, 'b'), hostNames: [], now });
  const key = await readFile(join(directory, 'a', 'pki', 'ca.key'), 'utf8');
  authority = { certificate: pki.authority, key };
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

/** Shakes hands for real and gives the server's view of it. */
async function connected(pair: PemPair | undefined, clock = testClock(now)): Promise<Connection> {
  const server = createServer(tlsOptions(pki, NO_FILES));
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
  const options: ConnectionOptions = { host: '127.0.0.1', port, ca: pki.authority };
  const shown = pair === undefined ? {} : { cert: pair.certificate, key: pair.key };
  const [socket, client] = await Promise.all([
    new Promise<TLSSocket>((resolve) => server.once('secureConnection', resolve)),
    new Promise<TLSSocket>((resolve, reject) => {
      const made = connect({ ...options, ...shown }, () => {
        resolve(made);
      });
      made.once('error', reject);
    }),
  ]);
  const connection = connectionOf(socket, clock);
  const certificate = connection.clientCertificate();
  expect(connection.clientCertificate()).toBe(certificate);
  client.destroy();
  socket.destroy();
  server.close();
  return connection;
}

function leaf(fields: Partial<Parameters<typeof makeLeaf>[1]> = {}): Promise<PemPair> {
  return makeLeaf(authority, {
    commonName: 'jane',
    organizations: ['dev', 'ops\nO=system:masters'],
    use: 'client',
    names: [],
    validity: { notBefore: now - HOUR_MS, notAfter: now + HOUR_MS },
    ...fields,
  });
}

describe('connectionOf', () => {
  it('knows the administrator', async () => {
    const connection = await connected(pki.admin);
    expect(connection.remoteAddress).toContain('127.0.0.1');
    expect(connection.clientCertificate()).toMatchObject({
      verified: true,
      problem: '',
      commonName: 'kubernetes-admin',
      organizations: ['system:masters'],
    });
  });

  it('takes each organization as it is, whatever is in it', async () => {
    const certificate = (await connected(await leaf())).clientCertificate();
    expect(certificate).toMatchObject({
      commonName: 'jane',
      organizations: ['dev', 'ops\nO=system:masters'],
    });
  });

  it('knows a certificate without any name for what it is', async () => {
    const nameless = await leaf({ commonName: '', organizations: [] });
    const certificate = (await connected(nameless)).clientCertificate();
    expect(certificate).toMatchObject({ verified: true, commonName: '', organizations: [] });
  });

  it('knows nothing where the client showed nothing', async () => {
    expect((await connected(undefined)).clientCertificate()).toBeUndefined();
  });

  it('does not believe an authority it does not know', async () => {
    const certificate = (await connected(stranger.admin)).clientCertificate();
    expect(certificate?.verified).toBe(false);
    expect(certificate?.problem).not.toBe('');
  });

  it('does not believe a certificate that is for servers', async () => {
    const certificate = (await connected(await leaf({ use: 'server' }))).clientCertificate();
    expect(certificate?.verified).toBe(false);
  });

  it('does not believe a certificate that has run out', async () => {
    const validity = { notBefore: now - 2 * HOUR_MS, notAfter: now - HOUR_MS };
    const certificate = (await connected(await leaf({ validity }))).clientCertificate();
    expect(certificate).toMatchObject({ verified: false, problem: 'CERT_HAS_EXPIRED' });
  });

  it('stops believing one that runs out while the connection lives', async () => {
    const clock = testClock(now);
    const certificate = (await connected(await leaf(), clock)).clientCertificate();
    expect(certificate?.verified).toBe(true);
    clock.advance(2 * HOUR_MS);
    expect(certificate).toMatchObject({ verified: false, problem: 'CERT_HAS_EXPIRED' });
  });
});
