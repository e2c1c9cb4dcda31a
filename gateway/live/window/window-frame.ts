/** What is to be told to a client that has been shown a window before: rows that it has not, and cells that changed. */
import { formatJson } from '../../../api/json/json-text.ts';
import type { LiveCell } from '../../../api/live/live-messages.ts';
import type { OutgoingMessage } from '../live-wire.ts';
import { FrameParts } from './frame-parts.ts';
import { JsonBytesWriter } from './json-bytes-writer.ts';
import type { ReadRow } from './read-row.ts';
import type { ColumnFact } from './row-columns.ts';
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

/** Remembers what a client was shown of one window. Frames are put together of what rows have as their text already. */
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
    const parts = new FrameParts();
    const head = formatJson({ type: 'rows', id, revision, total, matched, offset });
    parts.text(head.slice(0, -1));
    const wasEmpty = parts.size;
    parts.text(columns);
    addRows(parts, state.rows, before);
    parts.text(this.#groupsPart(state.groups));
    const numbers = [total, matched, offset].join();
    if (parts.size === wasEmpty && numbers === this.#numbers) return undefined;
    this.#numbers = numbers;
    parts.text('}');
    return { type: 'rows', parts: parts.made() };
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
function addRows(
  parts: FrameParts,
  rows: readonly ReadRow[],
  before: readonly ReadRow[] | undefined,
): void {
  if (before !== undefined && isSameOrder(rows, before)) {
    addChanges(parts, rows, before);
    return;
  }
  parts.bytes(orderOf(rows));
  if (before === undefined || before.length === 0) {
    addAll(parts, rows);
    parts.endRows();
    return;
  }
  const known = new Map<string, ReadRow>();
  for (const row of before) known.set(row.key, row);
  addChanges(
    parts,
    rows,
    rows.map(({ key }) => known.get(key)),
  );
}

// Loops stand alone here: V8 compiles one that is long while it runs, and throws that away where code comes behind it that has not run.

function addAll(parts: FrameParts, rows: readonly ReadRow[]): void {
  for (const row of rows) row.addTo(parts);
}

function isSameOrder(rows: readonly ReadRow[], before: readonly ReadRow[]): boolean {
  return (
    before.length === rows.length && rows.every(({ key }, index) => key === before[index]?.key)
  );
}

const ORDER = Buffer.from(',"order":[');
const COMMA = 0x2c;
const END = 0x5d;
/** A usual key and its comma; where they are longer, the memory grows. */
const KEY_BYTES = 32;

function orderOf(rows: readonly ReadRow[]): Buffer {
  const out = new JsonBytesWriter(ORDER.length + 1 + rows.length * KEY_BYTES);
  out.piece(ORDER);
  writeKeys(out, rows);
  out.byte(END);
  return out.slice(0, out.size);
}

function writeKeys(out: JsonBytesWriter, rows: readonly ReadRow[]): void {
  let isFirst = true;
  for (const { key } of rows) {
    if (!isFirst) out.byte(COMMA);
    isFirst = false;
    out.text(key);
  }
}

/** @param before each of the rows as the client has it; undefined: it has none. */
function addChanges(
  parts: FrameParts,
  rows: readonly ReadRow[],
  before: readonly (ReadRow | undefined)[],
): void {
  const changed: ChangedCell[] = [];
  addEach(parts, changed, rows, before);
  parts.endRows();
  if (changed.length > 0) parts.text(`,"cells":${formatJson(changed)}`);
}

function addEach(
  parts: FrameParts,
  changed: ChangedCell[],
  rows: readonly ReadRow[],
  before: readonly (ReadRow | undefined)[],
): void {
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at];
    const there = before[at];
    if (row === undefined || row === there) continue;
    if (there === undefined) row.addTo(parts);
    else changed.push(...changedCells(there, row));
  }
}

function changedCells(before: ReadRow, { key, cells }: ReadRow): ChangedCell[] {
  const changed: ChangedCell[] = [];
  const cellsBefore = before.cells;
  for (const [column, cell] of cells.entries()) {
    if (cell !== cellsBefore[column]) changed.push({ key, column, cell });
  }
  return changed;
}
