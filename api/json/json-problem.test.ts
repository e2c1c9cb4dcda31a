import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { jsonProblem } from './json-problem.ts';

/** What Go's encoding/json says of each. */
const CASES: readonly [text: string, problem: string][] = [
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['{"a"', 'unexpected end of JSON input'],
  ['{"a":', 'unexpected end of JSON input'],
  ['{"a":1', 'unexpected end of JSON input'],
  ['{"a":1,', 'unexpected end of JSON input'],
  ['[', 'unexpected end of JSON input'],
  ['[1', 'unexpected end of JSON input'],
  ['[1,', 'unexpected end of JSON input'],
  ['"abc', 'unexpected end of JSON input'],
  ['"a\\', 'unexpected end of JSON input'],
  ['"a\\u1', 'unexpected end of JSON input'],
  ['tru', "invalid character ' ' in literal true (expecting 'e')"],
  ['nul', "invalid character ' ' in literal null (expecting 'l')"],
  ['nope', "invalid character 'o' in literal null (expecting 'u')"],
  ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{,}', "invalid character ',' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ['{"a":01}', "invalid character '1' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['[,]', "invalid character ',' looking for beginning of value"],
  ['{}x', "invalid character 'x' after top-level value"],
  ['{"a":"x\ny"}', "invalid character '\\n' in string literal"],
  ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
  ['{"a":"\\u12"}', "invalid character '\"' in \\u hexadecimal character escape"],
  ['-', "invalid character ' ' in numeric literal"],
  ['1.', "invalid character ' ' after decimal point in numeric literal"],
  ['1e+', "invalid character ' ' in exponent of numeric literal"],
  ['\u0000', "invalid character '\\x00' looking for beginning of value"],
  ['{"a":é}', "invalid character 'Ã' looking for beginning of value"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('what is no JSON', () => {
  it.each(CASES)('%j is told in Go’s words', (text, problem) => {
    expect(jsonProblem(Buffer.from(text))).toBe(problem);
  });

  it('is the same that the real parser refuses', () => {
    const pieces = ['{', '}', '[', ']', ':', ',', '"a"', '"', '1', '-0.5e1', 'true', 'null', ' '];
    const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((all) => all.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        expect(jsonProblem(Buffer.from(text)) === '').toBe(isJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('may be nested as deeply as it likes', () => {
    expect(jsonProblem(Buffer.from('['.repeat(1_000_000)))).toBe('unexpected end of JSON input');
  });
});
