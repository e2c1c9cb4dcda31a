import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { givenControlPlane } from '../../../actors/registry/given-registry.fixture.ts';
import { preparePki, readAuthority } from '../../listener/tls/self-signed.ts';
import { isSealedSecret, seal, shareAuthority, unseal } from './shared-authority.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';

let root: string;
let next = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'everwatch-authority-'));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const newDir = (): string => join(root, `data-${String((next += 1))}`);

function keyFile(content = 'a secret of some length'): string {
  const path = `${newDir()}.key`;
  writeFileSync(path, content);
  return path;
}

/** One log, and servers with a data directory each that want its authority. */
async function given() {
  const { context, objects } = await givenControlPlane();
  const share = (dataDir: string, path?: string) =>
    shareAuthority({
      context,
      clock: systemClock,
      random: systemRandom,
      dataDir,
      keyFile: path,
    });
  const inLog = (): string =>
    objects.get('dev.everwatch/authorities', '/control-plane')?.json.toString() ?? '';
  return { share, inLog };
}

describe("a control plane's authority", () => {
  it('is that of its first server, with a key file also that of the others', async () => {
    const { share, inLog } = await given();
    const [first, second, key] = [newDir(), newDir(), keyFile()];
    await share(first, key);
    await share(second, key);
    const authority = await readAuthority(first);
    expect(await readAuthority(second)).toEqual(authority);
    expect(inLog()).toContain('BEGIN CERTIFICATE');
    expect(inLog()).not.toContain('PRIVATE KEY');

    await share(first, key);
    await share(second, key);
    expect(await readAuthority(first)).toEqual(authority);
    expect(await readAuthority(second)).toEqual(authority);
  });

  it('is one of two that begin at once', async () => {
    const { share } = await given();
    const [first, second, key] = [newDir(), newDir(), keyFile()];
    await Promise.all([share(first, key), share(second, key)]);
    expect(await readAuthority(second)).toEqual(await readAuthority(first));
    expect(await readAuthority(first)).toBeDefined();
  });

  it('is not guessed: without a key file, or with another, a second server stops', async () => {
    const { share } = await given();
    const first = newDir();
    await share(first);
    await expect(share(newDir())).rejects.toThrow('has an authority already');
    await expect(share(newDir(), keyFile())).rejects.toThrow('its key is not in the log');

    await share(first, keyFile('the secret of the first'));
    await expect(share(newDir(), keyFile('another secret, as long'))).rejects.toThrow(
      'sealed with another one',
    );
  });

  it('is not replaced: a server that has another stops', async () => {
    const { share } = await given();
    const [key, other] = [keyFile(), newDir()];
    await share(newDir(), key);
    await preparePki({ dataDir: other, hostNames: [], now: systemClock.now() });
    await expect(share(other, key)).rejects.toThrow("but this control plane's is SHA256:");
  });

  it('needs a key file that is one', async () => {
    const { share } = await given();
    await expect(share(newDir(), '/no/such/file')).rejects.toThrow('no such file or directory');
    await expect(share(newDir(), keyFile('short'))).rejects.toThrow('at least 16 bytes');
  });
});

const KEY = Buffer.from('a key file');

describe('a sealed secret', () => {
  it('can be read with its key, also after it was JSON', () => {
    const sealed: unknown = JSON.parse(JSON.stringify(seal('-----BEGIN ü', KEY)));
    expect(isSealedSecret(sealed) && unseal(sealed, KEY)).toBe('-----BEGIN ü');
  });

  it('says nothing without it, nor when it was changed', () => {
    const sealed = seal('secret', KEY);
    expect(JSON.stringify(sealed)).not.toContain('secret');
    expect(unseal(sealed, Buffer.from('another'))).toBeUndefined();
    for (const part of ['salt', 'nonce', 'tag', 'text'] as const) {
      const bytes = Buffer.from(sealed[part], 'base64');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      expect(unseal({ ...sealed, [part]: bytes.toString('base64') }, KEY)).toBeUndefined();
    }
    expect(unseal({ ...sealed, tag: '' }, KEY)).toBeUndefined();
  });

  it('differs each time', () => {
    expect(seal('secret', KEY).text).not.toBe(seal('secret', KEY).text);
  });

  it('is known by its parts', () => {
    expect(isSealedSecret(undefined)).toBe(false);
    expect(isSealedSecret({ ...seal('x', KEY), algorithm: 'rot13' })).toBe(false);
    expect(isSealedSecret({ ...seal('x', KEY), tag: 1 })).toBe(false);
  });
});
