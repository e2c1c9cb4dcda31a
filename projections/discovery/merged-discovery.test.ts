/** Discovery of several servers as one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { mergedGroups } from './merged-discovery.ts';
import { mergedOrder } from './merged-order.ts';

function group(name: string, ...versions: readonly JsonObject[]): JsonObject {
  return { metadata: { name }, versions: [...versions] };
}

function version(name: string, ...resources: readonly JsonObject[]): JsonObject {
  return { version: name, resources: [...resources], freshness: 'Current' };
}

function resource(name: string, verbs: string[], ...below: readonly string[]): JsonObject {
  const subresources = below.map((subresource) => ({ subresource }));
  return { resource: name, verbs, ...(below.length === 0 ? {} : { subresources }) };
}

describe('discovery of several servers', () => {
  it('has what any of them serves', () => {
    const one = [group('a', version('v1', resource('x', ['get'])))];
    const other = [
      group('a', version('v1', resource('x', ['get']), resource('y', ['get'])), version('v2')),
      group('b', version('v1')),
    ];
    expect(mergedGroups([one, other])).toEqual(other);
    expect(mergedGroups([other, one])).toEqual(other);
  });

  it('says what both can do with a resource that they serve differently', () => {
    const one = [group('a', version('v1', resource('x', ['watch', 'get'], 'status')))];
    const other = [group('a', version('v1', resource('x', ['get', 'create'], 'scale')))];
    const both = resource('x', ['create', 'get', 'watch'], 'scale', 'status');
    expect(mergedGroups([one, other])).toEqual([group('a', version('v1', both))]);
  });

  it('is the same where they serve the same', () => {
    const one = [group('b', version('v1', resource('x', ['watch', 'get']))), group('a')];
    expect(mergedGroups([one, structuredClone(one)])).toEqual(one);
  });
});

describe('the order of names of several lists', () => {
  it.each([
    [[], []],
    [
      [
        ['a', 'b', 'c'],
        ['b', 'c'],
      ],
      ['a', 'b', 'c'],
    ],
    [
      [
        ['a', 'c'],
        ['b', 'c'],
      ],
      ['a', 'b', 'c'],
    ],
    [
      [['b'], ['a']],
      ['a', 'b'],
    ],
    [
      [
        ['c', 'b'],
        ['b', 'a'],
      ],
      ['c', 'b', 'a'],
    ],
    [
      [
        ['a', 'b', 'x'],
        ['b', 'a', 'y'],
      ],
      ['a', 'b', 'x', 'y'],
    ],
  ])('of %j is %j', (lists, order) => {
    expect(mergedOrder(lists)).toEqual(order);
  });

  it('breaks none of theirs where there is one that all agree with', () => {
    const names = ['d', 'a', 'f', 'c', 'b', 'e'];
    const part = fc.subarray(names);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (lists) => {
        const order = mergedOrder(lists);
        expect([...order].toSorted()).toEqual([...new Set(lists.flat())].toSorted());
        for (const list of lists) expect(order.filter((name) => list.includes(name))).toEqual(list);
      }),
    );
  });
});
