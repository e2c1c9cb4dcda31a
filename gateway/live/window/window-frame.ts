/** What is to be told to a client that has been shown a window before: rows that it has not, and cells that changed. */
import type { LiveCell, RowsMessage } from '../../../api/live/live-messages.ts';
import type { GroupCounts, WindowRow } from './window-rows.ts';
import type { ColumnFact } from './window-columns.ts';

/** What is to be shown now. */
export interface WindowState {
  readonly revision: string;
  readonly total: number;
  readonly matched: number;
  readonly offset: number;
  readonly columns: readonly ColumnFact[];
  readonly rows: readonly WindowRow[];
  readonly groups: readonly GroupCounts[];
}

interface ChangedCell {
  readonly key: string;
  readonly column: number;
  readonly cell: LiveCell;
}

/** Remembers what a client was shown of one window. */
export class ShownWindow {
  #columns: readonly ColumnFact[] | undefined;
  #rows = new Map<string, readonly LiveCell[]>();
  #order: readonly string[] | undefined;
  #numbers = '';
  #groups = '';

  /** The client has forgotten all, or is to forget it. */
  forget(): void {
    this.#columns = undefined;
    this.#rows = new Map();
    this.#order = undefined;
    this.#numbers = '';
    this.#groups = '';
  }

  /** The frame that brings the client there; undefined: it is there. */
  frame(id: string, state: WindowState): RowsMessage | undefined {
    const { revision, total, matched, offset } = state;
    const parts = {
      ...this.#columnsPart(state.columns),
      ...this.#orderPart(state.rows),
      ...this.#rowsPart(state.rows),
      ...this.#groupsPart(state.groups),
    };
    const numbers = [total, matched, offset].join();
    if (Object.keys(parts).length === 0 && numbers === this.#numbers) return undefined;
    this.#numbers = numbers;
    return { type: 'rows', id, revision, total, matched, offset, ...parts };
  }

  #columnsPart(columns: readonly ColumnFact[]) {
    if (this.#columns === columns) return {};
    this.forget();
    this.#columns = columns;
    return { columns };
  }

  #orderPart(rows: readonly WindowRow[]) {
    const before = this.#order;
    const isSame =
      before?.length === rows.length && rows.every(({ key }, index) => key === before[index]);
    if (isSame) return {};
    this.#order = rows.map(({ key }) => key);
    return { order: this.#order };
  }

  #rowsPart(rows: readonly WindowRow[]) {
    const shown = new Map<string, readonly LiveCell[]>();
    const whole: { readonly key: string; readonly cells: LiveCell[] }[] = [];
    const changed: ChangedCell[] = [];
    for (const { key, cells = [] } of rows) {
      const before = this.#rows.get(key);
      shown.set(key, cells);
      if (before === undefined) whole.push({ key, cells });
      else if (before !== cells) changed.push(...changedCells(key, before, cells));
    }
    this.#rows = shown;
    return {
      ...(whole.length === 0 ? {} : { rows: whole }),
      ...(changed.length === 0 ? {} : { cells: changed }),
    };
  }

  #groupsPart(groups: readonly GroupCounts[]) {
    if (groups.length === 0) return {};
    const text = JSON.stringify(groups);
    if (text === this.#groups) return {};
    this.#groups = text;
    return { groups };
  }
}

function changedCells(
  key: string,
  before: readonly LiveCell[],
  now: readonly LiveCell[],
): ChangedCell[] {
  const changed: ChangedCell[] = [];
  for (const [column, cell] of now.entries()) {
    if (cell !== before[column]) changed.push({ key, column, cell });
  }
  return changed;
}
