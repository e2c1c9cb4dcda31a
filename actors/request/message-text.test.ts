import { expect, it } from 'vitest';
import { goQuote, htmlSafe } from './message-text.ts';

it.each([
  ['jane', '"jane"'],
  ['say "hi"', '"say \\"hi\\""'],
  ['a\\b', '"a\\\\b"'],
  ['a\nb\u0000', '"a\\nb\\x00"'],
  ['é✓', '"é✓"'],
  ['\u200b', '"\\u200b"'],
])('quotes %j as Go does', (text, quoted) => {
  expect(goQuote(text)).toBe(quoted);
});

it('leaves nothing that could be a tag', () => {
  expect(htmlSafe('<a href="x">&')).toBe('&lt;a href="x"&gt;&amp;');
});
