import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { X509Certificate } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSignedBy, namesMissingFrom, pairProblem } from './certificate-pair.ts';
import { preparePki, type PkiRequest } from './self-signed.ts';

const NOW = Date.UTC(2026, 10, 21);
const DAY_MS = 24 * 3_600_000;

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'everwatch-pki-'));
});

afterEach(async () => {
  await rm(dataDir, { recursive: true });
});

function prepare(fields: Partial<PkiRequest> = {}) {
  return preparePki({
    dataDir,
    hostNames: ['box.example', '0.0.0.0', 'my_box'],
    now: NOW,
    ...fields,
  });
}

describe('the first start', () => {
  it('makes an authority, and certificates signed by it', async () => {
    const { authority, serving, admin } = await prepare();
    const root = new X509Certificate(authority);
    expect(root.ca).toBe(true);
    expect(root.checkIssued(root)).toBe(true);
    expect(isSignedBy(serving.certificate, authority)).toBe(true);
    expect(isSignedBy(admin.certificate, authority)).toBe(true);
    expect([pairProblem(serving), pairProblem(admin)]).toEqual([undefined, undefined]);
  });

  it('makes a serving certificate for all names of the server, and no client', async () => {
    const { serving } = await prepare({ hostNames: ['box.example', '192.0.2.7', '::'] });
    const names = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
    names.push('127.0.0.1', '::1', 'box.example', '192.0.2.7');
    expect(namesMissingFrom(serving.certificate, names)).toEqual([]);
    expect(namesMissingFrom(serving.certificate, ['evil.example', '192.0.2.8'])).toEqual([
      'evil.example',
      '192.0.2.8',
    ]);
    const leaf = new X509Certificate(serving.certificate);
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(leaf.ca).toBe(false);
    expect(Date.parse(leaf.validTo)).toBe(NOW + 365 * DAY_MS);
    expect(Date.parse(leaf.validFrom)).toBeLessThan(NOW);
  });

  it('makes the administrator a member of system:masters', async () => {
    const leaf = new X509Certificate((await prepare()).admin.certificate);
    expect(leaf.subject).toBe('O=system:masters\nCN=kubernetes-admin');
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  });

  it('lets no other user read the files', async () => {
    await prepare();
    const directory = join(dataDir, 'pki');
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const name of ['ca', 'apiserver', 'admin']) {
      expect((await stat(join(directory, `${name}.key`))).mode & 0o777).toBe(0o600);
      expect((await stat(join(directory, `${name}.crt`))).mode & 0o777).toBe(0o600);
    }
  });
});

describe('a later start', () => {
  it('uses what is there', async () => {
    const first = await prepare();
    expect(await prepare({ now: NOW + 300 * DAY_MS })).toEqual(first);
  });

  it('renews what runs out within thirty days, but not the authority', async () => {
    const first = await prepare();
    const second = await prepare({ now: NOW + 336 * DAY_MS });
    expect(second.authority).toBe(first.authority);
    expect(second.serving.certificate).not.toBe(first.serving.certificate);
    expect(second.admin.certificate).not.toBe(first.admin.certificate);
    expect(isSignedBy(second.serving.certificate, first.authority)).toBe(true);
  });

  it('renews the authority in its last thirty days, and all with it', async () => {
    const first = await prepare();
    const second = await prepare({ now: NOW + 3_630 * DAY_MS });
    expect(second.authority).not.toBe(first.authority);
    expect(isSignedBy(second.admin.certificate, second.authority)).toBe(true);
  });

  it('makes a new serving certificate where a name is missing', async () => {
    const first = await prepare();
    const second = await prepare({ hostNames: ['new.example'] });
    expect(second.admin).toEqual(first.admin);
    expect(namesMissingFrom(second.serving.certificate, ['new.example'])).toEqual([]);
  });

  it('makes a leaf anew that is broken or belongs to another authority', async () => {
    await prepare();
    await writeFile(join(dataDir, 'pki', 'apiserver.key'), 'nonsense');
    const { serving } = await prepare();
    expect(pairProblem(serving)).toBeUndefined();
  });

  it('goes on after a crash on the first start', async () => {
    await prepare();
    await rm(join(dataDir, 'pki', 'ca.crt'));
    const { authority, admin } = await prepare();
    expect(isSignedBy(admin.certificate, authority)).toBe(true);
  });

  it.each([
    ['ca.crt', 'are no certificate and key'],
    ['ca.key', 'are not complete, the key is missing or broken'],
  ])('never replaces an authority that is there but broken: %s', async (file, problem) => {
    await prepare();
    const path = join(dataDir, 'pki', file);
    await writeFile(path, 'nonsense');
    await expect(prepare()).rejects.toThrow(problem);
    expect(await readFile(path, 'utf8')).toBe('nonsense');
  });

  it('says so where the key of the authority was taken away', async () => {
    await prepare();
    await rm(join(dataDir, 'pki', 'ca.key'));
    await expect(prepare()).rejects.toThrow('the key is missing');
  });
});

it('says in one line where the directory cannot be made', async () => {
  const file = join(dataDir, 'file');
  await writeFile(file, '');
  await expect(prepare({ dataDir: file })).rejects.toMatchObject({
    name: 'StartupError',
    message: `cannot make the directory ${file}/pki: a part of the path is not a directory`,
  });
});
