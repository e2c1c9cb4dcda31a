import { expect, test } from 'vitest';
import { parametersOf } from './parameter-descriptions.ts';

const SOURCE = `
    /**
     * other
     * @param limit another thing
     */
    another(limit?: number): void;
    /**
     * list things
     * @param _continue Goes on. If \\&#39;a\\&#39; &#x3D; \\&quot;b\\&quot; &amp;&lt;c&gt;:  as said.  See there.
     * @param limit One: - a: this. - b: that. Two: - &#x60;c&#x60;   within. - &#x60;d&#x60;   too.
     * @param unwanted is not asked for
     * @param body
     */
    list(_continue?: string, limit?: number, unwanted?: string, body?: Body): void;
`;

test('parameters of one method are described, with entities and line breaks as they were', () => {
  expect(parametersOf(SOURCE, 'list', ['continue', 'limit', 'body'])).toEqual({
    continue: `Goes on. If 'a' = "b" &<c>:  as said.\n\nSee there.`,
    limit: 'One: - a: this. - b: that. Two: - `c`\n  within.\n- `d`\n  too.',
  });
});

test('a method that is gone is not passed over', () => {
  expect(() => parametersOf(SOURCE, 'watch', ['limit'])).toThrow('has no method watch');
});
