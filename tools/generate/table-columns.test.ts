/** What of a table is kept as facts. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tableColumns } from './table-columns.ts';

it('keeps columns without what is usual, and not the two that are the default', () => {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-columns-'));
  const name = { name: 'Name', type: 'string', format: 'name', priority: 0 };
  const count = { name: 'Count', type: 'integer', format: '', priority: 0 };
  const image = { name: 'Image', type: 'string', format: '', priority: 1 };
  const created = { name: 'Created At', type: 'date', format: '', priority: 0 };
  write(folder, 'apps_v1_things', [name, count, image]);
  write(folder, 'core_v1_plains', [name, created]);

  expect(JSON.parse(tableColumns(folder))).toEqual({
    'apps/things': [
      ['Name', 'string', 'name'],
      ['Count', 'integer'],
      ['Image', 'string', '', 1],
    ],
  });
});

function write(folder: string, name: string, columnDefinitions: readonly object[]): void {
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ columnDefinitions }));
}
