/** What is said of expressions that are none, by us and by Kubernetes' own code. */
import { describe, expect, it } from 'vitest';
import { goOracle, seededDice } from '../../patch/go-oracle.fixture.ts';
import { EXPRESSIONS } from '../expressions.fixture.ts';
import { KUBERNETES } from '../kubernetes-environment.ts';
import { LIBRARY_EXPRESSIONS } from '../library-expressions.fixture.ts';
import { malformedExpressions } from './malformed-expressions.fixture.ts';

const oracle = await goOracle('cel');

const COUNT = 5000;
const SEED = 20261122;

/** Nothing when only its cost or its plan could be wrong. */
function ours(expression: string): string {
  const compiled = KUBERNETES.compile(expression);
  return compiled.ok || compiled.types !== undefined ? '' : compiled.message;
}

describe.skipIf(oracle === undefined)('malformed expressions', () => {
  it('are refused with the words of Kubernetes, every mistake in its order', () => {
    if (oracle === undefined) return;
    const right = [...EXPRESSIONS, ...LIBRARY_EXPRESSIONS];
    const expressions = malformedExpressions(right, COUNT, seededDice(SEED));
    const answers = oracle<{ readonly issues?: string }>(
      expressions.map((expression) => ({ ask: 'compile', expression })),
    );
    const differences = expressions.flatMap((expression, at) => {
      const theirs = answers[at]?.issues ?? '';
      const said = ours(expression);
      return said === theirs ? [] : [{ expression, ours: said, theirs }];
    });
    expect(differences).toEqual([]);
    const malformed = answers.filter(({ issues }) => issues?.includes('Syntax error') === true);
    expect(malformed.length).toBeGreaterThan(COUNT / 2);
  });

  it('reach the limits that they reach in Kubernetes', () => {
    if (oracle === undefined) return;
    const answers = oracle<{ readonly issues?: string }>(
      LARGE.map((expression) => ({ ask: 'compile', expression })),
    );
    expect(LARGE.map(ours)).toEqual(answers.map(({ issues }) => issues ?? ''));
  });
});

const LARGE: readonly string[] = [
  `${'('.repeat(260)}1${')'.repeat(260)}`,
  `${'(1+'.repeat(130)}1${')'.repeat(130)}`,
  Array.from({ length: 250 }, () => '1').join(' + '),
  Array.from({ length: 300 }, () => '1').join(' + '),
  'a '.repeat(300),
  `[${'1, , '.repeat(20)}]`,
  `[${'1, , '.repeat(60)}]`,
  `#${'# '.repeat(120)}`,
  'f('.repeat(40),
  '{1: '.repeat(35),
  `a ? ${'b ? '.repeat(260)}`,
];
