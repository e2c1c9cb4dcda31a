/** Shard selectors read and applied by us and by apiserver, on generated expressions. */
import { describe, expect, it } from 'vitest';

import { goOracle, oneOf, seededDice, several, type Dice } from '../patch/go-oracle.fixture.ts';
import { parseShardSelector } from './shard-selector.ts';

interface Answer {
  readonly type?: string;
  readonly value?: boolean;
  readonly error?: string;
  readonly problem?: string;
}

const oracle = await goOracle('cel');

/** In order. */
const HASHES = [
  ...["'0x0000000000000000'", "r'0x4000000000000000'", "'0x\\x35000000000000000'"],
  ...['"0x8000000000000000"', "'''0xc000000000000000'''", "'0x10000000000000000'"],
] as const;
const ODD_HASHES = [
  ...["'0x0'", "'0xFF00000000000000'", "'8000000000000000'", "'0x'", "'0x20000000000000000'"],
  ...["'0x100000000000000000'", "'0xé'", '1', '1u', '1.5', 'true', 'null', "b'0x0'", 'x', '-1'],
  ...["'0x' + '1'", '[1]', '{}', 'a.b', 'f()', "'0xééééééééé'", 'T{}'],
] as const;
const FIELDS = ['object.metadata.uid', 'object.metadata.namespace'] as const;
const ODD_FIELDS = [
  ...['object.metadata.name', 'object', 'x.y', 'has(object.metadata)', '[1]', "'text'", '1'],
  ...['object . metadata.uid', 'object["metadata"]', 'f().metadata.uid', '(object.metadata.uid)'],
] as const;
const ODD_WHOLE = [
  ...['', ' ', 'true', 'a', 'a || b', 'a && b', '!a', 'shardRange()', 'shardRange(1, 2)', '||'],
  ...['shardRange(', 'x.shardRange(1)', 'other(1)', '"text"', '[].all(x, x)', '{', '1 +', 'a ? b'],
] as const;

function call(dice: Dice): string {
  const odd = dice(8) === 0;
  const field = odd && dice(2) === 0 ? oneOf(dice, ODD_FIELDS) : oneOf(dice, FIELDS);
  const from = dice(HASHES.length - 1);
  const to = from + 1 + dice(HASHES.length - from - 1);
  const hash = (at: number): string =>
    (odd ? oneOf(dice, [...HASHES, ...ODD_HASHES]) : HASHES[at]) ?? '';
  const space = oneOf(dice, ['', ' ', '\n']);
  const more = odd && dice(4) === 0 ? ', 1' : '';
  const target = dice(20) === 0 ? 'object.' : '';
  return `${target}shardRange(${field},${space}${hash(from)}, ${hash(to)}${more})`;
}

function expression(dice: Dice): string {
  if (dice(10) === 0) return oneOf(dice, ODD_WHOLE);
  const calls = several(dice, [1, 5], () => call(dice));
  const one = oneOf(dice, FIELDS);
  // Mostly of one field.
  const isMixed = dice(3) === 0;
  const same = calls.map((text) => (isMixed ? text : text.replace(FIELD, one)));
  const joined = same.join(oneOf(dice, [' || ', '||']));
  return dice(6) === 0 ? ` (${joined}) ` : joined;
}

const FIELD = /object\.metadata\.(?:uid|namespace)/u;

const text = (dice: Dice): string =>
  several(dice, [0, 12], () => oneOf(dice, ['a', '0', '-', 'f3', 'é', '世', '😀', 'zz'])).join('');

describe.skipIf(oracle === undefined)('against apiserver', { timeout: 900_000 }, () => {
  it('reads and applies shard selectors the same way', () => {
    const dice = seededDice(5);
    const asked = several(dice, [3_000, 3_000], () => {
      const [selector, uid, namespace] = [expression(dice), text(dice), text(dice)];
      const parsed = parseShardSelector(selector);
      const question = { ask: 'shard', expression: selector, object: { uid, namespace } };
      if (!parsed.ok) return { question, ours: { error: parsed.message } };
      const { field, canonical } = parsed.selector;
      const value = parsed.selector.matches(field === FIELDS[0] ? uid : namespace);
      return { question, ours: { type: canonical, value } };
    });
    const answers = oracle?.<Answer>(asked.map(({ question }) => question)) ?? [];
    const different = asked.flatMap(({ question, ours }, at) => {
      const theirs = answers[at] ?? {};
      return isSame(ours, theirs) ? [] : [{ question, ours, theirs }];
    });
    expect(different.slice(0, 5)).toEqual([]);
    const count = (of: (answer: Answer) => boolean): number => answers.filter(of).length;
    expect(count(({ error }) => error !== undefined)).toBeGreaterThan(300);
    expect(count(({ value }) => value === true)).toBeGreaterThan(300);
    expect(count(({ value }) => value === false)).toBeGreaterThan(300);
  });
});

function isSame(ours: Answer, { error, type, value, problem }: Answer): boolean {
  if (error !== undefined) return ours.error === error;
  return ours.type === type && ours.value === value && problem === undefined;
}
