/** Amounts read by us and by Go, on generated texts. */
import { describe, expect, it } from 'vitest';
import { goOracle, oneOf, seededDice, type Dice } from '../patch/go-oracle.fixture.ts';
import { parseQuantity } from './quantity.ts';

const SUFFIXES = ['', ...'n u m k M G T P E Ki Mi Gi Ti Pi Ei e3 e-3 E2 e5 K i'.split(' ')] as [
  string,
  ...string[],
];

const oracle = await goOracle('codecs');

function digits(dice: Dice, most: number): string {
  return Array.from({ length: dice(most + 1) }, () => String(dice(10))).join('');
}

function amount(dice: Dice): string {
  const sign = oneOf(dice, ['', '', '', '-', '+']);
  const whole = digits(dice, dice(4) === 0 ? 24 : 7);
  const fraction = dice(2) === 0 ? '' : `.${digits(dice, 7)}`;
  return sign + whole + fraction + oneOf(dice, SUFFIXES);
}

describe.skipIf(oracle === undefined)('amounts', () => {
  it('are canonical as in Go, or refused with the same words', () => {
    if (oracle === undefined) return;
    const dice = seededDice(36);
    const texts = Array.from({ length: 20_000 }, () => amount(dice));
    const answers = oracle<{ text?: string; error?: string }>(
      texts.map((text) => ({ kind: 'quantity', text })),
    );
    const wrong = texts.flatMap((text, at) => {
      const { error, text: canonical } = answers[at] ?? {};
      const parsed = parseQuantity(text);
      const ours = parsed.ok ? parsed.quantity.text : parsed.why;
      return ours === (error ?? canonical) ? [] : [{ text, ours, theirs: error ?? canonical }];
    });
    expect(wrong).toEqual([]);
  });
});
