/** Objects read and written by us and by Go, on generated input. */
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../meta/json.ts';
import { goOracle, seededDice } from '../patch/go-oracle.fixture.ts';
import { kindsOfObjects, mutated } from './mutated-objects.fixture.ts';
import { typedCodec } from './typed-json.ts';

interface Answer {
  readonly text?: string;
  readonly error?: string;
  readonly strict?: string[];
}

const MUTATIONS = 25;

const oracle = await goOracle('codecs');
const kinds = kindsOfObjects();

describe.skipIf(oracle === undefined || kinds.length === 0)('the typed JSON codec', () => {
  it('does what Go does, in value, order, unknown fields and messages', () => {
    if (oracle === undefined) return;
    const dice = seededDice(36);
    const cases = kinds.flatMap(({ object, ...kind }) =>
      Array.from({ length: MUTATIONS }, () => ({
        ...kind,
        text: JSON.stringify(mutated(object, dice)),
      })),
    );
    const answers = oracle<Answer>(cases.map((one) => ({ kind: 'json', ...one })));
    const wrong = cases.flatMap(({ typeId, text }, at) => {
      const { error, strict = [], text: value = '' } = answers[at] ?? {};
      const decoded = typedCodec(typeId).decode(JSON.parse(text) as JsonValue, {
        collectUnknown: true,
      });
      const ours = decoded.ok
        ? { text: JSON.stringify(decoded.value), strict: decoded.unknownFields }
        : { error: decoded.message };
      const theirs = error === undefined ? { text: value.trimEnd(), strict } : { error };
      return JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [{ text, ours, theirs }];
    });
    expect(wrong).toEqual([]);
    expect(cases.length).toBeGreaterThan(1000);
  });
});
