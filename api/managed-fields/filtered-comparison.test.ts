import { describe, expect, it } from 'vitest';

import { excludeFields, type FieldFilter } from './field-filter.ts';
import type { JsonObject } from '../json/json.ts';
import { typeIdOfKind } from '../scheme/type-facts.ts';
import { mergeTypeOf } from '../merge/built-in-merge-types.ts';
import type { Comparison } from '../merge/compare-values.ts';
import { compareTyped } from '../merge/updater.ts';

const apiVersion = 'v1';
const type = mergeTypeOf(typeIdOfKind(apiVersion, 'Pod') ?? '');

function compared(before: JsonObject, after: JsonObject, filter: FieldFilter): Comparison {
  const [live, object] = [before, after].map((value) => {
    return { object: { apiVersion, kind: 'Pod', ...value }, type, apiVersion };
  });
  if (live === undefined || object === undefined) throw new Error('there are two');
  return compareTyped(live, object, new Map([[apiVersion, filter]]));
}

/** Any look at it throws. */
function untouchable(): JsonObject {
  const refuse = (): never => {
    throw new Error('it was looked into');
  };
  return new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse });
}

const container = (image: string): JsonObject => ({ containers: [{ name: 'main', image }] });
const SPECS: readonly (JsonObject | null | undefined)[] = [
  undefined,
  null,
  {},
  container('a'),
  container('b'),
];
const STATUSES: readonly (JsonObject | undefined)[] = [undefined, { phase: 'A' }, { phase: 'B' }];

describe('a comparison of which a part is filtered out', () => {
  it('does not look into that part', () => {
    const [before, after] = [{ phase: 'Pending' }, { phase: 'Running', message: 'm' }];
    const filter = excludeFields(['spec']);
    expect(
      compared(
        { spec: untouchable(), status: before },
        { spec: untouchable(), status: after },
        filter,
      ),
    ).toEqual({
      removed: {},
      modified: { 'f:status': { 'f:phase': expect.anything() as object } },
      added: { 'f:status': { 'f:message': expect.anything() as object } },
    });
    expect(() =>
      compared({ spec: untouchable() }, { spec: untouchable() }, excludeFields(['status'])),
    ).toThrow('it was looked into');
  });

  it.each([
    [[['spec']]],
    [[['spec'], ['status', 'phase']]],
    [[['spec', 'containers'], ['status']]],
  ])('finds without %j what is found where all is compared and then filtered', (paths) => {
    const filter = excludeFields(...paths);
    const sides = SPECS.flatMap((spec) =>
      STATUSES.map((status): JsonObject => ({
        ...(spec === undefined ? {} : { spec }),
        ...(status && { status }),
      })),
    );
    for (const before of sides) {
      for (const after of sides) {
        const whole: FieldFilter = (set) => filter(set);
        expect(compared(before, after, filter)).toEqual(compared(before, after, whole));
      }
    }
  });
});
