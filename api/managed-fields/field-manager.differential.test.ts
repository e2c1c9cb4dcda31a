/**
 * Histories of written objects, each write beside kube-apiserver's own field manager: the object,
 * its managedFields to the letter, and what is said of conflicts and mistakes.
 */
import { describe, expect, it } from 'vitest';
import { goOracle } from '../patch/go-oracle.fixture.ts';
import { shownHere, shownThere, someHistories, type GoAnswer } from './compared-writes.fixture.ts';
import { RECORDED_SEEDS, recordedWrites, writesOf } from './recorded-writes.fixture.ts';

const oracle = await goOracle('merge');
const seed = Number(process.env['EVERWATCH_SEED'] ?? 20_261_121);
const HISTORIES = 1_500;

describe.skipIf(oracle === undefined)('field management, beside Go', () => {
  it(`agrees on every write (EVERWATCH_SEED=${String(seed)})`, { timeout: 900_000 }, async () => {
    const asked = await someHistories(seed, HISTORIES);
    const answers = oracle?.<GoAnswer>(asked.map(({ question }) => question)) ?? [];
    const differences = asked.flatMap((one, index) => {
      const [mine, theirs] = [shownHere(one), shownThere(one, answers[index] ?? {})];
      const isSame = JSON.stringify(mine) === JSON.stringify(theirs);
      return isSame ? [] : [{ question: one.question, mine, theirs }];
    });
    expect(asked.length).toBeGreaterThan(HISTORIES * 4);
    expect(differences.slice(0, 3)).toEqual([]);
  });

  it('answers as it is recorded', { timeout: 900_000 }, async () => {
    const sections = await Promise.all(RECORDED_SEEDS.map(writesOf));
    const theirs = sections.map((asked) => {
      const answers = oracle?.<GoAnswer>(asked.map(({ question }) => question)) ?? [];
      return asked.map((one, index) => shownThere(one, answers[index] ?? {}));
    });
    expect(recordedWrites.confirm(theirs)).toEqual([]);
  });
});
