/**
 * The columns of every built-in resource's table, as kube-apiserver names them. Their descriptions
 * are upstream's sentences and are left empty.
 *
 * In Kubernetes: TableColumnDefinition, apimachinery/pkg/apis/meta/v1.
 */
import { FORK_COLUMNS, FORK_STORAGE } from '../../api/everwatch/fork-facts.ts';
import { readGenerated } from '../../api/generated/read-generated.ts';
import type { JsonObject } from '../../api/json/json.ts';

export interface ColumnDefinition extends JsonObject {
  name: string;
  type: string;
  format: string;
  description: string;
  /** 0 is always shown, anything above only in wide output. */
  priority: number;
}

type CompactColumn = readonly [name: string, type?: string, format?: string, priority?: number];

/** Of every resource that has none of its own. */
const defaultColumns = [column(['Name', 'string', 'name']), column(['Created At', 'date'])];

/** Of the `scale` that is a view of a workload. */
const scaleColumns = [
  column(['Name']),
  column(['Desired', 'integer']),
  column(['Available', 'integer']),
  column(['Age']),
];

let columnsByResource: ReadonlyMap<string, readonly ColumnDefinition[]> | undefined;

/** `resource`: `<group>/<plural>`, `core` being the legacy group. Read from disk at first use. */
export function columnsOf(resource: string): readonly ColumnDefinition[] {
  columnsByResource ??= readColumns();
  return columnsByResource.get(resource) ?? defaultColumns;
}

function readColumns(): ReadonlyMap<string, readonly ColumnDefinition[]> {
  const rows = JSON.parse(readGenerated('table-columns.json')) as Record<string, CompactColumn[]>;
  const columns = Object.entries(rows).map(
    ([resource, compact]): [string, readonly ColumnDefinition[]] => [resource, compact.map(column)],
  );
  return new Map([
    ...columns,
    ['autoscaling/scale', scaleColumns],
    [FORK_STORAGE, FORK_COLUMNS.map(column)],
  ]);
}

function column([
  name,
  type = 'string',
  format = '',
  priority = 0,
]: CompactColumn): ColumnDefinition {
  return { name, type, format, description: '', priority };
}
