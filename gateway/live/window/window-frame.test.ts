import { array, assert, constantFrom, integer, oneof, property, record, string } from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../../api/json/json-text.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { SERVER_MESSAGES, type RowsMessage } from '../../../api/live/live-messages.ts';
import { problemOf } from '../../../api/live/message-schema.ts';
import { LiveRows } from '../../client/live-rows.ts';
import { RowOfCells, RowTexts, type ReadRow } from './read-row.ts';
import { ShownWindow, type WindowState } from './window-frame.ts';

const COLUMNS = ['A', 'B'].map((name) => ({ name, type: 'string', format: '', priority: 0 }));
const KEYS = ['/a', 'ns/b', 'ns/"\\', 'ns/ü€😀'];

/** The same rows: 0 as they are, and others written, in one of two memories. */
function ways(rows: readonly RowOfCells[], written: readonly number[]): ReadRow[] {
  const texts = [new RowTexts(1), new RowTexts(9)];
  return rows.map((row, at) => {
    const into = texts[(written[at] ?? 0) - 1];
    if (into === undefined) return row;
    // A row before it that could not be read leaves nothing.
    into.begin('broken').value(1);
    const out = into.begin(row.key);
    for (const [column, cell] of row.cells.entries()) {
      if (column > 0) out.byte(COMMA);
      out.value(cell);
    }
    return into.finish(row.key);
  });
}

const COMMA = 0x2c;

const plain = ({ key, cells }: RowOfCells) => ({ key, cells });

function messageOf(shown: ShownWindow, state: WindowState): RowsMessage | undefined {
  const { parts = [] } = shown.frame('w', state) ?? {};
  if (parts.length === 0) return undefined;
  const message = parseJson(Buffer.concat(parts).toString()) as JsonObject;
  expect(problemOf(SERVER_MESSAGES.rows, message)).toBeUndefined();
  return message as unknown as RowsMessage; // As its schema has just said.
}

it('whatever is shown one after another, a client that takes the frames has it', () => {
  const cell = oneof(string({ unit: 'binary' }), integer(), constantFrom(null, true, 2n ** 60n));
  const state = record({
    keys: array(constantFrom(...KEYS), { maxLength: 4 }).map((keys) => [...new Set(keys)]),
    cells: array(cell, { minLength: 8, maxLength: 8 }),
    offset: integer({ min: 0, max: 3 }),
    count: integer({ min: 0, max: 2 }),
    hasOtherColumns: constantFrom(false, false, true),
    written: array(integer({ min: 0, max: 2 }), { minLength: 4, maxLength: 4 }),
  });
  assert(
    property(array(state, { maxLength: 6 }), (states) => {
      const shown = new ShownWindow();
      const client = new LiveRows();
      let columns = COLUMNS;
      let last: unknown;
      for (const { keys, cells, offset, count, hasOtherColumns, written } of states) {
        if (hasOtherColumns) columns = columns.map((one) => ({ ...one }));
        const made = keys.map((key, at) => new RowOfCells(key, cells.slice(2 * at, 2 * at + 2)));
        const rows = ways(made, written);
        const groups = [{ column: 'A', counts: [{ value: '"', count }], others: 0 }];
        const frame = messageOf(shown, {
          ...{ revision: '7', total: 9, matched: 8, offset, columns, rows, groups },
        });
        if (frame !== undefined) last = client.take(frame);
        expect(last).toMatchObject({ offset, groups, rows: made.map(plain) });
      }
    }),
    { numRuns: 50 },
  );
});

it('a row is made into text once, and not told again where it is the same', () => {
  const shown = new ShownWindow();
  const row = new RowOfCells('/a', ['1']);
  const state = { revision: '7', total: 1, matched: 1, offset: 0, columns: COLUMNS, groups: [] };
  expect(messageOf(shown, { ...state, rows: [row] })).toMatchObject({
    rows: [{ key: '/a', cells: ['1'] }],
  });
  expect(messageOf(shown, { ...state, rows: [row] })).toBeUndefined();
  const same = new RowOfCells('/a', ['1']);
  expect(messageOf(shown, { ...state, rows: [same] })).toBeUndefined();
  const changed = messageOf(shown, { ...state, rows: [new RowOfCells('/a', ['2'])] });
  expect(changed).toEqual({
    ...{ type: 'rows', id: 'w', revision: '7', total: 1, matched: 1, offset: 0 },
    cells: [{ key: '/a', column: 0, cell: '2' }],
  });
});
