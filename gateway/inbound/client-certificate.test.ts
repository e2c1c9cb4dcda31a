import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthorityPool } from '../../actors/authentication/authority-pool.ts';
import { testClock } from '../../actors/request/given.fixture.ts';
import type { Connection } from '../../actors/request/request-line.ts';
import { makeAuthority, makeLeaf } from '../listener/tls/certificate-maker.ts';
import type { PemPair } from '../listener/tls/certificate-pair.ts';
import { preparePki, type Pki } from '../listener/tls/self-signed.ts';
import { tlsOptions } from '../listener/tls/tls.ts';
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
async function connected(pair: PemPair | undefined): Promise<Connection> {
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
  const connection = connectionOf(socket);
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
    expect(certificate).toMatchObject({ commonName: '', organizations: [] });
  });

  it('knows nothing where the client showed nothing', async () => {
    expect((await connected(undefined)).clientCertificate()).toBeUndefined();
  });

  it('is as good as the authorities say, while they do', async () => {
    const clock = testClock(now);
    const pool = new AuthorityPool(pki.authority, clock);
    const judged = async (pair: PemPair): Promise<string> => {
      const certificate = (await connected(pair)).clientCertificate();
      return certificate === undefined ? 'none' : pool.problemOf(certificate);
    };
    const expired = { notBefore: now - 2 * HOUR_MS, notAfter: now - HOUR_MS };
    expect(await judged(stranger.admin)).toContain('signed by unknown authority');
    expect(await judged(await leaf({ use: 'server' }))).toContain('incompatible key usage');
    expect(await judged(await leaf({ validity: expired }))).toContain('has expired');
    const good = (await connected(await leaf())).clientCertificate();
    if (good === undefined) throw new Error('no certificate');
    expect(pool.problemOf(good)).toBe('');
    clock.advance(2 * HOUR_MS);
    expect(pool.problemOf(good)).toContain('has expired');
  });

  it('believes a client whose own certificate is an authority, and one below what it shows', async () => {
    const own = await leaf();
    const middle = await makeAuthority('middle', { notBefore: now, notAfter: now + HOUR_MS });
    const named = { commonName: 'jane', organizations: [], names: [] };
    const validity = { notBefore: now - HOUR_MS, notAfter: now + HOUR_MS };
    const below = await makeLeaf(middle, { ...named, use: 'client', validity });
    const pool = new AuthorityPool(`${own.certificate}${middle.certificate}`, testClock(now + 1));
    const certificates = await Promise.all(
      [own, { ...below, certificate: `${below.certificate}${middle.certificate}` }].map(
        async (pair) => (await connected(pair)).clientCertificate(),
      ),
    );
    for (const one of certificates) expect(one && pool.problemOf(one)).toBe('');
    expect(certificates.map((one) => one?.intermediates?.().length)).toEqual([
      // Node adds the authority that it was told of.
      expect.any(Number),
      1,
    ]);
  });
});
