import { once } from 'node:events';
import { connect, type ConnectionOptions } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { goOracle } from '../../../api/patch/go-oracle.fixture.ts';
import { authority, closeAll, HOST, listening, text } from '../given-listener.fixture.ts';
import {
  choiceOptions,
  CIPHER_SUITES,
  INSECURE_CIPHER_SUITES,
  PREFERRED_CIPHER_SUITES,
  TLS_CURVES,
  type TlsChoices,
} from './tls-choices.ts';

interface Theirs {
  readonly secure: readonly string[];
  readonly insecure: readonly string[];
  readonly curves: Readonly<Record<string, string>>;
}

const oracle = await goOracle('https-server');
const NONE: TlsChoices = {
  tlsMinVersion: 'TLSv1.2',
  tlsCipherSuites: [],
  tlsCurvePreferences: [],
};

afterEach(closeAll);

/** What is agreed on with a client that asks so: `TLSv1.3 TLS_AES_256_GCM_SHA384 X25519`, or a code. */
async function agreed(choices: Partial<TlsChoices>, asked: ConnectionOptions): Promise<string> {
  const tls = choiceOptions({ ...NONE, ...choices });
  const answer = (request: { reply: (answer: ReturnType<typeof text>) => void }): void => {
    request.reply(text('ok'));
  };
  const { listener } = await listening(answer, undefined, undefined, tls);
  const { certificate: ca } = authority;
  const socket = connect({ host: HOST, port: listener.port, ca, ...asked });
  try {
    await once(socket, 'secureConnect');
    const key = socket.getEphemeralKeyInfo() as { readonly name?: string } | null;
    const name = socket.getProtocol() === 'TLSv1.3' ? '' : (key?.name ?? '');
    return [socket.getProtocol(), socket.getCipher().standardName, name].join(' ').trim();
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  } finally {
    socket.destroy();
  }
}

const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL@SECLEVEL=0' } as const;
const TLS12 = { maxVersion: 'TLSv1.2' } as const;

describe('the lowest version', () => {
  it('is 1.2 unless another is chosen', async () => {
    expect(await agreed({}, OLD)).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    expect(await agreed({ tlsMinVersion: 'TLSv1' }, OLD)).toMatch(/^TLSv1 TLS_ECDHE_/);
    expect(await agreed({}, TLS12)).toMatch(/^TLSv1\.2 /);
    expect(await agreed({ tlsMinVersion: 'TLSv1.3' }, TLS12)).toBe(
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    );
  });
});

describe('cipher suites', () => {
  const suite = 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256';

  it('are those that are chosen, and all of TLS 1.3', async () => {
    const tlsCipherSuites = [suite];
    expect(await agreed({ tlsCipherSuites }, TLS12)).toContain(`TLSv1.2 ${suite}`);
    expect(await agreed({ tlsCipherSuites }, {})).toMatch(/^TLSv1\.3 TLS_AES_256/);
    const other = { ...TLS12, ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' };
    expect(await agreed({ tlsCipherSuites }, other)).toMatch(/_ALERT_HANDSHAKE_FAILURE$/);
  });
});

describe('curves', () => {
  it('are those that are chosen', async () => {
    expect(await agreed({ tlsCurvePreferences: [24] }, TLS12)).toMatch(/secp384r1$/);
    const other = { ...TLS12, ecdhCurve: 'X25519' };
    expect(await agreed({ tlsCurvePreferences: [24] }, other)).toMatch(/^ERR_SSL_/);
  });
});

describe.skipIf(oracle === undefined)('the choices', () => {
  const [theirs] = oracle?.<Theirs>([{}]) ?? [];

  it('are those of Go', () => {
    const legacy = ['TLS_ECDHE_RSA', 'TLS_ECDHE_ECDSA'].map(
      (one) => `${one}_WITH_CHACHA20_POLY1305`,
    );
    const secure = PREFERRED_CIPHER_SUITES.filter((one) => !legacy.includes(one));
    expect([...secure].sort()).toEqual([...(theirs?.secure ?? [])].sort());
    expect([...INSECURE_CIPHER_SUITES].sort()).toEqual([...(theirs?.insecure ?? [])].sort());
    expect([...TLS_CURVES.keys()].map(String).sort()).toEqual(
      Object.keys(theirs?.curves ?? {}).sort(),
    );
  });

  it('are called by OpenSSL what they are', async () => {
    for (const [go, openssl] of CIPHER_SUITES) {
      if (!openssl.startsWith('ECDHE-ECDSA')) continue;
      const tlsCipherSuites = [go];
      const name = go.endsWith('POLY1305') ? `${go}_SHA256` : go;
      expect(await agreed({ tlsCipherSuites }, TLS12)).toContain(`TLSv1.2 ${name}`);
    }
  });
});
