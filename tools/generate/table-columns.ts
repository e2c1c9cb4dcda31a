/**
 * Writes api/generated/table-columns.json from the tables of a real kube-apiserver, one file per
 * resource named `<group>_<version>_<plural>.json`, `core` being the legacy group. Such a file is
 * what `GET …?limit=1` answers to `Accept: application/json;as=Table;v=v1;g=meta.k8s.io`.
 *
 * `npx tsx tools/generate/table-columns.ts <folder>`. Each column is `[name, type, format,
 * priority]` without its empty tail (string, '', 0); descriptions are upstream's sentences and are
 * left out. Resources that have the two default columns are left out too.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
}

type CompactColumn = readonly (string | number)[];

/** Lines of JSON, one resource each, sorted by `<group>/<plural>`. */
export function tableColumns(folder: string): string {
  const byResource = new Map<string, CompactColumn[]>();
  for (const file of readdirSync(folder).sort()) {
    const [group, , plural] = file.replace(/\.json$/, '').split('_');
    if (group === undefined || plural === undefined) continue;
    const table = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      readonly columnDefinitions: readonly Column[];
    };
    if (table.columnDefinitions[1]?.name === 'Created At') continue;
    byResource.set(`${group}/${plural}`, table.columnDefinitions.map(compact));
  }
  const lines = [...byResource].map(
    ([resource, columns]) => `${JSON.stringify(resource)}: ${JSON.stringify(columns)}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

function compact({ name, type, format, priority }: Column): CompactColumn {
  if (priority !== 0) return [name, type, format, priority];
  if (format !== '') return [name, type, format];
  return type === 'string' ? [name] : [name, type];
}

const [, script, folder] = process.argv;
if (folder !== undefined && import.meta.url === pathToFileURL(script ?? '').href) {
  const target = new URL('../../api/generated/table-columns.json', import.meta.url);
  writeFileSync(target, tableColumns(folder));
}
