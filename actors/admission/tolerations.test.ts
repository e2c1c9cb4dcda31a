/** What is left of two lists of tolerations, beside a merge that compares each with each. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/meta/json.ts';
import { isAllowedBy, mergeTolerations } from './tolerations.ts';

const maybe = (...values: readonly string[]) => fc.constantFrom(...values);
const toleration = fc
  .record({
    key: maybe('', 'a', 'b'),
    operator: maybe('', 'Equal', 'Exists', 'Lt'),
    value: maybe('', 'x', 'y'),
    effect: maybe('', 'NoSchedule', 'NoExecute'),
    tolerationSeconds: fc.constantFrom(undefined, -1, 0, 5, 2n ** 62n),
  })
  .map((one) => {
    const given = Object.entries(one).filter(([, value]) => value !== undefined && value !== '');
    return Object.fromEntries(given) as JsonObject;
  });
const tolerations = fc.array(toleration, { maxLength: 8 });

const text = (one: JsonObject, key: string) => String(one[key] ?? '');
const isSame = (one: JsonObject, other: JsonObject) =>
  ['key', 'operator', 'value', 'effect', 'tolerationSeconds'].every(
    (key) => one[key] === other[key],
  );

/** Whether `wide` makes `narrow` needless, said plainly. */
function isAround(wide: JsonObject, narrow: JsonObject): boolean {
  if (isSame(wide, narrow)) return true;
  const isAnyKey = text(wide, 'key') === '' && text(wide, 'operator') === 'Exists';
  if (!isAnyKey && text(wide, 'key') !== text(narrow, 'key')) return false;
  const effect = text(wide, 'effect');
  if (effect !== '' && effect !== text(narrow, 'effect')) return false;
  const [most, asked] = [wide['tolerationSeconds'], narrow['tolerationSeconds']];
  const isBounded = effect === 'NoExecute' && most !== undefined;
  if (isBounded && (asked === undefined || Number(asked) > Number(most))) return false;
  if (text(wide, 'operator') === 'Exists') return true;
  if (text(wide, 'operator') === 'Lt') return false;
  return text(narrow, 'operator') === 'Equal' && text(wide, 'value') === text(narrow, 'value');
}

it('keeps each that no other makes needless, in their order', () => {
  fc.assert(
    fc.property(tolerations, tolerations, (first, second) => {
      const kept: JsonObject[] = [];
      const all = [...first, ...second];
      for (const [at, one] of all.entries()) {
        const later = all.slice(at + 1).filter((other) => !isSame(one, other));
        if (![...kept, ...later].some((other) => isAround(other, one))) kept.push(one);
      }
      expect(mergeTolerations(first, second)).toEqual(kept);
    }),
    { numRuns: 3_000 },
  );
});

it('allows what each is within one of', () => {
  fc.assert(
    fc.property(tolerations, tolerations, (some, allowed) => {
      const isAllowed =
        allowed.length === 0 || some.every((one) => allowed.some((other) => isAround(other, one)));
      expect(isAllowedBy(some, allowed)).toBe(isAllowed);
    }),
    { numRuns: 1_000 },
  );
});
