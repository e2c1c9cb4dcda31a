import { array, assert, constantFrom, integer, oneof, property, record, string } from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../../api/json/json-text.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { SERVER_MESSAGES, type RowsMessage } from '../../../api/live/live-messages.ts';
import { problemOf } from '../../../api/live/message-schema.ts';
import { LiveRows } from '../../client/live-rows.ts';
import { ReadRow } from './read-row.ts';
import { ShownWindow, type WindowState } from './window-frame.ts';

const COLUMNS = ['A', 'B'].map((name) => ({ name, type: 'string', format: '', priority: 0 }));
const KEYS = ['/a', 'ns/b', 'ns/"\\', 'ns/ü€😀'];

const plain = ({ key, cells }: ReadRow) => ({ key, cells });

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
  });
  assert(
    property(array(state, { maxLength: 6 }), (states) => {
      const shown = new ShownWindow();
      const client = new LiveRows();
      let columns = COLUMNS;
      let last: unknown;
      for (const { keys, cells, offset, count, hasOtherColumns } of states) {
        if (hasOtherColumns) columns = columns.map((one) => ({ ...one }));
        const rows = keys.map((key, at) => new ReadRow(key, cells.slice(2 * at, 2 * at + 2)));
        const groups = [{ column: 'A', counts: [{ value: '"', count }], others: 0 }];
        const frame = messageOf(shown, {
          ...{ revision: '7', total: 9, matched: 8, offset, columns, rows, groups },
        });
        if (frame !== undefined) last = client.take(frame);
        expect(last).toMatchObject({ offset, groups, rows: rows.map(plain) });
      }
    }),
    { numRuns: 50 },
  );
});

it('a row is made into text once, and not told again where it is the same', () => {
  const shown = new ShownWindow();
  const row = new ReadRow('/a', ['1']);
  const state = { revision: '7', total: 1, matched: 1, offset: 0, columns: COLUMNS, groups: [] };
  expect(messageOf(shown, { ...state, rows: [row] })).toMatchObject({
    rows: [{ key: '/a', cells: ['1'] }],
  });
  expect(messageOf(shown, { ...state, rows: [row] })).toBeUndefined();
  const same = new ReadRow('/a', ['1']);
  expect(messageOf(shown, { ...state, rows: [same] })).toBeUndefined();
  const changed = messageOf(shown, { ...state, rows: [new ReadRow('/a', ['2'])] });
  expect(changed).toEqual({
    ...{ type: 'rows', id: 'w', revision: '7', total: 1, matched: 1, offset: 0 },
    cells: [{ key: '/a', column: 0, cell: '2' }],
  });
});
