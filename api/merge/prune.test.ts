/** What an apply takes out when its manager applied in another version, which calls `a` what is `b`. */
import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../json/json.ts';
import { parseStructuralSchema } from '../structural-schema/parse-structural-schema.ts';
import { goThrough, type Converted, type TypedObject } from './converting.ts';
import type { FieldSet } from './field-set.ts';
import type { OwnedFields } from './managers.ts';
import { DEDUCED } from './merge-type.ts';
import { mergeTypeOfSchema } from './schema-merge-types.ts';
import { applyOver, type Applied } from './updater.ts';

type Outcome = 'missing' | 'broken' | undefined;

const A = { 'f:a': {} };
const live = typed({ a: '1', b: '2' }, 'v1');

function typed(object: JsonObject, apiVersion: string): TypedObject {
  return { object, type: DEDUCED, apiVersion };
}

function owned(apiVersion: string, set: FieldSet = A): OwnedFields {
  return { set, apiVersion, applied: true };
}

/** `v2` calls the fields of the others by each other's names. */
function converted({ object, apiVersion: from }: TypedObject, apiVersion: string): Converted {
  const { a, b, ...rest } = object;
  const isCrossed = (from === 'v2') !== (apiVersion === 'v2');
  const crossed = { ...(b !== undefined && { a: b }), ...(a !== undefined && { b: a }), ...rest };
  return { ok: true, typed: typed(isCrossed ? crossed : object, apiVersion) };
}

/** Applies `a` in v1, after it applied in v2; the conversion with the number has that outcome. */
function applied(outcomes: Readonly<Record<number, Outcome>>, others: readonly OwnedFields[] = []) {
  const asked: string[] = [];
  const managers = new Map([
    ['me', owned('v2')],
    ...others.map((one, at) => [`other-${String(at)}`, one] as const),
  ]);
  const apply = {
    ...{ live, applied: typed({ a: '1' }, 'v1'), managers },
    ...{ manager: 'me', force: false, filters: new Map() },
  };
  const result = goThrough(applyOver(apply), ({ from, apiVersion }) => {
    asked.push(`${from.apiVersion}->${apiVersion}`);
    const outcome = outcomes[asked.length];
    if (outcome === undefined) return converted(from, apiVersion);
    return { ok: false, isMissing: outcome === 'missing', message: `no ${apiVersion}` };
  }) as Applied; // No conversion takes time.
  return { result, asked };
}

function objectAfter(...given: Parameters<typeof applied>): JsonObject | undefined {
  const { result } = applied(...given);
  return result.outcome === 'applied' ? (result.object ?? live).object : undefined;
}

describe('an apply after one in another version', () => {
  it('takes out what that version called by the name that stays', () => {
    expect(objectAfter({})).toEqual({ a: '1' });
  });

  it('leaves what another manager owns, in any version', () => {
    expect(objectAfter({}, [owned('v1', { 'f:b': {} })])).toEqual({ a: '1', b: '2' });
    expect(objectAfter({}, [owned('v2')])).toEqual({ a: '1', b: '2' });
    expect(objectAfter({}, [owned('v3', { 'f:b': {} })])).toEqual({ a: '1', b: '2' });
  });

  const dangling = 'failed to convert pruned object to last applied version';

  it.each([
    [1, 'no v2'],
    [2, 'no v3'],
    [3, `failed to prune fields: failed to convert merged object to last applied version: no v2`],
    ...[4, 5, 6, 7].map((at): [number, string] => {
      const [object, version] = [at % 2 === 0 ? 'merged' : 'pruned', at < 6 ? 'v1' : 'v3'];
      const failed = `failed to convert ${object} object at version ${version}: no ${version}`;
      return [at, `failed to prune fields: failed add back owned items: ${failed}`];
    }),
    [8, `failed to prune fields: failed add back dangling items: ${dangling}: no v2`],
    [9, 'failed to prune fields: no v1'],
    [10, 'failed to convert old object: no v3'],
    [11, 'failed to convert new object: no v3'],
  ] as [number, string][])('fails with conversion %i: %s', (at, message) => {
    const { result } = applied({ [at]: 'broken' }, [owned('v3')]);
    expect(result).toEqual({ outcome: 'failed', message });
  });

  it.each([
    // Without the version of its last apply nothing is known of what was applied.
    [1, { a: '1', b: '2' }],
    [3, { a: '1', b: '2' }],
    // Without what is bare in that version everything is left.
    [8, { a: '1', b: '2' }],
    // Without the version of another manager, that one is passed over.
    ...[2, 4, 5, 6, 7, 10, 11].map((at) => [at, { a: '1' }]),
  ] as [number, JsonObject][])(
    'goes on where conversion %i is to a version that is gone',
    (at, left) => {
      expect(objectAfter({ [at]: 'missing' }, [owned('v3')])).toEqual(left);
    },
  );
});

it('leaves another manager the whole of what the schema has made one, in its version', () => {
  const whole = { type: 'array', items: { type: 'string' } };
  const schema = { type: 'object', properties: { whole, text: { type: 'string' } } };
  const type = mergeTypeOfSchema(parseStructuralSchema(schema));
  const apply = {
    live: { object: { whole: ['a'] }, type, apiVersion: 'v1' },
    applied: { object: { text: 'x' }, type, apiVersion: 'v1' },
    managers: new Map([['other', owned('v1', { 'f:whole': { 'v:"a"': {} } })]]),
    ...{ manager: 'me', force: false, filters: new Map() },
  };
  const result = goThrough(applyOver(apply), ({ from }) => ({ ok: true, typed: from })) as Applied; // No conversion takes time.
  expect(result).toMatchObject({ outcome: 'applied' });
  expect(result.outcome === 'applied' && result.managers.get('other')).toEqual(
    owned('v1', { 'f:whole': {} }),
  );
});

describe('an item of which a manager owned the key alone', () => {
  const text = { type: 'string' };
  const items = { type: 'object', properties: { n: text, v: text } };
  const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['n'] };
  const type = mergeTypeOfSchema(
    parseStructuralSchema({
      type: 'object',
      properties: { list: { type: 'array', items, ...keyed } },
    }),
  );
  const without = 'associative list with keys has an element that omits all key fields ["n"]';

  /** Applies nothing, where `me` applied so much of the item and another manager so much. */
  function appliedAgain(mine: FieldSet, others: FieldSet): Applied {
    const set = (item: FieldSet) => ({ 'f:list': { 'k:{"n":"a"}': item } });
    const managers = new Map([
      ['me', owned('v1', set(mine))],
      ['other', owned('v1', set(others))],
    ]);
    const object = { list: [{ n: 'a', v: '1' }] };
    const apply = {
      live: { object, type, apiVersion: 'v1' },
      applied: { object: {}, type, apiVersion: 'v1' },
      ...{ managers, manager: 'me', force: true, filters: new Map() },
    };
    return goThrough(applyOver(apply), ({ from }) => ({ ok: true, typed: from })) as Applied; // No conversion takes time.
  }

  it('is not left without its key', () => {
    const why = `failed to compare objects: .list: element 0: ${without}`;
    expect(appliedAgain({ 'f:n': {} }, { '.': {}, 'f:v': {} })).toEqual({
      outcome: 'failed',
      message: `${why} (and doesn't have default values for any key fields)`,
    });
  });

  it('is not left as null', () => {
    expect(appliedAgain({ 'f:n': {}, 'f:v': {} }, { '.': {} })).toEqual({
      outcome: 'failed',
      message:
        'failed to compare objects: .list: element 0: associative list with keys may not have a null element',
    });
  });

  it('goes when it was all of it', () => {
    expect(appliedAgain({ '.': {}, 'f:n': {} }, { 'f:v': {} })).toMatchObject({
      outcome: 'applied',
      object: { object: { list: null } },
    });
  });
});
