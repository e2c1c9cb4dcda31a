import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { testClock, testLogger } from '../../../actors/request/given.fixture.ts';
import { DerReader, TAG } from '../../../api/x509/der-reader.ts';
import { derSequence } from '../../../api/x509/der-writer.ts';
import { makeLeaf } from './certificate-maker.ts';
import type { PemPair } from './certificate-pair.ts';
import { authority, closeAll, HOST, listening, serving } from '../given-listener.fixture.ts';
import { namedPairFiles } from './named-pairs.ts';
import type { Pki } from './self-signed.ts';
import { startTlsReload, TLS_LOOK_MS } from './tls-reload.ts';
import { tlsOptions, type TlsFiles } from './tls.ts';

const folder = mkdtempSync(join(tmpdir(), 'named-pairs-'));
afterEach(closeAll);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const HAS_IPV6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);
if (!HAS_IPV6) {
  process.stderr.write('SKIPPED: addresses of IPv6; give the loopback interface the address ::1\n');
}
const validity = { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 3_600_000 };
const pki = { authority: authority.certificate, serving } as Pki; // All that is read of it.

function pair(
  commonName: string,
  hosts: readonly string[],
  addresses: readonly string[] = [],
): Promise<PemPair> {
  const names = [
    ...hosts.map((value) => ({ type: 'dns', value }) as const),
    ...addresses.map((value) => ({ type: 'ip', value }) as const),
  ];
  return makeLeaf(authority, { commonName, organizations: [], use: 'server', names, validity });
}

/** The same with a key of RSA, and the signature that it had, at which no test looks. */
function withRsaKey({ certificate }: PemPair): PemPair {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const old = new X509Certificate(certificate);
  const oldKey = old.publicKey.export({ type: 'spki', format: 'der' });
  const whole = elementsIn(old.raw);
  const body = elementsIn(whole[0]).map((part) => {
    return part.equals(oldKey) ? publicKey.export({ type: 'spki', format: 'der' }) : part;
  });
  const text = derSequence(derSequence(...body), ...whole.slice(1)).toString('base64');
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Of a sequence, with their tags. */
function elementsIn(sequence: Buffer = Buffer.alloc(0)): Buffer[] {
  const reader = new DerReader(sequence).enter(TAG.sequence);
  const elements: Buffer[] = [];
  for (let one = reader?.readAny(); one !== undefined; one = reader?.readAny()) {
    elements.push(one.whole);
  }
  return elements;
}

/** @returns the value of a flag for it. */
function written(name: string, { certificate, key }: PemPair, names = ''): string {
  writeFileSync(join(folder, `${name}.crt`), certificate);
  writeFileSync(join(folder, `${name}.key`), key);
  return `${join(folder, name)}.crt,${join(folder, name)}.key${names}`;
}

async function given(flags: readonly string[], host = HOST, main: Partial<TlsFiles> = {}) {
  const files: TlsFiles = {
    ...{ tlsCertFile: undefined, tlsPrivateKeyFile: undefined, clientCaFile: undefined },
    tlsSniCertKey: flags.map(namedPairFiles),
    ...main,
  };
  const tls = tlsOptions(pki, files);
  const { listener } = await listening(() => undefined, undefined, undefined, tls, host);
  const shown = async (servername: string, address = HOST): Promise<string> => {
    const { certificate: ca } = authority;
    const asked = { host: address, port: listener.port, ca, servername, rejectUnauthorized: false };
    const socket = connect(asked);
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return String(CN);
  };
  /** The common names of all that the server sends, its own first. */
  const chainShown = async (servername: string): Promise<string[]> => {
    // Without an authority, of which Node would tell too.
    const asked = { host: HOST, port: listener.port, servername, rejectUnauthorized: false };
    const socket = connect(asked);
    await once(socket, 'secureConnect');
    const names: string[] = [];
    let at: Partial<DetailedPeerCertificate> | undefined = socket.getPeerCertificate(true);
    while (at !== undefined && names.length < 9) {
      names.push(String(at.subject?.CN));
      const { issuerCertificate, fingerprint256 }: Partial<DetailedPeerCertificate> = at;
      // One that has signed itself is its own issuer.
      at = issuerCertificate?.fingerprint256 === fingerprint256 ? undefined : issuerCertificate;
    }
    socket.destroy();
    return names;
  };
  const exchanged = async (exchange: () => Promise<unknown>): Promise<void> => {
    const clock = testClock();
    const stopping = new AbortController();
    await startTlsReload({
      ...{ pki, files, clock, logger: testLogger() },
      renew: (renewed, change) => {
        listener.renew(renewed, change);
      },
      until: stopping.signal,
    });
    await exchange();
    clock.advance(TLS_LOOK_MS);
    await expect.poll(() => clock.waiting).toBe(1);
    stopping.abort();
  };
  return { shown, chainShown, exchanged };
}

describe('a client that asks for a name', () => {
  it('is shown the certificate for it', async () => {
    const { shown } = await given([
      written('own', await pair('own.io', ['alt.own.io', '*.own.io'])),
      written('given', await pair('given', ['not-asked.io']), ':*.own.io,exact.own.io,b.io'),
      written('later', await pair('later', ['later.io']), ':b.io,*.c.io'),
      written('whole', await pair('whole', ['x.whole.io', 'x.c.io']), ':x.c.io'),
    ]);
    const table = {
      'own.io': 'own.io', // Its common name.
      'alt.own.io': 'own.io', // A whole name wins over a wildcard.
      'ALT.own.io': 'own.io',
      'y.own.io': 'given', // A name that is given wins over one of a certificate.
      'exact.own.io': 'given',
      'b.io': 'given', // The earlier pair.
      'y.c.io': 'later',
      'x.c.io': 'whole',
      'y.x.c.io': 'server', // A wildcard is one label.
      'not-asked.io': 'given', // By nothing but its certificate.
      'x.whole.io': 'whole',
      'unknown.io': 'server',
      '': 'server',
    };
    const seen: Record<string, string> = {};
    for (const name of Object.keys(table)) seen[name] = await shown(name);
    expect(seen).toEqual(table);
  });

  it('is shown the next one when it was exchanged on disk', async () => {
    const flag = written('moving', await pair('first', ['m.io']));
    const { exchanged, shown } = await given([flag]);
    expect(await shown('m.io')).toBe('first');
    await exchanged(async () => written('moving', await pair('second', ['m.io'])));
    expect(await shown('m.io')).toBe('second');
  });
});

describe('what is shown with a certificate', () => {
  it('is the chain in its own file, and never that of another', async () => {
    const chained = (leaf: PemPair): PemPair => ({
      ...leaf,
      certificate: leaf.certificate + authority.certificate,
    });
    const [main = '', key = ''] = written('main', chained(serving)).split(',');
    const { chainShown } = await given(
      [
        written('alone', await pair('alone', [])) + ':alone.io',
        written('chained', chained(await pair('chained', []))) + ':chained.io',
      ],
      HOST,
      { tlsCertFile: main, tlsPrivateKeyFile: key },
    );
    expect(await chainShown('')).toEqual(['server', 'test']);
    expect(await chainShown('unknown.io')).toEqual(['server', 'test']);
    expect(await chainShown('alone.io')).toEqual(['alone']);
    expect(await chainShown('chained.io')).toEqual(['chained', 'test']);
  });

  it('is the key of its own file, also where the main one has a key of another kind', async () => {
    const { chainShown } = await given([
      written('rsa', withRsaKey(await pair('rsa', []))) + ':rsa.io',
      written('ec', await pair('ec', [])) + ':ec.io',
    ]);
    expect(await chainShown('rsa.io')).toEqual(['rsa']);
    expect(await chainShown('ec.io')).toEqual(['ec']);
    expect(await chainShown('')).toEqual(['server']);
  });
});

describe('a client that names no host', () => {
  const seenAt = async (
    shown: (name: string, address: string) => Promise<string>,
    places: readonly string[],
    name = '',
  ) => {
    const seen: Record<string, string> = {};
    for (const address of places) seen[address] = await shown(name, address);
    return seen;
  };

  it('is shown the certificate for the address that it reached', async () => {
    const { shown } = await given(
      [
        written('given', await pair('given', []), ':127.0.0.2,b.io'),
        written('later', await pair('later', []), ':127.0.0.2,127.0.0.3'),
        written('reads', await pair('reads', ['127.0.0.4'])),
        written('hidden', await pair('hidden', ['127.0.0.5']), ':c.io'),
        written('for', await pair('for', [], ['127.0.0.6'])),
        written('any', await pair('any', []), ':127.0.0.*'),
      ],
      '0.0.0.0',
    );
    const table = {
      '127.0.0.1': 'server',
      '127.0.0.2': 'given', // The earlier pair.
      '127.0.0.3': 'later',
      '127.0.0.4': 'reads', // A host name that reads like an address.
      '127.0.0.5': 'server', // Given names are all that counts.
      '127.0.0.6': 'server', // An address that the certificate is for is no name.
    };
    expect(await seenAt(shown, Object.keys(table))).toEqual(table);
    expect(await shown('unknown.io', '127.0.0.2')).toBe('server');
    expect(await shown('c.io', '127.0.0.2')).toBe('hidden');
  });

  it.skipIf(!HAS_IPV6)('reaches an address of IPv4 by either protocol', async () => {
    const { shown } = await given(
      [
        written('four', await pair('four', []), ':127.0.0.2'),
        written('six', await pair('six', []), ':::1'),
        written('long', await pair('long', []), ':0:0:0:0:0:0:0:1,::ffff:127.0.0.3'),
      ],
      '::',
    );
    const table = { '127.0.0.2': 'four', '127.0.0.3': 'server', '::1': 'six' };
    expect(await seenAt(shown, Object.keys(table))).toEqual(table);
  });

  it('is shown the pair with an empty name, where no pair has the address', async () => {
    const { shown } = await given(
      [
        written('rest', await pair('rest', []), ':rest.io,'),
        written('two', await pair('two', []), ':127.0.0.2'),
      ],
      '0.0.0.0',
    );
    const table = { '127.0.0.2': 'two', '127.0.0.3': 'rest' };
    expect(await seenAt(shown, Object.keys(table))).toEqual(table);
  });

  it('is shown the next one when it was exchanged on disk', async () => {
    const flag = written('there', await pair('first', []), `:${HOST}`);
    const { exchanged, shown } = await given([flag]);
    expect(await shown('')).toBe('first');
    await exchanged(async () => written('there', await pair('second', [])));
    expect(await shown('')).toBe('second');
  });
});

describe('a pair that is no good', () => {
  it('keeps the server from starting, in the words of kube-apiserver', async () => {
    const [one, other] = [await pair('one', []), await pair('other', [])];
    const failed = 'failed to load SNI cert and key: ';
    await expect(given(['/nope.crt,/nope.key'])).rejects.toThrow(
      `${failed}open /nope.crt: no such file or directory`,
    );
    const mixed = written('mixed', { certificate: one.certificate, key: other.key });
    await expect(given([mixed])).rejects.toThrow(
      `${failed}tls: private key does not match public key`,
    );
    const empty = written('empty', { certificate: '', key: one.key });
    await expect(given([empty])).rejects.toThrow(
      `${failed}tls: failed to find any PEM data in certificate input`,
    );
  });
});
