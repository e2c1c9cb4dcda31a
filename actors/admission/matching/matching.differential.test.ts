/**
 * Which webhooks and policies are about a request, beside Kubernetes' own code: rules, scopes,
 * versions that stand for others, names, and the labels of namespaces and objects.
 */
import { describe, expect, it } from 'vitest';

import { goOracle } from '../../../api/patch/go-oracle.fixture.ts';
import {
  RECORDED_SEEDS,
  recordedMatches,
  recordedQuestions,
  someMatches,
  type Answer,
} from './made-up-matches.fixture.ts';

const oracle = await goOracle('admission-matching');
const seed = Number(process.env['EVERWATCH_SEED'] ?? 20_261_122);
const COUNT = 12_000;

describe.skipIf(oracle === undefined)('what webhooks and policies are about, beside Go', () => {
  it(`agrees on every request (EVERWATCH_SEED=${String(seed)})`, { timeout: 900_000 }, () => {
    const asked = someMatches(seed, COUNT);
    const answers = oracle?.<Answer>(asked.map(({ question }) => question)) ?? [];
    const differences = asked.flatMap(({ question, mine }, at) =>
      JSON.stringify(mine) === JSON.stringify(answers[at])
        ? []
        : [{ question, mine, theirs: answers[at] }],
    );
    expect(differences.slice(0, 2)).toEqual([]);
    const matched = answers.filter((one) => one.matched);
    expect(matched.length).toBeGreaterThan(COUNT / 10);
    expect(matched.length).toBeLessThan((COUNT * 9) / 10);
    expect(answers.filter(({ error }) => error !== '').length).toBeGreaterThan(COUNT / 100);
  });

  it('answers as it is recorded', () => {
    const theirs = RECORDED_SEEDS.map((one) => {
      const asked = recordedQuestions(one).map(({ question }) => question);
      return oracle?.<Answer>(asked) ?? [];
    });
    expect(recordedMatches.confirm(theirs)).toEqual([]);
  });
});
