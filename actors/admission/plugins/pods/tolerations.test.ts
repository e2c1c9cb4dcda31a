/** That looking tolerations up finds what comparing each with each would find. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatJson } from '../../../../api/json/json-text.ts';
import type { JsonObject } from '../../../../api/json/json.ts';
import { pausedEverywhere } from '../../../../api/json/paused-everywhere.fixture.ts';
import { isAllowedBy, mergeTolerations } from './tolerations.ts';

const some = fc.constantFrom;
const toleration: fc.Arbitrary<JsonObject> = fc.record(
  {
    key: some('', 'a', 'b'),
    operator: some('', 'Equal', 'Exists', 'Lt'),
    value: some('', 'x', 'y'),
    effect: some('', 'NoSchedule', 'NoExecute'),
    tolerationSeconds: some(1, 2, 3, 2n ** 60n),
  },
  { requiredKeys: [] },
);
const list = fc.array(toleration, { maxLength: 6 });

interface Whole {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
  readonly seconds: number;
}

function whole(one: JsonObject): Whole {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = one;
  const seconds = tolerationSeconds === undefined ? Infinity : Number(tolerationSeconds);
  return { ...({ key, operator, value, effect } as Omit<Whole, 'seconds'>), seconds };
}

function isSame(one: JsonObject, other: JsonObject): boolean {
  return (
    formatJson({ ...whole(one), seconds: String(whole(one).seconds) }) ===
    formatJson({ ...whole(other), seconds: String(whole(other).seconds) })
  );
}

/** Whether `wide` tolerates each taint that `narrow` does, for as long. */
function isAround(wide: JsonObject, narrow: JsonObject): boolean {
  if (isSame(wide, narrow)) return true;
  const [more, less] = [whole(wide), whole(narrow)];
  const isAnyKey = more.key === '' && more.operator === 'Exists';
  if (more.key !== less.key && !isAnyKey) return false;
  if (more.effect !== less.effect && more.effect !== '') return false;
  if (more.effect === 'NoExecute' && less.seconds > more.seconds) return false;
  if (more.operator === 'Exists') return true;
  if (more.operator !== 'Equal' && more.operator !== '') return false;
  return less.operator === 'Equal' && less.value === more.value;
}

/** Each is left out that one before it, or another one behind it, makes needless. */
function merged(all: readonly JsonObject[]): JsonObject[] {
  const kept: JsonObject[] = [];
  for (const [at, one] of all.entries()) {
    const behind = all.slice(at + 1).filter((other) => !isSame(one, other));
    if (kept.some((other) => isAround(other, one))) continue;
    if (behind.some((other) => isAround(other, one))) continue;
    kept.push(one);
  }
  return kept;
}

describe('tolerations', () => {
  it('of two lists are those of both that no other makes needless', () => {
    fc.assert(
      fc.property(list, list, (first, second) => {
        expect(mergeTolerations(first, second)).toEqual(merged([...first, ...second]));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are allowed by a list in which each has one around it, or by an empty one', () => {
    fc.assert(
      fc.property(list, list, (asked, allowed) => {
        const isAllowed = asked.every((one) => allowed.some((other) => isAround(other, one)));
        expect(isAllowedBy(asked, allowed)).toBe(allowed.length === 0 || isAllowed);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('wherever their work pauses', () => {
  it('they come to the same', () => {
    fc.assert(
      fc.property(list, list, (first, second) => {
        const both = () => [mergeTolerations(first, second), isAllowedBy(first, second)];
        expect(pausedEverywhere(both)).toEqual(both());
      }),
      { numRuns: 300 },
    );
  });
});

it('of a toleration that stands three times the first stays where it is', () => {
  const [one, other] = [
    { key: 'a', operator: 'Exists' },
    { key: 'b', operator: 'Exists' },
  ];
  expect(mergeTolerations([one, other, { ...one }], [{ ...one }])).toEqual([one, other]);
});
