import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorityNames } from './authority-names.ts';
import { preparePki, type Pki } from './self-signed.ts';
import { clientAuthorities, servingPair, tlsOptions, trustAnchor, type TlsFiles } from './tls.ts';

const NOW = Date.UTC(2026, 10, 21);
const NONE: TlsFiles = {
  tlsCertFile: undefined,
  tlsPrivateKeyFile: undefined,
  clientCaFile: undefined,
};

let directory: string;
let pki: Pki;
let other: Pki;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'everwatch-tls-'));
  pki = await preparePki({ dataDir: join(directory, 'a'), hostNames: [], now: NOW });
  other = await preparePki({ dataDir: join(directory, 'b'), hostNames: [], now: NOW });
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

async function fileWith(name: string, content: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

async function ownFiles(certificate: string, key: string): Promise<TlsFiles> {
  return {
    ...NONE,
    tlsCertFile: await fileWith('own.crt', certificate),
    tlsPrivateKeyFile: await fileWith('own.key', key),
  };
}

describe('tlsOptions', () => {
  it('shows our own certificate and believes our own authority', () => {
    const options = tlsOptions(pki, NONE);
    expect(options).toMatchObject({
      cert: pki.serving.certificate,
      ca: authorityNames([pki.authority]),
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
      minVersion: 'TLSv1.2',
    });
    expect(() => createSecureContext(options)).not.toThrow();
  });

  it('offers HTTP/1.1 alone where it is told so', () => {
    expect(tlsOptions(pki, { ...NONE, disableHttp2: true }).ALPNProtocols).toEqual(['http/1.1']);
  });

  it("shows the operator's where there is one", async () => {
    const { certificate, key } = other.serving;
    const files = await ownFiles(certificate, key);
    expect(servingPair(pki, files)).toEqual({ certificate, key });
  });

  it.each([
    ['cert', 'nonsense', '--tls-cert-file FILES/own.crt: not a PEM certificate'],
    ['key', 'nonsense', '--tls-private-key-file FILES/own.key: not an unencrypted PEM private key'],
    [
      'key',
      'other',
      '--tls-private-key-file FILES/own.key does not belong to --tls-cert-file FILES/own.crt',
    ],
  ])('says in one line what is wrong with the %s', async (part, content, message) => {
    const { certificate, key } = other.serving;
    const wrong = content === 'other' ? pki.serving.key : content;
    const files = await ownFiles(
      part === 'cert' ? wrong : certificate,
      part === 'key' ? wrong : key,
    );
    const expected = message.replaceAll('FILES', directory);
    expect(() => servingPair(pki, files)).toThrow(expected);
  });

  it('says in one line which file is not there', () => {
    const files = { ...NONE, tlsCertFile: '/no/such.crt', tlsPrivateKeyFile: '/no/such.key' };
    expect(() => servingPair(pki, files)).toThrow(
      'cannot read --tls-cert-file /no/such.crt: no such file or directory',
    );
  });
});

describe('clientAuthorities', () => {
  it('believes those of the file beside our own', async () => {
    const clientCaFile = await fileWith('ca.pem', `# two\n${other.authority}${pki.authority}`);
    const authorities = clientAuthorities(pki, { ...NONE, clientCaFile });
    expect(authorities.map((one) => one.trim())).toEqual(
      [pki.authority, other.authority, pki.authority].map((one) => one.trim()),
    );
  });

  it.each([
    ['', 'no PEM certificate in it'],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'not a PEM certificate'],
  ])('refuses a file with %j', async (content, problem) => {
    const clientCaFile = await fileWith('ca.pem', content);
    expect(() => clientAuthorities(pki, { ...NONE, clientCaFile })).toThrow(
      `--client-ca-file ${clientCaFile}: ${problem}`,
    );
  });
});

describe('trustAnchor', () => {
  it('is our authority, or what the own chain ends in', async () => {
    expect(trustAnchor(pki, NONE)).toBe(pki.authority);
    const { certificate, key } = other.serving;
    const chain = await ownFiles(certificate + other.authority, key);
    expect(trustAnchor(pki, chain)?.trim()).toBe(other.authority.trim());
  });

  it('is the authority of clients that has signed the own certificate', async () => {
    const { certificate, key } = other.serving;
    const files = await ownFiles(certificate, key);
    const clientCaFile = await fileWith('ca.pem', pki.authority + other.authority);
    expect(trustAnchor(pki, { ...files, clientCaFile })?.trim()).toBe(other.authority.trim());
    const elsewhere = { ...files, clientCaFile: await fileWith('none.pem', pki.authority) };
    expect(trustAnchor(pki, elsewhere)).toBeUndefined();
  });

  it("is nothing where the client's machine has to know", async () => {
    const { certificate, key } = other.serving;
    expect(trustAnchor(pki, await ownFiles(certificate, key))).toBeUndefined();
  });
});
