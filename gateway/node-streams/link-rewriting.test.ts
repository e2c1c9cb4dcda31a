/** That links lead to where the backend is here, and that nothing else of a page changes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinkRewriter, rewrittenLink } from './link-rewriting.ts';

const PLACE = { prefix: '/api/v1/nodes/a/proxy', backend: '10.0.0.1:80', asked: 'server:6443' };

async function rewritten(page: Buffer, cuts: readonly number[] = []): Promise<Buffer> {
  const rewriter = new LinkRewriter(PLACE);
  let at = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    if (cut > at && cut < page.length) rewriter.write(page.subarray(at, (at = cut)));
  }
  rewriter.end(page.subarray(at));
  const chunks: Buffer[] = [];
  for await (const chunk of rewriter) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const text = async (page: string): Promise<string> =>
  (await rewritten(Buffer.from(page))).toString();

describe('a link', () => {
  it.each([
    ['/x', '/api/v1/nodes/a/proxy/x'],
    ['/x/../y/?a=/b#c', '/api/v1/nodes/a/proxy/y/?a=/b#c'],
    ['/', '/api/v1/nodes/a/proxy/'],
    ['/api/v1/nodes/a/proxy/x', '/api/v1/nodes/a/proxy/x'],
    ['http://10.0.0.1:80/x', '/api/v1/nodes/a/proxy/x'],
    ['//10.0.0.1:80/x', '/api/v1/nodes/a/proxy/x'],
    ['https://server:6443/x', 'https://server:6443/api/v1/nodes/a/proxy/x'],
    ['http://elsewhere/x', 'http://elsewhere/x'],
    ['x/y', 'x/y'],
    ['#here', '#here'],
    ['mailto:a@example.org', 'mailto:a@example.org'],
    ['', ''],
  ])('%s becomes %s', (link, better) => {
    expect(rewrittenLink(link, PLACE)).toBe(better);
  });
});

describe('a page', () => {
  it.each([
    ['<a href="/x">', '<a href="/api/v1/nodes/a/proxy/x">'],
    ["<IMG alt='/y' SRC = '/x'/>", "<IMG alt='/y' SRC = '/api/v1/nodes/a/proxy/x'/>"],
    ['<img src=/x>', '<img src=/api/v1/nodes/a/proxy/x>'],
    ['<a title="a > b" href="/x">', '<a title="a > b" href="/api/v1/nodes/a/proxy/x">'],
    ['<form data-href="/z" action="/x">', '<form data-href="/z" action="/api/v1/nodes/a/proxy/x">'],
  ])('%s becomes %s', async (page, better) => {
    expect(await text(page)).toBe(better);
  });

  it.each([
    '<script>const link = \'<a href="/x">\'; if (1 < 2) {}</script>',
    '<!-- <a href="/x"> -->',
    '<style>a[href="/x"] {}</style>',
    'a < b <p href="/x">',
    '<a href',
    '<a href="/x',
    '</a href="/x">',
    '<!DOCTYPE html>',
  ])('%s stays as it is', async (page) => {
    expect(await text(page)).toBe(page);
  });

  it('is the same wherever it is cut, and keeps bytes that are no text', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...[
          '<a href="/x">',
          '<script>',
          '</script>',
          '<',
          '>',
          '"',
          "'",
          '<!--',
          '-->',
          ' src=/y ',
        ],
        ...['</', '=', '/', '\u00e4', '<title>', '</titleX>', '</TITLE>'],
      ),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece),
        fc.uint8Array({ maxLength: 9 }),
        fc.array(fc.nat(400)),
        async (pieces, bytes, cuts) => {
          const page = Buffer.concat([Buffer.from(pieces.join('')), bytes]);
          const whole = await rewritten(page);
          expect(await rewritten(page, cuts)).toEqual(whole);
          const links = whole.toString('latin1').replaceAll('/api/v1/nodes/a/proxy/', '/');
          expect(links).toBe(page.toString('latin1').replaceAll('/api/v1/nodes/a/proxy/', '/'));
        },
      ),
    );
  });

  it('passes a tag that has no end', async () => {
    const page = `<a href="${'x'.repeat(40_000)}`;
    const chunks = Array.from({ length: 40 }, (_, index) => index * 1000);
    expect((await rewritten(Buffer.from(page), chunks)).toString()).toBe(page);
  });
});
