import { expect, it } from 'vitest';
import { htmlSafe } from './message-text.ts';

it('leaves nothing that could be a tag', () => {
  expect(htmlSafe('<a href="x">&')).toBe('&lt;a href="x"&gt;&amp;');
});
