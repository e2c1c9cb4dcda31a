import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fillCertificateDirectory } from './certificate-directory.ts';
import { preparePki } from './self-signed.ts';

const folder = mkdtempSync(join(tmpdir(), 'certificate-directory-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const DAY_MS = 86_400_000;
const now = Date.UTC(2026, 10, 21);
const pki = await preparePki({ dataDir: join(folder, 'data'), hostNames: [], now });
const other = await preparePki({ dataDir: join(folder, 'other'), hostNames: [], now });

function paths(name: string) {
  const directory = join(folder, name, 'deep');
  return { certFile: join(directory, 'apiserver.crt'), keyFile: join(directory, 'apiserver.key') };
}

const contents = ({ certFile, keyFile }: ReturnType<typeof paths>): string[] =>
  [certFile, keyFile].map((file) => readFileSync(file, 'utf8'));

describe('a directory of certificates', () => {
  it('gets the pair of the server, and a newer one when that was renewed', async () => {
    const here = paths('empty');
    await fillCertificateDirectory(pki, here);
    expect(contents(here)).toEqual([`${pki.serving.certificate}${pki.authority}`, pki.serving.key]);
    const dataDir = join(folder, 'data');
    const later = await preparePki({ dataDir, hostNames: [], now: now + 350 * DAY_MS });
    await fillCertificateDirectory(later, here);
    expect(contents(here)[0]).toContain(later.serving.certificate);
    expect(later.serving.key).not.toBe(pki.serving.key);
  });

  it("keeps an operator's pair as it is, even one that is no good", async () => {
    const here = paths('kept');
    await fillCertificateDirectory(other, here);
    const before = contents(here);
    await fillCertificateDirectory(pki, here);
    expect(contents(here)).toEqual(before);
    writeFileSync(here.certFile, 'nonsense');
    await fillCertificateDirectory(pki, here);
    expect(contents(here)[0]).toBe('nonsense');
  });

  it('is refused with half a pair', async () => {
    const here = paths('half');
    await fillCertificateDirectory(pki, here);
    rmSync(here.keyFile);
    await expect(fillCertificateDirectory(pki, here)).rejects.toThrow(
      `error reading ${here.keyFile}, certificate and key must be supplied as a pair`,
    );
  });
});
