import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KeyRing } from '../../../actors/authentication/jwt/key-ring.ts';
import { adoptAuthority, preparePki, readAuthority } from '../../listener/tls/self-signed.ts';
import { fillKeyRing } from './service-account-keys.ts';

const made: string[] = [];

async function directory(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'everwatch-keys-'));
  made.push(dataDir);
  return dataDir;
}

afterEach(async () => {
  for (const dataDir of made.splice(0)) await rm(dataDir, { recursive: true });
});

const NO_FILES = {
  serviceAccountSigningKeyFile: undefined,
  serviceAccountKeyFile: [],
  serviceAccountSigningEndpoint: undefined,
};

async function idIn(dataDir: string): Promise<string | undefined> {
  const ring = new KeyRing();
  await fillKeyRing(ring, { dataDir, ...NO_FILES });
  return ring.signing?.verification.id;
}

async function prepared(): Promise<string> {
  const dataDir = await directory();
  await preparePki({ dataDir, hostNames: [], now: Date.now() });
  return dataDir;
}

describe('fillKeyRing', () => {
  it('makes the same key wherever the authority is the same, and keeps it', async () => {
    const one = await prepared();
    const other = await directory();
    const authority = await readAuthority(one);
    if (authority === undefined) throw new Error('no authority');
    await adoptAuthority(other, authority);
    const id = await idIn(one);
    expect(id).toMatch(/^[\w-]{43}$/);
    expect(await idIn(other)).toBe(id);
    expect(await idIn(await prepared())).not.toBe(id);
    expect((await stat(join(one, 'pki', 'sa.key'))).mode & 0o777).toBe(0o600);
    await rm(join(one, 'pki', 'ca.key'));
    expect(await idIn(one)).toBe(id);
  });

  it('takes the keys of files, several of them, public or private', async () => {
    const dataDir = await directory();
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const pem = (key: typeof rsa.publicKey) => key.export({ type: 'spki', format: 'pem' });
    const signing = join(dataDir, 'signing.pem');
    const others = join(dataDir, 'others.pem');
    await writeFile(signing, rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }));
    await writeFile(others, `${String(pem(rsa.publicKey))}${String(pem(ec.publicKey))}`);
    const ring = new KeyRing();
    await fillKeyRing(ring, {
      dataDir,
      ...NO_FILES,
      serviceAccountSigningKeyFile: signing,
      serviceAccountKeyFile: [others],
    });
    expect(ring.algorithms).toEqual(['ES384', 'RS256']);
    expect(ring.keysFor('')).toHaveLength(2);
    expect(ring.signing?.header['alg']).toBe('RS256');
    expect(JSON.stringify(ring.keySet)).not.toContain('"d"');
  });

  it('says which file has no key in it, and none of what it has', async () => {
    const dataDir = await directory();
    const path = join(dataDir, 'x.pem');
    await writeFile(path, 'hush-hush');
    const told = fillKeyRing(new KeyRing(), {
      dataDir,
      ...NO_FILES,
      serviceAccountSigningKeyFile: path,
    });
    await expect(told).rejects.toThrow(/signing-key-file .*x\.pem: no RSA or ECDSA private key/);
    await expect(told).rejects.not.toThrow(/hush/);
    expect(await readFile(path, 'utf8')).toBe('hush-hush');
  });
});
