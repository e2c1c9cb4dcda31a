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
import { writtenKubeObject, type KubeObject } from '../../../api/meta/object-meta.ts';
import { badRequest, type Status } from '../../../api/meta/status.ts';
import { shownAtOnce } from '../../../actors/registry/custom/shown-objects.ts';
import { columnCell } from '../../../projections/table/custom-printer.ts';
import { printerOf, type TablePrinter } from '../../../projections/table/table.ts';
import { objectForCells } from '../../../projections/objects/object-for-cells.ts';
import { textUnder } from '../../../projections/objects/json-bytes.ts';
import { bytesOf, parsedObject } from '../../../projections/objects/stored-object.ts';
import { nameOf, namespaceOf, type StoredObject } from '../../../streams/event.ts';
import { ReadRow } from './read-row.ts';
import type { CellsKept, SharedCells } from './shared-cells.ts';
import { FIELDS, textKeys } from './text-path.ts';

/** A column as the client is told of it. */
export interface ColumnFact {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
}

/** How objects become rows. */
export interface RowMaker {
  /** In the order of the cells. */
  readonly columns: readonly ColumnFact[];
  /** Reads the object. @param now what ages are told from, in milliseconds since 1970. */
  row(object: StoredObject, now: number): ReadRow;
  /** The cell where it is known without reading the object, and so without cost. */
  cellOfPath(column: number, path: string): string | undefined;
  /** Whether a row is another one some time later. */
  readonly ages: boolean;
}

interface Column extends ColumnFact {
  readonly cell: (row: Row) => JsonValue;
  /** Read from the path. */
  readonly ofPath?: (path: string) => string;
  /** What the cell is a long time later, where it tells how long ago something was. */
  readonly later?: (row: Row) => JsonValue;
}

/** What all rows of a window are read by. */
interface Reading {
  readonly served: ServedResource;
  readonly printer: TablePrinter;
}

/** One object of ten thousand: it is read as far as its cells ask for, and each form of it once. */
class Row {
  readonly #reading: Reading;
  readonly #object: StoredObject;
  readonly #now: number;
  #bytes: Buffer | undefined;
  #stored: KubeObject | undefined;
  #served: KubeObject | undefined;
  #whole: KubeObject | undefined;
  #printed: readonly JsonValue[] | undefined;
  #printedLater: readonly JsonValue[] | undefined;

  /** @param now what ages are told from, in milliseconds since 1970. */
  constructor(reading: Reading, object: StoredObject, now: number) {
    this.#reading = reading;
    this.#object = object;
    this.#now = now;
  }

  get path(): string {
    return this.#object.path;
  }

  /** Under these keys; undefined: it has to be read for that. */
  textUnder(keys: readonly Buffer[]): string | undefined {
    if (!isAsStored(this.#reading.served, this.#object)) return undefined;
    return textUnder(this.#ownBytes(), keys);
  }

  /** In the version that is served, without what printers do not read. */
  served(): KubeObject {
    this.#served ??= this.#servedBy(objectForCells);
    return this.#served;
  }

  /** The same with all that it has. */
  whole(): KubeObject {
    this.#whole ??= this.#servedBy(parsedObject);
    return this.#whole;
  }

  /** By the printer. */
  printed(): readonly JsonValue[] {
    this.#printed ??= this.#cells(this.#now);
    return this.#printed;
  }

  /** The same, long after. */
  printedLater(): readonly JsonValue[] {
    this.#printedLater ??= this.#cells(this.#now + LONG_MS);
    return this.#printedLater;
  }

  #cells(now: number): readonly JsonValue[] {
    return this.#reading.printer.cells(writtenKubeObject(this.#ownStored()), now);
  }

  #ownBytes(): Buffer {
    this.#bytes ??= bytesOf(this.#object);
    return this.#bytes;
  }

  #ownStored(): KubeObject {
    this.#stored ??= objectForCells(this.#object, this.#ownBytes());
    return this.#stored;
  }

  #servedBy(read: (object: StoredObject) => KubeObject): KubeObject {
    const { served } = this.#reading;
    if (served.custom !== undefined) return read(shownObject(served, this.#object));
    const value = read === objectForCells ? this.#ownStored() : read(this.#object);
    return served.conversion?.fromStorage(value) ?? value;
  }
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
  if (served.custom?.asksWebhook === true) {
    return badRequest('a window of a resource whose versions a webhook converts is not offered');
  }
  const known = knownColumns(served);
  const columns: Column[] = [];
  for (const one of asked ?? defaultColumns(known)) {
    const column =
      typeof one === 'string' ? known.get(one.toLowerCase()) : jsonPathColumn(served, one);
    if (typeof column === 'string') return badRequest(column);
    if (column === undefined) {
      const there = [...known.values()].map(({ name }) => name).join(', ');
      return badRequest(`there is no column ${JSON.stringify(one)}: there are ${there}`);
    }
    columns.push(column);
  }
  return makerOf(served, columns, shared.table(served, formatJson(asked ?? null)));
}

function makerOf(served: ServedResource, columns: readonly Column[], kept: CellsKept): RowMaker {
  const reading = { served, printer: printerOf(served.facts) };
  const aging = columns.flatMap(({ later }, at) => (later === undefined ? [] : [{ at, later }]));
  return {
    columns: columns.map(({ name, type, format, priority }) => ({ name, type, format, priority })),
    ages: aging.length > 0,
    cellOfPath: (column, path) => columns[column]?.ofPath?.(path),
    row(object, now) {
      const known = kept.of(object);
      if (known !== undefined) return known;
      const row = new Row(reading, object, now);
      const cells = columns.map(({ cell }) => cell(row));
      const read = new ReadRow(object.path, cells);
      const agesNow = aging.some(({ at, later }) => mayAge(cells[at]) && later(row) !== cells[at]);
      if (!agesNow) kept.keep(object, read);
      return read;
    },
  };
}

/** A duration has its unit behind it, so a pod that was never restarted need not be printed twice. */
function mayAge(cell: JsonValue | undefined): boolean {
  return typeof cell === 'string' && /[a-z]/.test(cell);
}

/** Not of a custom resource that would have to be converted. */
function isAsStored({ custom }: ServedResource, object: StoredObject): boolean {
  return custom === undefined || custom.isShownAsStored(object);
}

function shownObject(served: ServedResource, object: StoredObject): StoredObject {
  const shown = shownAtOnce(served, object);
  if (shown === undefined) throw new Error('only a webhook takes time');
  return 'message' in shown ? object : shown;
}

/** By name in lower case, as there is a column `Name` and a label selector `name`. */
function knownColumns(served: ServedResource): ReadonlyMap<string, Column> {
  const columns = served.custom === undefined ? builtInColumns(served) : customColumns(served);
  if (served.definition.namespaced) columns.unshift(NAMESPACE);
  return new Map(columns.map((column) => [column.name.toLowerCase(), column]));
}

const NAMESPACE: Column = {
  ...{ name: 'Namespace', type: 'string', format: '', priority: 1 },
  cell: ({ path }) => namespaceOf(path),
  ofPath: namespaceOf,
};

const NAME: Column = {
  ...{ name: 'Name', type: 'string', format: 'name', priority: 0 },
  cell: ({ path }) => nameOf(path),
  ofPath: nameOf,
};

const CREATED = '.metadata.creationTimestamp';

function ageColumn(served: ServedResource, name: string): Column {
  const keys = textKeys(served, CREATED);
  return {
    ...{ name, type: 'date', format: '', priority: 0 },
    cell: (row) => textOf(row, keys) ?? row.served().metadata.creationTimestamp ?? null,
  };
}

function textOf(row: Row, keys: readonly Buffer[] | undefined): string | undefined {
  return keys === undefined ? undefined : row.textUnder(keys);
}

function defaultColumns(known: ReadonlyMap<string, Column>): string[] {
  return [...known.values()].filter(({ priority }) => priority === 0).map(({ name }) => name);
}

function builtInColumns(served: ServedResource): Column[] {
  return printerOf(served.facts).columns.map((fact, index): Column => {
    const { name, type, format, priority } = fact;
    if (name === 'Name') return NAME;
    if (name === 'Age' || name === 'Created At') return ageColumn(served, name);
    const cell = (row: Row): JsonValue => row.printed()[index] ?? null;
    const later = (row: Row): JsonValue => row.printedLater()[index] ?? null;
    return { name, type, format, priority, cell, ...(AGING.has(name) && { later }) };
  });
}

/** Every duration is told otherwise so much later. */
const LONG_MS = 20 * 365 * 24 * 3_600_000;

/** In which printers say how long ago something was, or how long it took until now. */
const AGING: ReadonlySet<string> = new Set([
  ...['Restarts', 'Duration', 'Last Seen', 'First Seen', 'Last Schedule'],
]);

function customColumns(served: ServedResource): Column[] {
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
function jsonPathColumn(of: ServedResource, asked: AskedColumn): Column | string {
  const { name, jsonPath, type = 'string', format = '', priority = 0 } = asked;
  const find = compileJsonPath(jsonPath);
  if (find === undefined) return `jsonPath of ${JSON.stringify(name)} cannot be read`;
  const needsAll = !FIELDS.test(jsonPath) || /managedFields|resourceVersion/.test(jsonPath);
  const isText = !needsAll && (type === 'string' || type === 'date');
  const keys = isText ? textKeys(of, jsonPath) : undefined;
  const cell = (row: Row): JsonValue => {
    const text = textOf(row, keys);
    if (text !== undefined) return text;
    // What is shown as text may have anything in it.
    const isPart = needsAll || typeof find(row.served())?.[0] === 'object';
    return found(find, type, isPart ? row.whole() : row.served());
  };
  return { name, type, format, priority, cell };
}

function found(find: PathFinder, type: string, object: JsonObject): JsonValue {
  if (type !== 'date') return columnCell(find, type, { object, now: 0 });
  const value = find(object)?.[0];
  return typeof value === 'string' ? value : null;
}
