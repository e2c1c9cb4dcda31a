import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { testClock, testLogger } from '../../actors/given.fixture.ts';
import { makeLeaf } from './certificate-maker.ts';
import type { PemPair } from './certificate-pair.ts';
import { authority, closeAll, HOST, listening, serving } from './given-listener.fixture.ts';
import { namedPairFiles } from './named-pairs.ts';
import type { Pki } from './self-signed.ts';
import { startTlsReload } from './tls-reload.ts';
import { tlsOptions, type TlsFiles } from './tls.ts';

const folder = mkdtempSync(join(tmpdir(), 'named-pairs-'));
afterEach(closeAll);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const validity = { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 3_600_000 };
const pki = { authority: authority.certificate, serving } as Pki; // All that is read of it.

function pair(commonName: string, hosts: readonly string[]): Promise<PemPair> {
  const names = hosts.map((value) => ({ type: 'dns', value }) as const);
  return makeLeaf(authority, { commonName, organizations: [], use: 'server', names, validity });
}

/** @returns the value of a flag for it. */
function written(name: string, { certificate, key }: PemPair, names = ''): string {
  writeFileSync(join(folder, `${name}.crt`), certificate);
  writeFileSync(join(folder, `${name}.key`), key);
  return `${join(folder, name)}.crt,${join(folder, name)}.key${names}`;
}

async function given(flags: readonly string[]) {
  const files: TlsFiles = {
    ...{ tlsCertFile: undefined, tlsPrivateKeyFile: undefined, clientCaFile: undefined },
    tlsSniCertKey: flags.map(namedPairFiles),
  };
  const tls = tlsOptions(pki, files);
  const { listener } = await listening(() => undefined, undefined, undefined, tls);
  const shown = async (servername: string): Promise<string> => {
    const { certificate: ca } = authority;
    const asked = { host: HOST, port: listener.port, ca, servername, rejectUnauthorized: false };
    const socket = connect(asked);
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return String(CN);
  };
  return { files, listener, shown };
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
    const { files, listener, shown } = await given([flag]);
    expect(await shown('m.io')).toBe('first');
    const reload = await startTlsReload({
      ...{ pki, files, clock: testClock(), logger: testLogger() },
      renew: (tls, change) => {
        listener.renew(tls, change);
      },
      until: new AbortController().signal,
    });
    written('moving', await pair('second', ['m.io']));
    await reload.look();
    expect(await shown('m.io')).toBe('second');
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
