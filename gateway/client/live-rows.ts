/** A window of rows, put together from frames that say only what has changed. */
import type { LiveCell, RowsMessage } from '../../api/live/live-messages.ts';

/** One object, as a row of the window. */
export interface Row {
  /** `NAMESPACE/NAME`, or `/NAME`. */
  readonly key: string;
  /** One for each column; the same array while no cell has changed. */
  readonly cells: readonly LiveCell[];
}

type Columns = NonNullable<RowsMessage['columns']>;
type Groups = NonNullable<RowsMessage['groups']>;

/** What the window shows now. */
export interface Rows {
  /** How the cells are called, and what they hold. */
  readonly columns: Columns;
  /** From the first of the window to its last. */
  readonly rows: readonly Row[];
  /** How many objects there are, before the filter. */
  readonly total: number;
  /** How many pass the filter. */
  readonly matched: number;
  /** How many stand before the first row. */
  readonly offset: number;
  /** How often each value occurs, of the columns that were asked for. */
  readonly groups: Groups;
  /** The moment of all this. */
  readonly revision: string;
}

export class LiveRows {
  #columns: Columns = [];
  #groups: Groups = [];
  #order: readonly string[] = [];
  #rows = new Map<string, Row>();

  /** Another connection knows nothing of what this one has. */
  clear(): void {
    this.#rows = new Map();
    this.#order = [];
  }

  /** The window behind the frame. */
  take(frame: RowsMessage): Rows {
    if (frame.columns !== undefined) {
      this.#columns = frame.columns;
      this.#rows = new Map();
    }
    for (const row of frame.rows ?? []) this.#rows.set(row.key, row);
    for (const { key, column, cell } of frame.cells ?? []) {
      const cells = this.#rows.get(key)?.cells;
      if (cells !== undefined) this.#rows.set(key, { key, cells: cells.with(column, cell) });
    }
    if (frame.order !== undefined) this.#order = frame.order;
    this.#groups = frame.groups ?? this.#groups;
    const rows = this.#order.flatMap((key) => this.#rows.get(key) ?? []);
    // What left the window is sent again when it comes back.
    if (frame.order !== undefined) this.#rows = new Map(rows.map((row) => [row.key, row]));
    const { total, matched, offset, revision } = frame;
    return { columns: this.#columns, rows, total, matched, offset, groups: this.#groups, revision };
  }
}
