/** The whole server is proved here, and small houses show that the rule can fail. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { houseOf, readHouse } from './house.ts';
import { linearPatterns, unprovedPatterns, type Exceptions } from './linear-patterns.ts';

/** The proofs take some seconds of CPU, and other tests run beside them. */
const PATIENCE_MS = 240_000;
/** So many new patterns are proved here each time; past it `npm run prove:patterns` is due. */
const NEW_MAX = 30;

const server = readHouse(join(import.meta.dirname, '../..'));

it(
  'every regular expression of the server is proved to take linear time',
  () => {
    expect(linearPatterns(server)).toEqual([]);
  },
  PATIENCE_MS,
);

it('most proofs are in proved-patterns.txt, or `npm run prove:patterns` is due', () => {
  expect(unprovedPatterns(server).slice(NEW_MAX)).toEqual([]);
});

describe('a pattern that takes more than linear time', () => {
  function judged(text: string, exceptions: Exceptions = {}, path = 'api/a.ts') {
    const other = { path: 'api/b.ts', text: "export const DIGITS = '\\\\d+';" };
    return linearPatterns(houseOf([{ path, text }, other]), exceptions);
  }

  it.each([
    ['exponential', String.raw`/^(?:\d+_?)*$/`, 'takes exponential time'],
    ['quadratic, as it may begin anywhere', String.raw`/\s+$/`, 'takes 2nd degree polynomial time'],
    ['cubic', String.raw`/^\d*\d*\d*x/`, 'takes 3rd degree polynomial time'],
    ['quadratic for one flag only', String.raw`/^(?:a|A)*b/i`, 'takes exponential time'],
    ['look-ahead', '/^(?=a*)b*/', 'is not proved linear: look-ahead assertion'],
    ['reference back', String.raw`/^(a*)\1$/`, 'is not proved linear: back-reference'],
  ])('is refused in a literal: %s', (_, pattern, why) => {
    expect(judged(`const a = ${pattern};`)).toEqual([`api/a.ts:1: ${pattern} ${why}`]);
  });

  const QUADRATIC = 'takes 2nd degree polynomial time';

  it.each([
    ['a text', String.raw`new RegExp('\\d+$')`, String.raw`/\d+$/`],
    ['flags', String.raw`RegExp('\\d+$', 'gu')`, String.raw`/\d+$/gu`],
    [
      'another pattern',
      String.raw`const A = /\d+/; new RegExp(A.source + '$')`,
      String.raw`/\d+$/`,
    ],
    ['a template', "const A = 'a+'; new RegExp(`${A}$`)", '/a+$/'],
    [
      'a raw template',
      'const A = String.raw`\\d+`; new RegExp(String.raw`${A}$`)',
      String.raw`/\d+$/`,
    ],
    ['a list', "new RegExp(['a', 'b+$'].join('|'))", '/a|b+$/'],
    [
      'another file',
      "import { DIGITS } from './b.ts';\nnew RegExp(`${DIGITS}$`)",
      String.raw`/\d+$/`,
    ],
    ['what match makes of a text', String.raw`text.match('a+$')`, '/a+$/'],
  ])('is refused when it is made of %s', (_, text, pattern) => {
    expect(judged(text).at(-1)).toContain(`: ${pattern} ${QUADRATIC}`);
  });

  it('is refused when it is not known before the server runs', () => {
    expect(judged('function f(text: string) { return new RegExp(text); }')).toEqual([
      'api/a.ts:1: a pattern is not constant',
    ]);
  });

  it('is allowed by an exception, which must be needed', () => {
    const exceptions = { 'api/a.ts /a+$/': 'the text has ten characters' };
    expect(judged('const a = /a+$/;', exceptions)).toEqual([]);
    expect(judged('const a = /^a+$/;', exceptions)).toEqual([
      'linear-patterns.ts: no exception is needed for api/a.ts /a+$/',
    ]);
  });

  it('is allowed in tests and in what builds the server', () => {
    for (const path of ['api/a.test.ts', 'tools/a.ts', 'bench/a.ts', 'e2e/a.ts']) {
      expect(judged('const a = /a+$/;', {}, path)).toEqual([]);
    }
  });
});
