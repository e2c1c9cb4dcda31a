import {
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenAuthenticated } from '../../actors/request/given.fixture.ts';
import { logFilesRoute } from './log-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-log-files-'));
const TIME = 'Thu, 01 Jan 2026 00:00:00 GMT';
const LARGE_BYTES = 200_000;

beforeAll(() => {
  mkdirSync(join(folder, 'pods', 'deep'), { recursive: true });
  writeFileSync(join(folder, 'kube.log'), 'one\ntwo\nthree\n');
  writeFileSync(join(folder, 'wtmp'), Buffer.from([0, 1, 2]));
  writeFileSync(join(folder, 'large'), Buffer.alloc(LARGE_BYTES, 'x'));
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, `a<b>'?#:`), '');
  writeFileSync(join(folder, 'old.json'), '{}');
  symlinkSync('kube.log', join(folder, 'link.log'));
  for (const name of ['kube.log', '.']) utimesSync(join(folder, name), 0, Date.parse(TIME) / 1_000);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function asked(
  url: string,
  headers = {},
  method = 'GET',
  served: string | undefined = folder,
) {
  const { request } = givenAuthenticated({ url, method, headers });
  const answer = await logFilesRoute(served)(request);
  if (answer === undefined) return undefined;
  switch (answer.kind) {
    case 'Document':
      return {
        code: answer.code,
        headers: answer.headers,
        text: Buffer.from(answer.body).toString(),
      };
    case 'Stream': {
      const parts: Buffer[] = [];
      for await (const chunk of answer.chunks(new AbortController().signal)) parts.push(chunk);
      return { code: answer.code, headers: answer.headers, text: Buffer.concat(parts).toString() };
    }
    case 'Status':
      return { code: answer.status.code, headers: {}, text: '' };
    default:
      throw new Error(answer.kind);
  }
}

describe('files of logs', () => {
  it('are served whole, as text where they are', async () => {
    expect(await asked('/logs/kube.log')).toEqual({
      code: 200,
      headers: {
        'Content-Type': 'text/plain; charset=utf-8',
        'Content-Length': '14',
        'Last-Modified': TIME,
        'Accept-Ranges': 'bytes',
      },
      text: 'one\ntwo\nthree\n',
    });
    expect((await asked('/logs/link.log'))?.text).toContain('three');
    expect((await asked('/logs/large'))?.text).toHaveLength(LARGE_BYTES);
    expect((await asked('/logs/empty'))?.text).toBe('');
    expect((await asked('/logs/wtmp'))?.headers['Content-Type']).toBe('application/octet-stream');
    expect((await asked('/logs/old.json'))?.headers['Content-Type']).toBe('application/json');
  });

  it.each([
    ['bytes=4-6', 206, 'two', 'bytes 4-6/14'],
    ['bytes=8-', 206, 'three\n', 'bytes 8-13/14'],
    ['bytes=-6', 206, 'three\n', 'bytes 8-13/14'],
    ['bytes=-600', 206, 'one\ntwo\nthree\n', 'bytes 0-13/14'],
    ['bytes=8-99', 206, 'three\n', 'bytes 8-13/14'],
    ['bytes=14-', 416, 'invalid range: failed to overlap\n', 'bytes */14'],
    ['bytes=-0', 416, 'invalid range: failed to overlap\n', 'bytes */14'],
    ['bytes=0-1,4-6', 200, 'one\ntwo\nthree\n', undefined],
    ['bytes=6-4', 200, 'one\ntwo\nthree\n', undefined],
  ])('are served in part: %s', async (range, code, text, shown) => {
    const answer = await asked('/logs/kube.log', { range });
    expect([answer?.code, answer?.text, answer?.headers['Content-Range']]).toEqual([
      code,
      text,
      shown,
    ]);
  });

  it('are not sent again, or in part, to a client whose copy is or is not the one', async () => {
    const since = { 'if-modified-since': TIME };
    expect(await asked('/logs/kube.log', since)).toMatchObject({ code: 304, text: '' });
    expect(await asked('/logs/', since)).toMatchObject({ code: 304, text: '' });
    const other = { range: 'bytes=4-6', 'if-range': 'Fri, 02 Jan 2026 00:00:00 GMT' };
    expect(await asked('/logs/kube.log', other)).toMatchObject({ code: 200 });
  });

  it('are listed as links', async () => {
    const { text, headers } = (await asked('/logs/')) ?? { text: '', headers: {} };
    expect(headers).toEqual({ 'Content-Type': 'text/html; charset=utf-8', 'Last-Modified': TIME });
    expect(text.split('\n')).toEqual([
      '<!doctype html>',
      '<meta name="viewport" content="width=device-width">',
      '<pre>',
      '<a href="./a%3Cb%3E%27%3F%23:">a&lt;b&gt;&#39;?#:</a>',
      ...['empty', 'kube.log', 'large', 'link.log', 'old.json', 'pods/', 'wtmp'].map(
        (name) => `<a href="${name}">${name}</a>`,
      ),
      '</pre>',
      '',
    ]);
    expect((await asked('/logs/pods/'))?.text).toContain('<a href="deep/">deep/</a>');
  });

  it.each([
    ['/logs', 'logs/'],
    ['/logs?a=b', 'logs/?a=b'],
    ['/logs/pods', 'pods/'],
    ['/logs/pods/index.html', './'],
  ])('lie behind a slash where they are a folder: %s', async (url, place) => {
    expect(await asked(url)).toMatchObject({ code: 301, headers: { Location: place } });
  });

  it.each([
    ['/logs/../../etc/passwd', 400, 'invalid URL path\n'],
    ['/logs/%2e%2e/%2e%2e/etc/passwd', 400, 'invalid URL path\n'],
    ['/logs/..%2f..%2fetc/passwd', 400, 'invalid URL path\n'],
    ['/logs/none', 404, '404 page not found\n'],
    ['/logs/kube.log/none', 404, '404 page not found\n'],
    [`/logs/${'a'.repeat(300)}`, 404, 'file not found\n'],
    ['/logs/a%00b', 404, '404 page not found\n'],
  ])('are none outside of the folder: %s', async (url, code, text) => {
    expect(await asked(url)).toMatchObject({ code, text });
  });

  it('are only read, and only where a flag says so', async () => {
    expect(await asked('/logs/kube.log', {}, 'POST')).toMatchObject({ code: 405 });
    expect(await asked('/logs/kube.log', {}, 'HEAD')).toMatchObject({ code: 405 });
    expect(await asked('/logs/kube.log', { accept: 'text/plain' })).toMatchObject({ code: 406 });
    expect(await asked('/logs/kube.log', { accept: 'a/b, */*' })).toMatchObject({ code: 200 });
    expect(await asked('/logsfor')).toBeUndefined();
    const { request } = givenAuthenticated({ url: '/logs/kube.log' });
    expect(logFilesRoute(undefined)(request)).toBeUndefined();
  });

  it('that become shorter meanwhile break the answer off', async () => {
    const name = join(folder, 'shrinking');
    writeFileSync(name, Buffer.alloc(LARGE_BYTES, 'x'));
    const { request } = givenAuthenticated({ url: '/logs/shrinking' });
    const answer = await logFilesRoute(folder)(request);
    if (answer?.kind !== 'Stream') throw new Error('it is a file');
    truncateSync(name, 10);
    const sizes: number[] = [];
    const reading = async () => {
      for await (const chunk of answer.chunks(new AbortController().signal))
        sizes.push(chunk.length);
    };
    await expect(reading()).rejects.toThrow('shorter');
    expect(sizes).toEqual([10]);
    rmSync(name);
  });
});
