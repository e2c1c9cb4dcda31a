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
          if (keep) sorted.set({ path: name });
          else sorted.delete(name);
          if (keep) model.add(name);
          else model.delete(name);
        }
        const expected = [...model].sort();
        expect(pathsBetween(sorted, '', '\uffff')).toEqual(expected);
        expect(sorted.range('', '~').map(({ path }) => path)).toEqual(expected);
        expect(sorted.size).toBe(expected.length);
        const from = 'ns/0500';
        const to = 'ns/1500';
        const inRange = expected.filter((path) => path >= from && path < to);
        expect(pathsBetween(sorted, from, to)).toEqual(inRange);
        expect(sorted.countBetween(from, to)).toBe(inRange.length);
        expect(sorted.range(from, to).map(({ path }) => path)).toEqual(inRange);
        expect(sorted.range(to, from)).toEqual([]);
        for (const max of [0, 1, 300, expected.length]) {
          expect(visited(sorted, from, to, max)).toEqual(inRange.slice(0, max + 1));
          expect(sorted.range(from, to, max).map(({ path }) => path)).toEqual(
            inRange.slice(0, max),
          );
        }
      }),
      { numRuns: 30 },
    );
  });

  it('has a path once, and what came last there', () => {
    const sorted = new SortedPaths<{ readonly path: string; readonly version: number }>();
    for (const version of [1, 2]) sorted.set({ path: 'ns/a', version });
    sorted.set({ path: 'ns/b', version: 3 });
    sorted.set({ path: 'ns/a', version: 4 });

    expect(sorted.range('', '~')).toEqual([
      { path: 'ns/a', version: 4 },
      { path: 'ns/b', version: 3 },
    ]);
    expect(sorted.size).toBe(2);
  });

  it('shows what lay in a range when it was held, whatever changes', () => {
    const name = (path: number): string => `ns/${String(path).padStart(4, '0')}`;
    const step = fc.record({ path: fc.integer({ min: 0, max: 2_000 }), keep: fc.boolean() });
    const steps = fc.array(step, { maxLength: 600, size: 'max' });
    fc.assert(
      fc.property(fc.array(steps, { minLength: 2, maxLength: 6 }), fc.nat(1_000), (all, from) => {
        const sorted = new SortedPaths<string>();
        for (let path = 0; path < 2_000; path += 2) sorted.set(name(path));
        const holds = all.map((some) => {
          const range = [name(from), name(from + 900)] as const;
          const before = sorted.range(...range);
          const held = sorted.hold(...range);
          for (const { path, keep } of some) {
            if (keep) sorted.set(name(path));
            else sorted.delete(name(path));
          }
          return { before, held };
        });
        for (const { before, held } of holds) {
          expect([...held]).toEqual(before);
          expect(held.length).toBe(before.length);
          for (const at of [0, 1, 600, before.length]) expect(held.at(at)).toBe(before[at]);
        }
        sorted.set('zz');
        expect(sorted.range('', '~').at(-1)).toBe('zz');
      }),
      { numRuns: 20 },
    );
  });

  it('is a copy that others may change', () => {
    const sorted = new SortedPaths<{ readonly path: string }>();
    sorted.set({ path: 'ns/a' });
    const copy = sorted.copy();
    copy.set({ path: 'ns/b' });
    sorted.delete('ns/a');
    expect([pathsBetween(sorted, '', '~'), pathsBetween(copy, '', '~')]).toEqual([
      [],
      ['ns/a', 'ns/b'],
    ]);
  });
});
