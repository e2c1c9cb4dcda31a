/**
 * Cells that were read of objects, kept while the objects are what they are: another window of the same columns
 * reads none of them again, nor does one that is opened anew. To read an object takes most of the time of a frame.
 *
 * Windows of one set of columns share them, on all connections. They are of so many rows at most, and let go of
 * a while after the last window has closed.
 */
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import type { StoredObject } from '../../../streams/event.ts';
import type { ReadRow } from './read-row.ts';

/** Cells of rows of one set of columns. */
export interface CellsKept {
  /** undefined: they are not kept. */
  of(object: StoredObject): ReadRow | undefined;
  /** @param row of which no cell says a thing that becomes another with time. */
  keep(object: StoredObject, row: ReadRow): void;
}

/** Beyond that, all are forgotten and kept anew. */
const ROWS_MAX = 100_000;
const TABLES_MAX = 64;
/** Longer names of columns are those of one client. */
const KEY_MAX = 2_048;
const UNUSED_MS = 60_000;

const NONE_KEPT: CellsKept = { of: () => undefined, keep: () => undefined };

type Table = WeakMap<StoredObject, ReadRow>;

export class SharedCells {
  readonly #clock: Clock;
  readonly #tables = new Tables();
  #users = 0;
  #cancelForgetting: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param columns all that tells them from others, as text. */
  table(served: ServedResource, columns: string): CellsKept {
    if (columns.length > KEY_MAX) return NONE_KEPT;
    return new KeptInTable(this.#tables, served, columns);
  }

  /** As long as any window is open they are kept. @returns ends that; safe to call twice. */
  use(): () => void {
    this.#users += 1;
    this.#cancelForgetting();
    let isUsed = true;
    return () => {
      if (!isUsed) return;
      isUsed = false;
      this.#users -= 1;
      if (this.#users > 0) return;
      this.#cancelForgetting = this.#clock.after(UNUSED_MS, () => {
        this.#tables.forget();
      });
    };
  }
}

/** All rows that are kept. */
class Tables {
  #byResource = new WeakMap<ServedResource, Map<string, Table>>();
  #tableCount = 0;
  #rowCount = 0;
  /** How often everything was forgotten. */
  forgotten = 0;

  of(served: ServedResource, columns: string): Table | undefined {
    return this.#byResource.get(served)?.get(columns);
  }

  added(served: ServedResource, columns: string): Table {
    this.#tableCount += 1;
    if (this.#tableCount > TABLES_MAX) this.forget();
    const made: Table = new WeakMap();
    const tables = this.#byResource.get(served) ?? new Map<string, Table>();
    tables.set(columns, made);
    this.#byResource.set(served, tables);
    return made;
  }

  /** One more row is kept. */
  count(): void {
    this.#rowCount += 1;
    if (this.#rowCount > ROWS_MAX) this.forget();
  }

  forget(): void {
    this.forgotten += 1;
    this.#byResource = new WeakMap();
    this.#tableCount = 0;
    this.#rowCount = 0;
  }
}

/** A class and no functions: of those, each window would have its own, and what V8 compiled for one be of no use to the next. */
class KeptInTable implements CellsKept {
  readonly #tables: Tables;
  readonly #served: ServedResource;
  readonly #columns: string;
  #table: Table | undefined;
  #forgotten = 0;

  constructor(tables: Tables, served: ServedResource, columns: string) {
    this.#tables = tables;
    this.#served = served;
    this.#columns = columns;
    this.#forgotten = tables.forgotten;
  }

  of(object: StoredObject): ReadRow | undefined {
    return this.#known()?.get(object);
  }

  keep(object: StoredObject, row: ReadRow): void {
    this.#tables.count();
    const known = this.#known();
    this.#table = known ?? this.#tables.added(this.#served, this.#columns);
    this.#table.set(object, row);
  }

  #known(): Table | undefined {
    const { forgotten } = this.#tables;
    if (forgotten !== this.#forgotten) this.#table = undefined;
    this.#forgotten = forgotten;
    this.#table ??= this.#tables.of(this.#served, this.#columns);
    return this.#table;
  }
}
