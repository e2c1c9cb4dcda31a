import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isSignedBy } from '../../listener/tls/certificate-pair.ts';
import { preparePki } from '../../listener/tls/self-signed.ts';
import { parseServeOptions } from '../../flags/flags.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { ownFrontProxy, withFrontProxy } from './own-front-proxy.ts';

const NOW = Date.UTC(2026, 0, 1);
const YEAR_MS = 365 * 24 * 3_600_000;
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function given(argv: readonly string[] = []) {
  const dataDir = mkdtempSync(join(tmpdir(), 'everwatch-front-proxy-'));
  folders.push(dataDir);
  const options = parseServeOptions([`--data-dir=${dataDir}`, ...argv], () => '');
  const file = (name: string) => join(dataDir, 'pki', name);
  return { dataDir, options, file, text: (name: string) => readFileSync(file(name), 'utf8') };
}

async function withOwn(options: ServeOptions, now: number): Promise<ServeOptions> {
  return withFrontProxy(options, await ownFrontProxy(options, now));
}

describe('a front proxy of its own', () => {
  it('has a server that is told nothing of one', async () => {
    const { options, file, text, dataDir } = given();
    const { authentication, aggregation } = await withOwn(options, NOW);
    expect(authentication).toMatchObject({
      requestheaderClientCaFile: file('front-proxy-ca.crt'),
      requestheaderAllowedNames: ['front-proxy-client'],
      requestheaderUsernameHeaders: ['x-remote-user'],
    });
    expect(aggregation).toMatchObject({
      proxyClientCertFile: file('front-proxy-client.crt'),
      proxyClientKeyFile: file('front-proxy-client.key'),
    });
    const shown = text('front-proxy-client.crt');
    expect(isSignedBy(shown, text('front-proxy-ca.crt'))).toBe(true);
    // No client of the server is a proxy, and the proxy is no client.
    const { authority, admin } = await preparePki({ dataDir, hostNames: [], now: NOW });
    expect(isSignedBy(shown, authority)).toBe(false);
    expect(isSignedBy(admin.certificate, text('front-proxy-ca.crt'))).toBe(false);
  });

  it('is kept over starts, renewed before it runs out, and not used where it is broken', async () => {
    const { options, file, text } = given();
    const pair = () => [text('front-proxy-ca.crt'), text('front-proxy-client.crt')];
    await withOwn(options, NOW);
    const [authority, first] = pair();
    await withOwn(options, NOW);
    expect(pair()).toEqual([authority, first]);
    await withOwn(options, NOW + YEAR_MS);
    const [same, second = ''] = pair();
    expect(same).toBe(authority);
    expect(second).not.toBe(first);
    expect(isSignedBy(second, authority ?? '')).toBe(true);
    writeFileSync(file('front-proxy-ca.key'), 'x');
    await expect(withOwn(options, NOW)).rejects.toThrow('front-proxy-ca.key are not complete');
    expect(pair()).toEqual([same, second]);
  });

  it.each([
    ['--requestheader-client-ca-file=a', '--requestheader-username-headers=X-Remote-User'],
    ['--requestheader-username-headers=X-Remote-User'],
    ['--proxy-client-cert-file=a', '--proxy-client-key-file=b'],
    ['--tls-cert-file=a', '--tls-private-key-file=b'],
    ['--cert-dir=a'],
    ['--client-ca-file=a'],
    ['--peer-ca-file=a'],
    ['--read-only'],
  ])('is none for a server that is told of one, or of its certificates: %s', async (...argv) => {
    const { options, text } = given(argv);
    expect(await withOwn(options, NOW)).toBe(options);
    expect(() => text('front-proxy-ca.crt')).toThrow('ENOENT');
  });
});
