/** What is to be told to a client that has been shown a window before: rows that it has not, and cells that changed. */
import { formatJson } from '../../../api/json/json-text.ts';
import type { LiveCell } from '../../../api/live/live-messages.ts';
import type { OutgoingMessage } from '../live-wire.ts';
import type { ReadRow } from './read-row.ts';
import type { ColumnFact } from './window-columns.ts';
import type { GroupCounts } from './window-rows.ts';

/** What is to be shown now. */
export interface WindowState {
  readonly revision: string;
  readonly total: number;
  readonly matched: number;
  readonly offset: number;
  readonly columns: readonly ColumnFact[];
  readonly rows: readonly ReadRow[];
  readonly groups: readonly GroupCounts[];
}

interface ChangedCell {
  readonly key: string;
  readonly column: number;
  readonly cell: LiveCell;
}

/** Remembers what a client was shown of one window. Frames are put together of texts, as rows have theirs already. */
export class ShownWindow {
  #columns: readonly ColumnFact[] | undefined;
  /** From top to bottom. */
  #rows: readonly ReadRow[] | undefined;
  #numbers = '';
  #groups = '';

  /** The client has forgotten all, or is to forget it. */
  forget(): void {
    this.#columns = undefined;
    this.#rows = undefined;
    this.#numbers = '';
    this.#groups = '';
  }

  /** The message `rows` that brings the client there; undefined: it is there. */
  frame(id: string, state: WindowState): OutgoingMessage | undefined {
    const { revision, total, matched, offset } = state;
    const columns = this.#columnsPart(state.columns);
    const before = this.#rows;
    this.#rows = state.rows;
    const changes = [columns, partOf(state.rows, before), this.#groupsPart(state.groups)].join('');
    const numbers = [total, matched, offset].join();
    if (changes === '' && numbers === this.#numbers) return undefined;
    this.#numbers = numbers;
    const head = formatJson({ type: 'rows', id, revision, total, matched, offset });
    return { type: 'rows', parts: [Buffer.from(`${head.slice(0, -1)}${changes}}`)] };
  }

  #columnsPart(columns: readonly ColumnFact[]): string {
    if (this.#columns === columns) return '';
    this.forget();
    this.#columns = columns;
    return `,"columns":${formatJson(columns)}`;
  }

  #groupsPart(groups: readonly GroupCounts[]): string {
    if (groups.length === 0) return '';
    const text = formatJson(groups);
    if (text === this.#groups) return '';
    this.#groups = text;
    return `,"groups":${text}`;
  }
}

/** The order, where it is another one, and rows and cells that the client does not have. */
function partOf(rows: readonly ReadRow[], before: readonly ReadRow[] = NO_ROWS): string {
  const isSame =
    before !== NO_ROWS &&
    before.length === rows.length &&
    rows.every(({ key }, index) => key === before[index]?.key);
  if (isSame) return rowsPart(rows, (_, index) => before[index]);
  const order = `,"order":${formatJson(rows.map(({ key }) => key))}`;
  const known = new Map(before.map((row) => [row.key, row]));
  return order + rowsPart(rows, ({ key }) => known.get(key));
}

const NO_ROWS: readonly ReadRow[] = [];

function rowsPart(
  rows: readonly ReadRow[],
  knownOf: (row: ReadRow, index: number) => ReadRow | undefined,
): string {
  const whole: string[] = [];
  const changed: ChangedCell[] = [];
  for (const [index, row] of rows.entries()) {
    const before = knownOf(row, index);
    if (before === undefined) whole.push(row.json);
    else if (before !== row) changed.push(...changedCells(before, row));
  }
  const wholeText = whole.length === 0 ? '' : `,"rows":[${whole.join(',')}]`;
  return changed.length === 0 ? wholeText : `${wholeText},"cells":${formatJson(changed)}`;
}

function changedCells(before: ReadRow, { key, cells }: ReadRow): ChangedCell[] {
  const changed: ChangedCell[] = [];
  for (const [column, cell] of cells.entries()) {
    if (cell !== before.cells[column]) changed.push({ key, column, cell });
  }
  return changed;
}
