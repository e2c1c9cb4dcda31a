/** Objects read and written by us and by Go, on generated input. */
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/json.ts';
import { readEntries } from '../json/json-reader.ts';
import { hasRepeats } from '../json/repeated-keys.ts';
import { goOracle, seededDice, type Dice } from '../patch/go-oracle.fixture.ts';
import { kindsOfObjects, mutated } from './mutated-objects.fixture.ts';
import { typedCodec } from './typed-json.ts';

interface Answer {
  readonly text?: string;
  readonly error?: string;
  readonly strict?: string[];
}

const MUTATIONS = 25;
/** Fewer, as each is some times as long. */
const MUTATIONS_WITH_REPEATS = 8;

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

  it('does what Go does with keys that stand there twice', () => {
    if (oracle === undefined) return;
    const dice = seededDice(37);
    const cases = kinds.flatMap(({ object, ...kind }) =>
      Array.from({ length: MUTATIONS_WITH_REPEATS }, () => ({
        ...kind,
        text: textWithRepeats(object, mutated(object, dice), dice),
      })),
    );
    const answers = oracle<Answer>(cases.map((one) => ({ kind: 'json', ...one })));
    let repeats = 0;
    const wrong = cases.flatMap(({ typeId, text }, at) => {
      const { error, strict = [], text: value = '' } = answers[at] ?? {};
      const parsed = JSON.parse(text) as JsonValue;
      const read = hasRepeats(text, parsed) ? readEntries(text) : undefined;
      if (read !== undefined) {
        repeats += 1;
        expect(read.value).toEqual(parsed);
      }
      const decoded = typedCodec(typeId).decode(read?.value ?? parsed, {
        collectUnknown: true,
        repeated: read?.repeated,
      });
      const ours = decoded.ok
        ? { text: JSON.stringify(decoded.value), strict: decoded.unknownFields }
        : { error: decoded.message };
      // Go keeps what is no typed part of an object as the text that it was, repeats and all.
      const theirs =
        error === undefined ? { text: JSON.stringify(JSON.parse(value)), strict } : { error };
      return JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [{ text, ours, theirs }];
    });
    expect(wrong).toEqual([]);
    expect(repeats).toBeGreaterThan(500);
  });
});

/** The object as text, in which some keys stand a second time, as the other object has them. */
function textWithRepeats(one: JsonValue, other: JsonValue | undefined, dice: Dice): string {
  if (Array.isArray(one)) {
    const others = Array.isArray(other) ? other : [];
    return `[${one.map((item, at) => textWithRepeats(item, others[at], dice)).join(',')}]`;
  }
  if (typeof one !== 'object' || one === null) return JSON.stringify(one);
  const others = typeof other === 'object' && !Array.isArray(other) ? (other ?? {}) : {};
  const members = Object.entries(one).map(([key, value]) =>
    member(key, value ?? null, others[key]),
  );
  const more = Object.entries(others)
    .filter(([key]) => dice(6) === 0 && key !== 'kind' && key !== 'apiVersion')
    .map(([key, value]) => member(key, value ?? null, one[key]));
  return `{${[...members, ...more].join(',')}}`;

  function member(key: string, value: JsonValue, counterpart: JsonValue | undefined): string {
    return `${JSON.stringify(key)}:${textWithRepeats(value, counterpart, dice)}`;
  }
}
