/** Rows of features in made-up pages. */
import { describe, expect, it } from 'vitest';
import { featureRows } from './feature-rows.ts';
import { houseOf, type Violations } from './house.ts';

const FILES = {
  'e2e/api/door.test.ts': `import { story } from '../cluster/story.ts';`,
  'e2e/cluster/story.ts': '',
  'e2e/cluster/other.ts': '',
  'gateway/flags/flags.ts': '',
  'docs/metrics.md': '',
};

function judged(count: string, ...rows: readonly string[]): Violations {
  const page = `${count}\n\n| # | feature | here | shown by |\n|--:|---|---|---|\n${rows.join('\n')}\n`;
  const files = { ...FILES, 'docs/features.md': page };
  return featureRows(houseOf(Object.entries(files).map(([path, text]) => ({ path, text }))));
}

describe('rows of features', () => {
  it('name a test, a folder with tests, or what a test imports', () => {
    const rows = [
      '| 1 | a | works | [door](../e2e/api/door.test.ts#here) |',
      '| 2 | b | own | it is so; [api](../e2e/api/) |',
      '| 3 | c | partly | [page](metrics.md), [story](../e2e/cluster/story.ts) |',
      '| 4 | d | absent | nothing of it |',
    ];
    const count = 'Of the 4, 1 work, 1 are met in another way, 1 are partly there, 1 are absent.';
    expect(judged(count, ...rows)).toEqual([]);
  });

  it.each([
    'it is so',
    '[page](metrics.md)',
    '[gone](../e2e/api/gone.test.ts)',
    '[flags](../gateway/flags)',
    '[other](../e2e/cluster/other.ts)',
    '`[door](../e2e/api/door.test.ts)`',
  ])('are found where they name none: %s', (shownBy) => {
    const count = 'Of the 1, 1 work, 0 are met in another way, 0 are partly there, none is absent.';
    expect(judged(count, `| 1 | a | works | ${shownBy} |`)).toEqual([
      'docs/features.md: row 1 names no test',
    ]);
  });

  it('have numbers without a hole, a state that is known, and their count', () => {
    const door = '[door](../e2e/api/door.test.ts)';
    const count = 'Of the 1, 1 work, 0 are met in another way, 0 are partly there, none is absent.';
    expect(judged(count, `| 2 | a | works | ${door} |`)).toEqual([
      'docs/features.md: row 2 stands at 1',
    ]);
    expect(judged(count, `| 1 | a | works | ${door} |`, `| 2 | b | hopes | ${door} |`)).toEqual([
      'docs/features.md: a row is not read',
    ]);
    expect(judged('Of the 148, 148 work', `| 1 | a | works | ${door} |`)).toHaveLength(1);
  });
});
