/** Windows of many rows: how much is done in a turn of the event loop, and that what changes between the turns is not lost. */
import { expect, it } from 'vitest';
import type { LiveWindow } from '../../../api/live/live-messages.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { chanceFrom } from '../../../tools/seeded-chance.fixture.ts';
import { RowOfCells } from './read-row.ts';
import { RowTurns, TURN_ROWS } from './row-turns.ts';
import type { RowMaker } from './window-columns.ts';
import { WindowRows } from './window-rows.ts';

const ROWS = 20_000;
const READ_IN_A_TURN = 256;
/** Of a run of 1,024 that is sorted at once: two cells for each comparison. */
const CELLS_IN_A_TURN = 2 * 1_024 * 16;
const SORTED: LiveWindow = { offset: 0, limit: ROWS, sort: [{ column: 'Number' }] };

const work = { pulled: 0, read: 0, cells: 0 };

const MAKER: RowMaker = {
  columns: ['Name', 'Number'].map((name) => ({ name, type: '', format: '', priority: 0 })),
  ages: false,
  cellOfPath(column, path) {
    work.cells += 1;
    return column === 0 ? path : undefined;
  },
  row({ path, json }) {
    work.read += 1;
    return new RowOfCells(path, [path, Number(json.toString())]);
  },
};

function object(nth: number, number: number): StoredObject {
  const path = `a/n${String(nth).padStart(6, '0')}`;
  return { path, json: Buffer.from(String(number)) } as unknown as StoredObject; // The maker reads nothing else.
}

function* pulled(objects: Iterable<StoredObject>): Generator<StoredObject> {
  for (const one of objects) {
    work.pulled += 1;
    yield one;
  }
}

/** Does something in each turn that the work leaves to others. @returns the most that was done in one, and how many there were. */
async function watched(working: Promise<boolean>, inATurn: () => void) {
  const state = { isOver: false };
  const done = working.finally(() => (state.isOver = true));
  const most = { ...work };
  let turns = 0;
  while (!state.isOver) {
    for (const what of ['pulled', 'read', 'cells'] as const) {
      most[what] = Math.max(most[what], work[what]);
      work[what] = 0;
    }
    inATurn();
    turns += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await done).toBe(true);
  return { ...most, turns };
}

function expectNoMoreThanATurn(most: { pulled: number; read: number; cells: number }): void {
  expect(most.pulled).toBeLessThanOrEqual(TURN_ROWS);
  expect(most.read).toBeLessThanOrEqual(READ_IN_A_TURN);
  expect(most.cells).toBeLessThanOrEqual(CELLS_IN_A_TURN);
}

it.each<[string, LiveWindow]>([
  ['in the order of their names', { offset: 0, limit: ROWS }],
  ['by a cell', SORTED],
  ['by a cell, and filtered', { ...SORTED, filter: [{ column: 'Number', contains: '7' }] }],
  ['in groups', { offset: 0, limit: ROWS, groups: ['Number'] }],
])(
  'are filled %s in turns, and have what changes meanwhile',
  async (_name, window) => {
    const random = chanceFrom(7);
    const number = (): number => Math.floor(random() * 50);
    const objects = Array.from({ length: ROWS }, (_, nth) => object(nth, number()));
    const known = new Map(objects.map((one) => [one.path, one]));
    const rows = new WindowRows(MAKER, window, () => 0);
    Object.assign(work, { pulled: 0, read: 0, cells: 0 });
    const filling = rows.fill(pulled(objects), () => false);
    const changeOne = (): void => {
      const one = object(Math.floor(random() * ROWS * 1.1), number());
      if (random() < 0.3) {
        known.delete(one.path);
        rows.delete(one.path);
      } else {
        known.set(one.path, one);
        rows.set(one);
      }
    };
    const filled = await watched(filling, changeOne);
    expectNoMoreThanATurn(filled);
    expect(filled.turns).toBeGreaterThan(ROWS / TURN_ROWS);

    const anew = new WindowRows(MAKER, window, () => 0);
    const there = [...known.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
    await anew.fill(there, () => false);
    const shown = (of: WindowRows) => of.visible().map(({ key, cells }) => [key, cells[1]]);
    expect(shown(rows)).toEqual(shown(anew));
    expect([rows.total, rows.matched]).toEqual([anew.total, anew.matched]);
    expect(rows.groups()).toEqual(anew.groups());

    // By another order, while others go on.
    Object.assign(work, { pulled: 0, read: 0, cells: 0 });
    const byName = await watched(
      rows.arrange({ ...window, sort: [{ column: 'Name', descending: true }] }, () => false),
      changeOne,
    );
    expectNoMoreThanATurn(byName);
    expect(rows.total).toBe(known.size);
  },
  60_000,
);

it('sorts as a sort at once does, and keeps the order of equal rows', async () => {
  for (const length of [0, 1, 1_023, 1_024, 1_025, 5_000, 8_192, 10_001]) {
    const random = chanceFrom(length);
    const rows = Array.from({ length }, (_, nth) => ({ nth, by: Math.floor(random() * 100) }));
    const compare = (one: { by: number }, other: { by: number }): number => one.by - other.by;
    const turns = new RowTurns(() => false);
    expect(await turns.sorted(rows, compare)).toEqual(rows.toSorted(compare));
  }
});

it('stops in the turn behind that in which it is stopped', async () => {
  const rows = new WindowRows(MAKER, SORTED, () => 0);
  const objects = Array.from({ length: ROWS }, (_, nth) => object(nth, nth));
  Object.assign(work, { pulled: 0, read: 0, cells: 0 });
  expect(await rows.fill(pulled(objects), () => true)).toBe(false);
  expect(work.pulled).toBe(TURN_ROWS);
});
