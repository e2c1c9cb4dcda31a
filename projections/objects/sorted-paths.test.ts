import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedPaths } from './sorted-paths.ts';

describe('sorted paths', () => {
  it('keeps any history of adds and deletes in order', () => {
    const step = fc.record({ path: fc.integer({ min: 0, max: 2_000 }), keep: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 3_000, size: 'max' }), (steps) => {
        const sorted = new SortedPaths();
        const model = new Set<string>();
        for (const { path, keep } of steps) {
          const name = `ns/${String(path).padStart(4, '0')}`;
          if (keep) sorted.add(name);
          else sorted.delete(name);
          if (keep) model.add(name);
          else model.delete(name);
        }
        const expected = [...model].sort();
        expect([...sorted.between('', '\uffff')]).toEqual(expected);
        expect(sorted.size).toBe(expected.length);
        const from = 'ns/0500';
        const to = 'ns/1500';
        const inRange = expected.filter((path) => path >= from && path < to);
        expect([...sorted.between(from, to)]).toEqual(inRange);
        expect(sorted.countBetween(from, to)).toBe(inRange.length);
      }),
      { numRuns: 30 },
    );
  });

  it('has a path once', () => {
    const sorted = new SortedPaths();
    sorted.add('ns/a');
    sorted.add('ns/a');

    expect([...sorted.between('', '\uffff')]).toEqual(['ns/a']);
    expect(sorted.size).toBe(1);
  });
});
