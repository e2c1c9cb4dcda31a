/** Rows that are written from the bytes of objects say what a parser finds in them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loggedEvent } from '../../../projections/given.fixture.ts';
import { storedObject } from '../../../projections/objects/stored-object.ts';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { configMaps } from '../../given-config-maps.fixture.ts';
import { RowTexts, type ReadRow } from './read-row.ts';
import { SharedCells } from './shared-cells.ts';
import { rowMakerOf } from './window-columns.ts';

const COLUMNS = [
  ...['Namespace', 'Name', 'Age'],
  { name: 'A', jsonPath: '.data.a' },
  { name: 'L', jsonPath: '.metadata.labels.a' },
];
const TIME = '2026-11-20T10:00:00Z';

/** Anew each time, so nothing is known of a row that was read. */
function rowOf(object: StoredObject, texts?: RowTexts): ReadRow {
  const maker = rowMakerOf(configMaps, COLUMNS, new SharedCells(new ManualClock()));
  if ('kind' in maker) throw new Error(maker.message);
  return maker.row(object, 0, texts);
}

const NAMES = ['a', 'data', 'metadata', 'labels', 'b', '"a":', '\\', 'ü'];
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', '"', '{', '}', ']', ',', ':', '\\', 'ü', '\n', '😀', '\u007f'),
  }),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[a-z]{1,9}$/),
  fc.constant('x'.repeat(300)),
);
/** As JSON writes it, or with an escape that need not be one. */
const quoted = fc.tuple(text, fc.constantFrom(false, false, false, true)).map(([value, isOdd]) => {
  const json = JSON.stringify(value);
  return isOdd ? json.replace('a', String.raw`\u0061`) : json;
});
const name = fc.constantFrom(...NAMES).map((value) => JSON.stringify(value));
/** Keys may come again. */
const texts = fc.array(fc.tuple(name, quoted), { maxLength: 5 }).map(objectOf);
const other = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    quoted,
    fc.constantFrom('1', '-2.5e3', 'true', 'null', '[]', '{}'),
    fc.array(tie('any'), { maxLength: 3 }).map((them) => `[${them.join(',')}]`),
    fc.array(fc.tuple(name, tie('any')), { maxLength: 3 }).map(objectOf),
  ),
})).any;
const metadata = fc
  .tuple(fc.array(fc.tuple(fc.constantFrom('"labels"', '"x"'), texts), { maxLength: 3 }), other)
  .map(([them, managed]) =>
    objectOf([
      ['"name"', '"n"'],
      ['"creationTimestamp"', JSON.stringify(TIME)],
      ...them,
      ['"odd"', managed],
    ]),
  );
const part = fc.oneof(
  fc.tuple(fc.constant('"data"'), texts),
  fc.tuple(fc.constant('"odd"'), other),
  fc.tuple(fc.constant('"metadata"'), metadata),
);
const stored = fc.tuple(metadata, fc.array(part, { maxLength: 4 })).map(([first, parts]) => {
  return objectOf([['"kind"', '"ConfigMap"'], ['"metadata"', first], ...parts]);
});

function objectOf(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(',')}}`;
}

interface Parsed {
  readonly metadata: { readonly labels?: Record<string, string> };
  readonly data?: Record<string, string>;
}

function own(record: Record<string, string> | undefined): string | undefined {
  return record !== undefined && Object.hasOwn(record, 'a') ? record['a'] : undefined;
}

describe('a row that is written', () => {
  it('says what a parser finds, whatever else the object has', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(stored, { minLength: 1, maxLength: 4 }), (them) => {
        const objects = them.map((json, at) => {
          const path = `ns/${String(NAMES[at])}`;
          return storedObject({ ...loggedEvent(7), path, json: Buffer.from(json) });
        });
        const into = new RowTexts(1);
        const rows = objects.map((object) => rowOf(object, into));
        into.end();
        for (const [at, row] of rows.entries()) {
          const object = JSON.parse(them[at] ?? '') as Parsed;
          const label = own(object.metadata.labels) ?? null;
          const value = own(object.data) ?? null;
          if (value !== null) found += 1;
          expect(row.cells).toEqual(['ns', NAMES[at], TIME, value, label]);
          expect(row.key).toBe(`ns/${String(NAMES[at])}`);
          expect(rowOf(objects[at] as StoredObject).cells).toEqual(row.cells);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(found).toBeGreaterThan(300);
  });
});
