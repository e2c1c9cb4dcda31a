/** What is said of text that is no expression, without asking Go: one case for each way to go on. */
import { describe, expect, it } from 'vitest';
import { STANDARD_MACROS } from './macros.ts';
import { parse } from './parser.ts';

const OPERAND =
  "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, " +
  'BYTES, IDENTIFIER}';

/** The places and messages, without the lines that show them. */
function mistakes(text: string): string[] {
  const options = { macros: STANDARD_MACROS, hasOptionals: true, hasEscapedFields: false };
  const parsed = parse(text, options);
  if (parsed.ok) return [];
  return parsed.errors
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('ERROR: '))
    .map((line) => line.replace(/^ERROR: <input>:1:/, '').replace('Syntax error: ', ''));
}

describe('parsing', () => {
  it.each([
    ['', [`0: mismatched input '<EOF>' expecting {${OPERAND}`]],
    ['10.0.0.0/8', ["5: mismatched input '.0' expecting <EOF>"]],
    ['../a', ["2: no viable alternative at input '..'"]],
    ['a.true', ["3: mismatched input 'true' expecting IDENTIFIER"]],
    ['- $b', ["3: token recognition error at: '$'"]],
    [
      '-)',
      ["2: no viable alternative at input '-)'", `2: mismatched input ')' expecting {${OPERAND}`],
    ],
    ['a b', ["3: extraneous input 'b' expecting <EOF>"]],
    ['f(a b)', ["5: extraneous input 'b' expecting ')'"]],
    ['(a', ["3: missing ')' at '<EOF>'"]],
    ['a ? b c', ["7: missing ':' at 'c'"]],
    [
      "'\\x4'",
      [
        "1: token recognition error at: ''\\x4''",
        `6: mismatched input '<EOF>' expecting {${OPERAND}`,
      ],
    ],
  ])('says what is wrong with %j', (text, expected) => {
    expect(mistakes(text)).toEqual(expected);
  });

  it('goes on behind a mistake, and says what else is wrong', () => {
    expect(mistakes('[1, * ] + {:2} && if')).toEqual([
      "5: extraneous input '*' expecting ']'",
      "12: extraneous input ':' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', " +
        "'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      "14: mismatched input '}' expecting ':'",
      '19: reserved identifier: if',
    ]);
  });

  it('gives up where there is no end of mistakes', () => {
    expect(mistakes('f('.repeat(40)).at(-1)).toBe('81: error recovery attempt limit exceeded: 30');
    expect(mistakes('a '.repeat(300))).toEqual([
      'ERROR: <input>:-1:0: error recovery token lookahead limit exceeded: 256',
      "3: mismatched input 'a' expecting <EOF>",
    ]);
    const odd = parse('# '.repeat(150), {
      macros: [],
      hasOptionals: false,
      hasEscapedFields: false,
    });
    expect(odd.ok || odd.errors.toString()).toContain('1 more errors were truncated');
  });
});
