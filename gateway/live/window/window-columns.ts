/**
 * The columns of a window, and the cells of its rows: printed columns by name, and JSONPath columns.
 *
 * A cell that is an age would be another one in each second. So where the age is that of a time which
 * the object has, the cell is the time, and the page lets it grow old. Other printed cells that tell how
 * long ago something was are as of when the row was printed.
 */
import { compileJsonPath, type PathFinder } from '../../../api/json-path/json-path.ts';
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { formatJson } from '../../../api/json/json-text.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { LiveColumn } from '../../../api/live/live-messages.ts';
import { badRequest, type Status } from '../../../api/meta/status.ts';
import { columnCell } from '../../../projections/table/custom-printer.ts';
import { printerOf } from '../../../projections/table/table.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { ObjectReading } from './object-reading.ts';
import { RowOfCells, type ReadRow, type RowTexts } from './read-row.ts';
import {
  AgingColumn,
  MadeColumn,
  NameColumn,
  NamespaceColumn,
  TextColumn,
  type ColumnFact,
  type RowColumn,
} from './row-columns.ts';
import type { CellsKept, SharedCells } from './shared-cells.ts';
import { FIELDS, textKeys } from './text-path.ts';

/** How objects become rows. */
export interface RowMaker {
  /** In the order of the cells. */
  readonly columns: readonly ColumnFact[];
  /**
   * Reads the object.
   *
   * @param now what ages are told from, in milliseconds since 1970.
   * @param texts where the row is written to, if its cells are not going to be asked for.
   */
  row(object: StoredObject, now: number, texts?: RowTexts): ReadRow;
  /** The cell where it is known without reading the object, and so without cost. */
  cellOfPath(column: number, path: string): string | undefined;
  /** Whether a row is another one some time later. */
  readonly ages: boolean;
}

/**
 * @param asked undefined: the printed columns that are not only for wide output.
 * @param shared where cells are kept that another window may have as well.
 */
export function rowMakerOf(
  served: ServedResource,
  asked: readonly LiveColumn[] | undefined,
  shared: SharedCells,
): RowMaker | Status {
  const known = knownColumns(served);
  const columns: RowColumn[] = [];
  for (const one of asked ?? defaultColumns(known)) {
    const column =
      typeof one === 'string' ? known.get(one.toLowerCase()) : jsonPathColumn(served, one);
    if (typeof column === 'string') return badRequest(column);
    if (column === undefined) {
      const there = [...known.values()].map(({ fact }) => fact.name).join(', ');
      return badRequest(`there is no column ${JSON.stringify(one)}: there are ${there}`);
    }
    columns.push(column);
  }
  return new ColumnsMaker(served, columns, shared.table(served, formatJson(asked ?? null)));
}

class ColumnsMaker implements RowMaker {
  readonly columns: readonly ColumnFact[];
  readonly ages: boolean;
  readonly #columns: readonly RowColumn[];
  readonly #aging: readonly AgingColumn[];
  readonly #kept: CellsKept;
  readonly #reading: ObjectReading;

  constructor(served: ServedResource, columns: readonly RowColumn[], kept: CellsKept) {
    this.columns = columns.map(({ fact }) => fact);
    this.#columns = columns;
    this.#aging = columns.filter((column) => column instanceof AgingColumn);
    this.ages = this.#aging.length > 0;
    this.#kept = kept;
    this.#reading = new ObjectReading(served);
  }

  cellOfPath(column: number, path: string): string | undefined {
    return this.#columns[column]?.ofPath(path);
  }

  row(object: StoredObject, now: number, texts?: RowTexts): ReadRow {
    const known = this.#kept.of(object);
    if (known !== undefined) return known;
    const reading = this.#reading;
    reading.begin(object, now);
    const read = texts === undefined ? this.#made(object) : this.#written(object, texts);
    if (!this.ages || !this.#aging.some((column) => column.ages(reading))) {
      this.#kept.keep(object, read);
    }
    return read;
  }

  #made({ path }: StoredObject): ReadRow {
    const cells = this.#columns.map((column) => column.cell(this.#reading));
    return new RowOfCells(path, cells);
  }

  #written({ path }: StoredObject, texts: RowTexts): ReadRow {
    const out = texts.begin(path);
    const columns = this.#columns;
    for (let at = 0; at < columns.length; at += 1) {
      if (at > 0) out.byte(COMMA);
      columns[at]?.write(this.#reading, out);
    }
    return texts.finish(path);
  }
}

const COMMA = 0x2c;

/** By name in lower case, as there is a column `Name` and a label selector `name`. */
function knownColumns(served: ServedResource): ReadonlyMap<string, RowColumn> {
  const columns = served.custom === undefined ? builtInColumns(served) : customColumns(served);
  if (served.definition.namespaced) columns.unshift(NAMESPACE);
  return new Map(columns.map((column) => [column.fact.name.toLowerCase(), column]));
}

const NAMESPACE = new NamespaceColumn({
  ...{ name: 'Namespace', type: 'string', format: '', priority: 1 },
});

const NAME = new NameColumn({ name: 'Name', type: 'string', format: 'name', priority: 0 });

const CREATED = '.metadata.creationTimestamp';

function ageColumn(served: ServedResource, name: string): RowColumn {
  const fact = { name, type: 'date', format: '', priority: 0 };
  return textColumn(fact, textKeys(served, CREATED), (reading) => {
    return reading.served().metadata.creationTimestamp ?? null;
  });
}

/** @param cell where the bytes do not tell it. */
function textColumn(
  fact: ColumnFact,
  keys: readonly Buffer[] | undefined,
  cell: (reading: ObjectReading) => JsonValue,
): RowColumn {
  return keys === undefined ? new MadeColumn(fact, cell) : new TextColumn(fact, keys, cell);
}

function defaultColumns(known: ReadonlyMap<string, RowColumn>): string[] {
  const facts = [...known.values()].map(({ fact }) => fact);
  return facts.filter(({ priority }) => priority === 0).map(({ name }) => name);
}

function builtInColumns(served: ServedResource): RowColumn[] {
  return printerOf(served.facts).columns.map(({ name, type, format, priority }, index) => {
    if (name === 'Name') return NAME;
    if (name === 'Age' || name === 'Created At') return ageColumn(served, name);
    const fact = { name, type, format, priority };
    if (AGING.has(name)) return new AgingColumn(fact, index);
    return new MadeColumn(fact, (reading) => reading.printed()[index] ?? null);
  });
}

/** In which printers say how long ago something was, or how long it took until now. */
const AGING: ReadonlySet<string> = new Set([
  ...['Restarts', 'Duration', 'Last Seen', 'First Seen', 'Last Schedule'],
]);

function customColumns(served: ServedResource): RowColumn[] {
  const columns = (served.custom?.columns ?? []).flatMap((column) => {
    const made = jsonPathColumn(served, column);
    return typeof made === 'string' ? [] : [made];
  });
  return [NAME, ...columns];
}

interface AskedColumn {
  readonly name: string;
  readonly jsonPath: string;
  readonly type?: string | undefined;
  readonly format?: string;
  readonly priority?: number;
}

/** What is wrong with it, or the column. */
function jsonPathColumn(of: ServedResource, asked: AskedColumn): RowColumn | string {
  const { name, jsonPath, type = 'string', format = '', priority = 0 } = asked;
  const find = compileJsonPath(jsonPath);
  if (find === undefined) return `jsonPath of ${JSON.stringify(name)} cannot be read`;
  const needsAll = !FIELDS.test(jsonPath) || /managedFields|resourceVersion/.test(jsonPath);
  const isText = !needsAll && (type === 'string' || type === 'date');
  const keys = isText ? textKeys(of, jsonPath) : undefined;
  return textColumn({ name, type, format, priority }, keys, (reading) => {
    // What is shown as text may have anything in it.
    const isPart = needsAll || typeof find(reading.served())?.[0] === 'object';
    return found(find, type, isPart ? reading.whole() : reading.served());
  });
}

function found(find: PathFinder, type: string, object: JsonObject): JsonValue {
  if (type !== 'date') return columnCell(find, type, { object, now: 0 });
  const value = find(object)?.[0];
  return typeof value === 'string' ? value : null;
}
