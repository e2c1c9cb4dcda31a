import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../actors/request/answer.ts';
import { givenAuthenticated } from '../../actors/request/given.fixture.ts';
import { parseHeadlampClusters } from '../flags/headlamp-clusters.ts';
import { systemClock } from '../process/system-clock.ts';
import { LateLiveHub } from '../live/live-hub.ts';
import type { Route } from '../routes/route.ts';
import { headlampRoutes } from './headlamp-route.ts';

const BASE = '/everwatch/headlamp';
const TOKEN = `${BASE}/clusters/everwatch/set-token`;
const headlampClusters = parseHeadlampClusters(['then=/at/12/still']);
const OWN = { 'sec-fetch-site': 'same-origin' };

const outer = mkdtempSync(join(tmpdir(), 'everwatch-headlamp-'));
const folder = join(outer, 'page');
let route: Route | undefined;

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(outer, 'secret'), 'secret');
  symlinkSync(join(outer, 'secret'), join(folder, 'linked'));
  const script = 'headlampBaseUrl = __baseUrl__; 1 < 2;';
  writeFileSync(
    join(folder, 'index.html'),
    `<script>${script}</script><script src="./assets/a.js"></script>`,
  );
  writeFileSync(join(folder, 'assets/a.js'), 'plain');
  writeFileSync(join(folder, 'assets/a.js.br'), 'packed');
  const parts = { live: new LateLiveHub(), clock: systemClock };
  [route] = await headlampRoutes({ headlampDir: folder, headlampClusters }, parts);
});
afterAll(() => {
  rmSync(outer, { recursive: true });
});

interface Asking {
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly body?: string;
}

async function asked(path: string, asking: Asking = {}): Promise<Answer | undefined> {
  return route?.(givenAuthenticated({ url: path, ...asking }).request);
}

async function shown(path: string, asking: Asking = {}) {
  const answer = await asked(path, asking);
  if (answer?.kind !== 'Document') throw new Error(`${path}: ${answer?.kind ?? 'no answer'}`);
  return { ...answer, text: Buffer.from(answer.body).toString() };
}

describe('the files', () => {
  it('are the page at every address that is no file, with its base in it', async () => {
    for (const path of ['/', '/index.html', '/c/everwatch/pods', '/assets', '/..%2fsecret']) {
      const { code, text, headers } = await shown(BASE + path);
      expect(code).toBe(200);
      expect(text).toContain("headlampBaseUrl = '/everwatch/headlamp'");
      expect(text).toContain('src="/everwatch/headlamp/assets/a.js"');
      expect(headers['Content-Type']).toBe('text/html; charset=utf-8');
    }
  });

  it.each(['/../secret', '/assets/../../secret', '/linked', '//secret'])(
    'are those of the folder alone: %s',
    async (path) => {
      expect((await shown(BASE + path)).text).not.toContain('secret');
    },
  );

  it('leave compressed for clients that take brotli, and are not sent again to those that have them', async () => {
    const plain = await shown(`${BASE}/assets/a.js`);
    expect([plain.text, plain.headers['Content-Encoding']]).toEqual(['plain', undefined]);
    const headers = { 'accept-encoding': 'gzip, br' };
    const packed = await shown(`${BASE}/assets/a.js`, { headers });
    expect([packed.text, packed.headers['Content-Encoding']]).toEqual(['packed', 'br']);
    const known = { ...headers, 'if-none-match': packed.headers['ETag'] ?? '' };
    expect(await shown(`${BASE}/assets/a.js`, { headers: known })).toMatchObject({
      code: 304,
      text: '',
    });
  });

  it('run the scripts that stand in the page by their digests, and no others', async () => {
    const policy = (await shown(`${BASE}/`)).headers['Content-Security-Policy'] ?? '';
    expect(policy).toMatch(/script-src 'self' 'sha256-[A-Za-z0-9+/=]{44}';/);
    expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:|\*/);
  });

  it('must be there at the start', async () => {
    const parts = { live: new LateLiveHub(), clock: systemClock };
    const missing = headlampRoutes(
      { headlampDir: join(folder, 'assets'), headlampClusters },
      parts,
    );
    await expect(missing).rejects.toThrow(/--headlamp-dir: cannot read index.html/);
    expect(await headlampRoutes({ headlampDir: undefined, headlampClusters }, parts)).toEqual([]);
  });
});

describe('a token', () => {
  const post = (path: string, body: string, headers: Record<string, string> = OWN) =>
    asked(path, { method: 'POST', body, headers });

  it('is kept for a page of this server', async () => {
    const answer = await post(TOKEN, '{"token":"abc"}');
    if (answer?.kind !== 'Stream') throw new Error('no cookies');
    expect(answer.headers['Set-Cookie']).toContain(
      'headlamp-auth-everwatch.0=abc; Path=/everwatch/headlamp/wsMultiplexer; Max-Age=86400; HttpOnly; Secure; SameSite=Strict',
    );
    expect((await post(`${BASE}/auth/set-token`, '{"cluster":"everwatch","token":""}'))?.kind).toBe(
      'Stream',
    );
    expect((await post(TOKEN, '{"token":null}'))?.kind).toBe('Stream');
  });

  it.each([
    [TOKEN, '{"token":"abc"}', {}, 403],
    [TOKEN, '{"token":"abc"}', { 'sec-fetch-site': 'same-site' }, 403],
    [TOKEN, '{"token":"a b"}', OWN, 400],
    [TOKEN, '{"token":1}', OWN, 400],
    [TOKEN, 'token=abc', OWN, 400],
    [`${BASE}/auth/set-token`, '{"token":"abc"}', OWN, 400],
    [`${BASE}/auth/set-token`, '{"cluster":"other","token":"abc"}', OWN, 400],
    [TOKEN.replace('everwatch/set', 'other/set'), '{"token":"abc"}', OWN, 400],
  ] as const)('is not kept: %s %s', async (path, body, headers, code) => {
    expect(await post(path, body, headers)).toMatchObject({ kind: 'Status', status: { code } });
  });
});

describe('what is asked of the API', () => {
  it.each(['/clusters/everwatch/api', '/clusters/everwatch/me', '/wsMultiplexer'])(
    'is refused here where the page did not ask: %s',
    async (path) => {
      expect(await asked(BASE + path)).toMatchObject({ status: { code: 403 } });
    },
  );

  it('is of the clusters that there are, and the user is the one that asks', async () => {
    const headers = OWN;
    const other = await asked(`${BASE}/clusters/other/api`, { headers });
    expect(other).toMatchObject({ status: { code: 400 } });
    for (const cluster of ['everwatch', 'then']) {
      const { text } = await shown(`${BASE}/clusters/${cluster}/me`, { headers });
      expect(JSON.parse(text)).toMatchObject({ groups: expect.any(Array) as string[] });
    }
    const { text } = await shown(`${BASE}/config`);
    const { clusters } = JSON.parse(text) as { clusters: { name: string }[] };
    expect(clusters.map(({ name }) => name)).toEqual(['everwatch', 'then']);
  });
});
