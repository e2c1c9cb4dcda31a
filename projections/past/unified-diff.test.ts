import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const NAMES = { before: 'a', after: 'b' };
const text = fc
  .array(fc.constantFrom('one', 'two', 'three', ''), { maxLength: 30 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''));

/** What a reader of the diff makes of the first text. */
function patched(before: string, diff: string): string {
  const old = before.split('\n').slice(0, -1);
  const made: string[] = [];
  let place = 0;
  for (const line of diff.split('\n').slice(2, -1)) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (hunk !== null) {
      const start = Number(hunk[1]) - (hunk[2] === '0' ? 0 : 1);
      while (place < start) made.push(old[place++] ?? '');
    } else if (line.startsWith('+')) made.push(line.slice(1));
    else {
      expect(line.slice(1)).toBe(old[place]);
      if (line.startsWith(' ')) made.push(line.slice(1));
      place += 1;
    }
  }
  made.push(...old.slice(place));
  return made.map((line) => `${line}\n`).join('');
}

describe('the unified diff', () => {
  it('makes the second text out of the first', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = unifiedDiff(before, after, NAMES);
        if (before === after) expect(diff).toBe('');
        else expect(patched(before, diff)).toBe(after);
      }),
    );
  });

  it('shows three lines around what differs, as diff -u does', () => {
    const lines = Array.from({ length: 12 }, (_, index) => `line ${String(index + 1)}\n`);
    const before = lines.join('');
    const after = before.replace('line 2\n', '').replace('line 11\n', 'line 11\nnew\n');
    expect(unifiedDiff(before, after, NAMES).split('\n')).toEqual([
      '--- a',
      '+++ b',
      '@@ -1,5 +1,4 @@',
      ' line 1',
      '-line 2',
      ' line 3',
      ' line 4',
      ' line 5',
      '@@ -9,4 +8,5 @@',
      ' line 9',
      ' line 10',
      ' line 11',
      '+new',
      ' line 12',
      '',
    ]);
  });

  it('does not compute for ever where nothing is alike', () => {
    const lines = (word: string): string =>
      Array.from({ length: 20_000 }, (_, index) => `${word} ${String(index)}\n`).join('');
    const diff = unifiedDiff(lines('a'), lines('b'), NAMES);
    expect(diff.split('\n').filter((line) => line.startsWith('-a'))).toHaveLength(20_000);
  });

  it('is one hunk where the lines around two changes touch, and two where a line lies between', () => {
    const hunks = (between: number): number => {
      const same = Array.from({ length: between }, (_, index) => `same ${String(index)}\n`).join(
        '',
      );
      const diff = unifiedDiff(`a\n${same}b\n`, `A\n${same}B\n`, NAMES);
      return diff.split('\n').filter((line) => line.startsWith('@@')).length;
    };
    expect([5, 6, 7, 8].map(hunks)).toEqual([1, 1, 2, 2]);
  });
});
