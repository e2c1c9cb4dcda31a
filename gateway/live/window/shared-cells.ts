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
  #tables = new WeakMap<ServedResource, Map<string, Table>>();
  #tableCount = 0;
  #rowCount = 0;
  #users = 0;
  #cancelForgetting: () => void = () => undefined;
  /** How often everything was forgotten. */
  #forgotten = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param columns all that tells them from others, as text. */
  table(served: ServedResource, columns: string): CellsKept {
    if (columns.length > KEY_MAX) return NONE_KEPT;
    let known: Table | undefined;
    let forgotten = this.#forgotten;
    const table = (): Table | undefined => {
      if (forgotten !== this.#forgotten) known = undefined;
      forgotten = this.#forgotten;
      known ??= this.#tables.get(served)?.get(columns);
      return known;
    };
    return {
      of: (object) => table()?.get(object),
      keep: (object, row) => {
        this.#rowCount += 1;
        if (this.#rowCount > ROWS_MAX) this.#forget();
        (table() ?? this.#newTable(served, columns)).set(object, row);
      },
    };
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
        this.#forget();
      });
    };
  }

  #newTable(served: ServedResource, columns: string): Table {
    this.#tableCount += 1;
    if (this.#tableCount > TABLES_MAX) this.#forget();
    const made: Table = new WeakMap();
    const tables = this.#tables.get(served) ?? new Map<string, Table>();
    tables.set(columns, made);
    this.#tables.set(served, tables);
    return made;
  }

  #forget(): void {
    this.#forgotten += 1;
    this.#tables = new WeakMap();
    this.#tableCount = 0;
    this.#rowCount = 0;
  }
}
