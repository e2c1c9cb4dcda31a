import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  integer,
  option,
  record,
} from 'fast-check';
import { expect, it } from 'vitest';
import type { LiveWindow } from '../../../api/live/live-messages.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { textOf } from './cell-order.ts';
import { WindowRows } from './window-rows.ts';
import { RowOfCells } from './read-row.ts';
import type { RowMaker } from './window-columns.ts';

/** Cells are what the bytes say. */
const MAKER: RowMaker = {
  columns: ['Namespace', 'Word', 'Number'].map((name) => ({
    name,
    type: '',
    format: '',
    priority: 0,
  })),
  ages: false,
  cellOfPath: (column, path) => (column === 0 ? (path.split('/')[0] ?? '') : undefined),
  row: ({ path, json }) => {
    const [word = '', number = 0] = JSON.parse(json.toString()) as [string?, number?];
    return new RowOfCells(path, [path.split('/')[0] ?? '', word, number]);
  },
};

function object(path: string, word: string, number: number): StoredObject {
  const json = Buffer.from(JSON.stringify([word, number]));
  return { path, json } as unknown as StoredObject; // The maker reads nothing else.
}

const never = () => false;

function rowsOf(window: LiveWindow): WindowRows {
  return new WindowRows(MAKER, window, () => 0);
}

it('reads nothing but what is on the screen, as long as nothing else is asked for', async () => {
  let read = 0;
  const counting = {
    ...MAKER,
    row: (...args: Parameters<RowMaker['row']>) => {
      read += 1;
      return MAKER.row(...args);
    },
  };
  const rows = new WindowRows(
    counting,
    { offset: 10, limit: 5, sort: [{ column: 'Namespace' }] },
    () => 0,
  );
  const objects = Array.from({ length: 100 }, (_, index) =>
    object(`a/n${String(index).padStart(3, '0')}`, 'x', 1),
  );
  await rows.fill(objects, never);
  expect(rows.visible().map(({ key }) => key)[0]).toBe('a/n010');
  expect(read).toBe(5);
});

it('sorts numbers as numbers, and empty cells last, both ways', async () => {
  const given = [object('a/1', '', 10), object('a/2', 'b', 9), object('a/3', 'a', 100)];
  const keys = async (column: string, descending: boolean) => {
    const rows = rowsOf({ offset: 0, limit: 9, sort: [{ column, descending }] });
    await rows.fill(given, never);
    return rows.visible().map(({ key }) => key);
  };
  expect(await keys('Number', false)).toEqual(['a/2', 'a/1', 'a/3']);
  expect(await keys('Number', true)).toEqual(['a/3', 'a/1', 'a/2']);
  expect(await keys('Word', false)).toEqual(['a/3', 'a/2', 'a/1']);
  expect(await keys('Word', true)).toEqual(['a/2', 'a/3', 'a/1']);
});

it('names the column that there is not', () => {
  expect(
    rowsOf({ offset: 0, limit: 1 }).unknownColumn({ offset: 0, limit: 1, groups: ['x'] }),
  ).toBe('x');
});

it('is scrolled without being ordered anew, and ordered anew by another order', async () => {
  let compared = 0;
  const cellOfPath: RowMaker['cellOfPath'] = (column, path) => {
    compared += 1;
    return MAKER.cellOfPath(column, path);
  };
  const byNamespace = { limit: 2, sort: [{ column: 'Namespace' }] };
  const rows = new WindowRows({ ...MAKER, cellOfPath }, { offset: 0, ...byNamespace }, () => 0);
  const given = Array.from({ length: 50 }, (_, index) =>
    object(`a/n${String(index).padStart(2, '0')}`, '', -index),
  );
  const keys = () => rows.visible().map(({ key }) => key);
  await rows.fill(given, never);
  compared = 0;
  await rows.arrange({ offset: 40, ...byNamespace }, never);
  expect([keys(), compared]).toEqual([['a/n40', 'a/n41'], 0]);
  await rows.arrange({ offset: 0, limit: 1, sort: [{ column: 'Number' }] }, never);
  expect(keys()).toEqual(['a/n49']);
  await rows.arrange({ offset: 0, ...byNamespace }, never);
  expect(keys()).toEqual(['a/n00', 'a/n01']);
});

it('whatever changes, the rows are those that a sort of all of them would give', async () => {
  const change = record({
    path: constantFrom('a/1', 'a/2', 'b/1', 'b/2', 'c/1', 'c/2'),
    word: constantFrom('', 'x', 'y', 'xy'),
    number: integer({ min: 0, max: 3 }),
    isGone: boolean(),
  });
  const window = record({
    offset: integer({ min: 0, max: 2 }),
    limit: integer({ min: 0, max: 4 }),
    sort: array(
      record({ column: constantFrom('Word', 'Number', 'Namespace'), descending: boolean() }),
      { maxLength: 2 },
    ),
    part: option(constantFrom('x', 'Y'), { nil: undefined }),
    groups: constantFrom([], ['Word'], ['Namespace', 'Number']),
  });
  const windowOf = ({ part, ...asked }: LiveWindow & { part: string | undefined }): LiveWindow => {
    const filter = part === undefined ? {} : { filter: [{ column: 'Word', contains: part }] };
    return { ...asked, ...filter };
  };
  await assert(
    asyncProperty(array(change), window, window, async (changes, first, last) => {
      const shown = windowOf(last);
      const rows = rowsOf(windowOf(first));
      await rows.fill([], never);
      const there = new Map<string, StoredObject>();
      for (const [nth, { path, word, number, isGone }] of changes.entries()) {
        if (nth === Math.floor(changes.length / 2)) await rows.arrange(shown, never);
        if (isGone) {
          there.delete(path);
          rows.delete(path);
        } else {
          there.set(path, object(path, word, number));
          rows.set(object(path, word, number));
        }
      }
      if (changes.length === 0) await rows.arrange(shown, never);
      const anew = rowsOf(shown);
      const sorted = [...there.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
      await anew.fill(sorted, never);
      const cells = (one: WindowRows) => one.visible().map(({ key, cells: all }) => [key, all]);
      expect(cells(rows)).toEqual(cells(anew));
      expect(rows.groups()).toEqual(anew.groups());
      const passing = sorted.filter(({ json }) =>
        json
          .toString()
          .toLowerCase()
          .includes((last.part ?? '').toLowerCase()),
      );
      expect([rows.total, rows.matched]).toEqual([there.size, passing.length]);
    }),
  );
});

it('cells are texts for filters and groups', () => {
  expect([null, 7, 'a', true].map(textOf)).toEqual(['', '7', 'a', 'true']);
});
