import { describe, expect, it } from 'vitest';
import {
  appended,
  EMPTY_LOG,
  keptLines,
  levelOf,
  linesWith,
  pieces,
  withoutEscapes,
} from './log-text.ts';

const linesOf = (text: typeof EMPTY_LOG): string[] => text.blocks.flatMap(({ lines }) => lines);

describe('the text of a log', () => {
  it('is put together of pieces that end anywhere', () => {
    const whole = 'one\ntwo\n\nthree';
    const letters = Array.from(whole).reduce(appended, EMPTY_LOG);
    expect(linesOf(letters)).toEqual(['one', 'two', '']);
    expect(letters.rest).toBe('three');
    expect(letters).toEqual(appended(EMPTY_LOG, whole));
  });

  it('leaves full blocks as they are, and lets go of the oldest', () => {
    const many = (count: number): string => 'line\n'.repeat(count);
    const first = appended(EMPTY_LOG, many(450));
    const second = appended(first, many(10));
    expect(second.blocks.map(({ from, lines }) => [from, lines.length])).toEqual([
      [0, 200],
      [200, 200],
      [400, 60],
    ]);
    expect(second.blocks[1]).toBe(first.blocks[1]);
    const long = appended(second, many(30_000));
    expect(long.count).toBe(30_460);
    expect(keptLines(long)).toBeLessThanOrEqual(20_000);
    expect(keptLines(long)).toBeGreaterThan(19_600);
    expect(keptLines(long)).toBe(linesOf(long).length);
  });

  it('finds lines and the places in them in any case of letters', () => {
    const { blocks } = appended(EMPTY_LOG, 'An Error\nfine\nno error, Error\n');
    expect(blocks.map((block) => linesWith(block, 'ERROR'))).toEqual([[0, 2]]);
    expect(pieces('no error, Error', 'error')).toEqual([
      ['no ', false],
      ['error', true],
      [', ', false],
      ['Error', true],
    ]);
    expect(pieces('İx', 'x')).toEqual([['İx', false]]);
    expect(pieces('all', '')).toEqual([['all', false]]);
  });

  it('knows lines of errors and warnings by the words of loggers, and drops colours', () => {
    const of = (line: string): string => levelOf(line);
    expect(['E1126 10:00:00 x.go:1] no', 'level=error msg=x', '[ERROR] x'].map(of)).toEqual([
      ...['bad', 'bad', 'bad'],
    ]);
    expect(['W1126 x', '{"level":"warn"}', 'WARN x'].map(of)).toEqual(['busy', 'busy', 'busy']);
    expect(['terrors of the deep', 'GET /errors 200'].map(of)).toEqual(['plain', 'plain']);
    expect(withoutEscapes('\u001b[31mred\u001b[0m \u001b[2K.')).toBe('red .');
  });
});
