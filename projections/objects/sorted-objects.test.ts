import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loggedEvent } from '../given.fixture.ts';
import { SortedObjects } from './sorted-objects.ts';
import { storedObject } from './stored-object.ts';

const named = (path: string, version = 1) => storedObject(loggedEvent(version, { path }));
const paths = (found: Iterable<{ path: string }>) => [...found].map(({ path }) => path);

describe('sorted objects', () => {
  it('keeps any history of sets and deletes in order', () => {
    const step = fc.record({ path: fc.integer({ min: 0, max: 2_000 }), keep: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 3_000, size: 'max' }), (steps) => {
        const sorted = new SortedObjects();
        const model = new Set<string>();
        for (const { path, keep } of steps) {
          const name = `ns/${String(path).padStart(4, '0')}`;
          if (keep) sorted.set(named(name));
          else sorted.delete(name);
          if (keep) model.add(name);
          else model.delete(name);
        }
        const expected = [...model].sort();
        expect(paths(sorted.between('', '\uffff'))).toEqual(expected);
        expect(sorted.size).toBe(expected.length);
        const from = 'ns/0500';
        const to = 'ns/1500';
        const inRange = expected.filter((path) => path >= from && path < to);
        expect(paths(sorted.between(from, to))).toEqual(inRange);
        expect(sorted.countBetween(from, to)).toBe(inRange.length);
      }),
      { numRuns: 30 },
    );
  });

  it('puts a new version in the place of the old one', () => {
    const sorted = new SortedObjects();
    sorted.set(named('ns/a', 1));
    sorted.set(named('ns/a', 2));

    expect([...sorted.between('', '\uffff')].map((one) => one.resourceVersion)).toEqual([2]);
  });
});
