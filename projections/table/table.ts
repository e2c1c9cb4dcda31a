/**
 * Objects as a table, for clients that show them to people. The server decides what such a client
 * prints in its columns; how wide they are, the client. Descriptions of columns are upstream's
 * sentences and are left empty.
 *
 * In Kubernetes: asTable, apiserver/pkg/endpoints/handlers, and the TableConvertors behind it;
 * TableColumnDefinition, apimachinery/pkg/apis/meta/v1.
 */
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { writtenKubeObject, type KubeObject } from '../../api/meta/object-meta.ts';
import { unconvertedMetadata } from '../../api/kinds/apps/settled-form.ts';
import { annotationOf, type CellsOf, nameOf } from './cells.ts';
import { type RowPrinter, rowPrinters } from './row-printers.ts';
import { FORK_COLUMNS, FORK_STORAGE } from '../../api/everwatch/fork-facts.ts';
import { readGenerated } from '../../api/generated/read-generated.ts';

/** What comes along with each row's cells. */
type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  /** In the query `includeObject`; clients that do not say get `Metadata`. */
  readonly includeObject: IncludeObject;
  /** Milliseconds since 1970: what ages are relative to. */
  readonly now: number;
  /** `resourceVersion`, `continue` and `remainingItemCount` of the list or the object. */
  readonly listMeta?: JsonObject;
  /** True for every event of a watch but its first. */
  readonly withoutColumns?: boolean;
  /** The version that was asked for, of an object that is included whole; as it is unless said. */
  readonly toServed?: (object: JsonObject) => JsonObject;
  /** Which of the two versions of Table the client asked for; v1 unless said. */
  readonly apiVersion?: 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1';
}

/** How objects of one resource become rows. */
export interface TablePrinter extends RowPrinter {
  /** In the order of the cells. */
  readonly columns: readonly ColumnDefinition[];
  /** Upstream answers `null` for no rows where the printer is the default one, else `[]`. */
  readonly rowsOfNothing: null | [];
}

/** Of an event that ends the initial list of a watch; its row always carries its metadata. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * A Table of objects of a built-in resource, `group` being '' for the legacy one. The objects are in
 * the form of their storage version (an autoscaler of v1 says too little about its metrics) and are
 * not changed; the table shares their parts.
 */
export function tableFor(
  resource: { readonly group: string; readonly resource: string },
  items: readonly JsonObject[],
  options: TableOptions,
): JsonObject {
  return tableOf(printerOf(resource), items, options);
}

/** The printer of a built-in resource, or the default one. */
export function printerOf(resource: {
  readonly group: string;
  readonly resource: string;
}): TablePrinter {
  const key = `${resource.group === '' ? 'core' : resource.group}/${resource.resource}`;
  const columns = columnsOf(key);
  const printer = rowPrinters.get(key);
  if (printer === undefined) return { columns, cells: defaultCells, rowsOfNothing: null };
  return { ...printer, columns, rowsOfNothing: [] };
}

/** As {@link tableFor}, for a resource whose printer the caller brings along. */
export function tableOf(
  printer: TablePrinter,
  items: readonly JsonObject[],
  options: TableOptions,
): JsonObject {
  const apiVersion = options.apiVersion ?? 'meta.k8s.io/v1';
  // Of the printer's kind, which its codec, or the schema of its definition, made.
  const objects = items.map(writtenKubeObject);
  const sorted = printer.sorted === undefined ? objects : printer.sorted(objects);
  const rows = sorted.map((item): JsonObject => rowOf(printer, item, options, apiVersion));
  return {
    kind: 'Table',
    apiVersion,
    metadata: options.listMeta ?? {},
    columnDefinitions: options.withoutColumns === true ? null : [...printer.columns],
    rows: rows.length === 0 ? printer.rowsOfNothing : rows,
  };
}

function rowOf(
  printer: TablePrinter,
  item: KubeObject,
  options: TableOptions,
  apiVersion: string,
): JsonObject {
  const cells = printer.cells(item, options.now);
  const conditions = printer.conditions?.(item);
  const object = includedObject(item, options, apiVersion);
  return conditions === undefined ? { cells, object } : { cells, conditions, object };
}

function includedObject(
  item: KubeObject,
  { includeObject, toServed }: TableOptions,
  apiVersion: string,
): JsonValue {
  if (includeObject === 'Object') return toServed === undefined ? item : toServed(item);
  if (includeObject === 'None' && annotationOf(item, INITIAL_EVENTS_END) !== 'true') return null;
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: unconvertedMetadata(item) };
}

/** The moment itself, not how long ago: the second default column is a date. */
const defaultCells: CellsOf = (object) => {
  return [nameOf(object), object.metadata.creationTimestamp ?? '0001-01-01T00:00:00Z'];
};

interface ColumnDefinition extends JsonObject {
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

/** Of a `scale`, behind its name. */
const scaleColumns = [
  column(['Desired', 'integer']),
  column(['Available', 'integer']),
  column(['Age']),
];

let columnsByResource: ReadonlyMap<string, readonly ColumnDefinition[]> | undefined;

/** `resource`: `<group>/<plural>`, `core` being the legacy group. Read from disk at first use. */
function columnsOf(resource: string): readonly ColumnDefinition[] {
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
    ['autoscaling/scale', [column(['Name']), ...scaleColumns]],
    ['autoscaling/customscale', [column(['Name', 'string', 'name']), ...scaleColumns]],
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
