import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedPaths } from './sorted-paths.ts';

type Sorted = SortedPaths<{ readonly path: string }>;

function pathsBetween(sorted: Sorted, from: string, to: string): string[] {
  return Array.from(sorted.between(from, to), ({ path }) => path);
}

/** Those that are shown to a visitor that refuses the one behind so many. */
function visited(sorted: Sorted, from: string, to: string, max: number): string[] {
  const paths: string[] = [];
  sorted.visit(from, to, ({ path }) => paths.push(path) <= max);
  return paths;
}

describe('sorted paths', () => {
  it('keeps any history of adds and deletes in order', () => {
    const step = fc.record({ path: fc.integer({ min: 0, max: 2_000 }), keep: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 3_000, size: 'max' }), (steps) => {
        const sorted = new SortedPaths<{ readonly path: string }>();
        const model = new Set<string>();
        for (const { path, keep } of steps) {
          const name = `ns/${String(path).padStart(4, '0')}`;
          if (keep) sorted.add({ path: name });
          else sorted.delete(name);
          if (keep) model.add(name);
          else model.delete(name);
        }
        const expected = [...model].sort();
        expect(pathsBetween(sorted, '', '\uffff')).toEqual(expected);
        expect(sorted.size).toBe(expected.length);
        const from = 'ns/0500';
        const to = 'ns/1500';
        const inRange = expected.filter((path) => path >= from && path < to);
        expect(pathsBetween(sorted, from, to)).toEqual(inRange);
        expect(sorted.countBetween(from, to)).toBe(inRange.length);
        for (const max of [0, 1, 300, expected.length]) {
          expect(visited(sorted, from, to, max)).toEqual(inRange.slice(0, max + 1));
        }
      }),
      { numRuns: 30 },
    );
  });

  it('has a path once', () => {
    const sorted = new SortedPaths<{ readonly path: string }>();
    sorted.add({ path: 'ns/a' });
    sorted.add({ path: 'ns/a' });

    expect(pathsBetween(sorted, '', '\uffff')).toEqual(['ns/a']);
    expect(sorted.size).toBe(1);
  });
});
