import { describe, expect, it } from 'vitest';
import { givenAuthenticated } from '../../actors/request/given.fixture.ts';
import type { Answer } from '../../actors/request/answer.ts';
import { pageRoute, type PageFile } from './page.ts';

const file = (ending: string, text: string): PageFile => ({
  ending,
  plain: Buffer.from(text),
  brotli: Buffer.from(`br:${text}`),
});

const route = pageRoute(() =>
  Promise.resolve(
    new Map([
      ['index.html', file('.html', '<!doctype html>')],
      ['main-A.js', file('.js', 'run()')],
    ]),
  ),
);

type Shown = Extract<Answer, { kind: 'Document' }>;

async function asked(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Shown | undefined> {
  const answer = await route(givenAuthenticated({ url, headers, method }).request);
  return answer?.kind === 'Document' ? answer : undefined;
}

describe('the files of the page', () => {
  it('are the page, and what it names', async () => {
    const page = await asked('/everwatch/');
    expect(page?.code).toBe(200);
    expect(page?.headers['Content-Type']).toBe('text/html; charset=utf-8');
    expect(Buffer.from(page?.body ?? []).toString()).toBe('<!doctype html>');
    const script = await asked('/everwatch/assets/main-A.js');
    expect(script?.headers['Content-Type']).toBe('text/javascript; charset=utf-8');
  });

  it('run no script of another place, none inside of the page, and no text as a script', async () => {
    const policy = (await asked('/everwatch/'))?.headers['Content-Security-Policy'] ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  it('are kept by browsers where the name changes with the content, and else asked for', async () => {
    expect((await asked('/everwatch/'))?.headers['Cache-Control']).toBe('no-cache');
    const script = await asked('/everwatch/assets/main-A.js');
    expect(script?.headers['Cache-Control']).toContain('immutable');
    const tag = (await asked('/everwatch/'))?.headers['ETag'] ?? '';
    const again = await asked('/everwatch/', { 'if-none-match': tag });
    expect([again?.code, again?.body.byteLength]).toEqual([304, 0]);
  });

  it('leave compressed for clients that take brotli', async () => {
    const packed = await asked('/everwatch/', { 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect(packed?.headers['Content-Encoding']).toBe('br');
    expect(Buffer.from(packed?.body ?? []).toString()).toBe('br:<!doctype html>');
    const plain = await asked('/everwatch/', { 'accept-encoding': 'gzip' });
    expect(plain?.headers['Content-Encoding']).toBeUndefined();
  });

  it('are no others than those that were built, whatever the path', async () => {
    expect((await asked('/everwatch/assets/../index.html'))?.code).toBe(404);
    expect((await asked('/everwatch/assets/main-B.js'))?.code).toBe(404);
    expect((await asked('/everwatch/assets/__proto__'))?.code).toBe(404);
    expect((await asked('/everwatch'))?.headers['Location']).toBe('/everwatch/');
  });

  it('are read, in no fork and at no moment', async () => {
    expect(await asked('/everwatch/', {}, 'POST')).toBeUndefined();
    expect(await asked('/at/5/everwatch/')).toBeUndefined();
    expect(await asked('/forks/a/everwatch/')).toBeUndefined();
    expect(await asked('/everwatch/v1/log')).toBeUndefined();
  });
});
