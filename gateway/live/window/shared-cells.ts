/**
 * Cells that were read of objects, kept while the objects are what they are: another window of the same columns
 * reads none of them again, nor does one that is opened anew. To read an object takes most of the time of a frame.
 *
 * Windows of one set of columns share them, on all connections. They are of so many rows at most, and let go of
 * a while after the last window has closed.
 */
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { LiveCell } from '../../../api/live/live-messages.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import type { StoredObject } from '../../../streams/event.ts';

/** Cells of rows of one set of columns. */
export interface CellsKept {
  /** undefined: they are not kept. */
  of(object: StoredObject): LiveCell[] | undefined;
  /** @param cells which must not change any more, and say nothing that becomes another thing with time. */
  keep(object: StoredObject, cells: LiveCell[]): void;
}

/** Beyond that, all are forgotten and kept anew. */
const ROWS_MAX = 100_000;
const TABLES_MAX = 64;
/** Longer names of columns are those of one client. */
const KEY_MAX = 2_048;
const UNUSED_MS = 60_000;

const NONE_KEPT: CellsKept = { of: () => undefined, keep: () => undefined };

type Table = WeakMap<StoredObject, LiveCell[]>;

export class SharedCells {
  readonly #clock: Clock;
  #tables = new WeakMap<ServedResource, Map<string, Table>>();
  #tableCount = 0;
  #rowCount = 0;
  #users = 0;
  #cancelForgetting: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param columns all that tells them from others, as text. */
  table(served: ServedResource, columns: string): CellsKept {
    if (columns.length > KEY_MAX) return NONE_KEPT;
    return {
      of: (object) => this.#tables.get(served)?.get(columns)?.get(object),
      keep: (object, cells) => {
        this.#rowCount += 1;
        if (this.#rowCount > ROWS_MAX) this.#forget();
        this.#tableOf(served, columns).set(object, cells);
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

  #tableOf(served: ServedResource, columns: string): Table {
    const known = this.#tables.get(served)?.get(columns);
    if (known !== undefined) return known;
    this.#tableCount += 1;
    if (this.#tableCount > TABLES_MAX) this.#forget();
    const made: Table = new WeakMap();
    const tables = this.#tables.get(served) ?? new Map<string, Table>();
    tables.set(columns, made);
    this.#tables.set(served, tables);
    return made;
  }

  #forget(): void {
    this.#tables = new WeakMap();
    this.#tableCount = 0;
    this.#rowCount = 0;
  }
}
