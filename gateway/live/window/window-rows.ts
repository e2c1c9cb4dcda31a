/**
 * All rows of a window in their order: those that are shown, and those above and below. A change costs a
 * search and not a sort; and as long as nothing is asked of cells but those on the screen, no other
 * object is read.
 */
import { formatJson } from '../../../api/json/json-text.ts';
import type { LiveCell, LiveWindow } from '../../../api/live/live-messages.ts';
import { othersTurn } from '../../../api/meta/others-turn.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { RowTexts, type ReadRow } from './read-row.ts';
import type { RowMaker } from './window-columns.ts';

/** One object of the window. A change makes another row, so a row is found by what it was. */
export interface WindowRow {
  /** `NAMESPACE/NAME`, or `/NAME`. */
  readonly key: string;
  readonly object: StoredObject;
  /** undefined: nothing has asked for its cells. */
  read: ReadRow | undefined;
}

/** How many rows have a value. */
export interface GroupCounts {
  readonly column: string;
  readonly counts: readonly { readonly value: string; readonly count: number }[];
  /** Rows of values that are not listed. */
  readonly others: number;
}

type Compare = (left: WindowRow, right: WindowRow) => number;
type Passes = (row: WindowRow) => boolean;

const GROUP_VALUES_MAX = 100;
/** So many rows are read before others get their turn. */
const SLICE = 256;
/** As many are written together, and not each by itself: what they are written to lives as long as one of them. */
const WRITTEN_MIN = 64;

export class WindowRows {
  readonly #maker: RowMaker;
  readonly #now: () => number;
  /** By their keys; undefined: the rows are in the order of their keys and none is left out, so they are found among {@link #ordered}. */
  #all: Map<string, WindowRow> | undefined;
  #window: LiveWindow;
  #compare: Compare;
  #passes: Passes | undefined;
  #ordered: WindowRow[] = [];
  #groups: { readonly column: number; readonly counts: Map<string, number> }[] = [];
  /** By what the rows are ordered, as text; undefined: they have yet to be. */
  #arrangement: string | undefined;

  constructor(maker: RowMaker, window: LiveWindow, now: () => number) {
    this.#maker = maker;
    this.#now = now;
    this.#window = window;
    this.#compare = this.#comparison(window);
    this.#passes = this.#filter(window);
  }

  get total(): number {
    return this.#all?.size ?? this.#ordered.length;
  }

  get matched(): number {
    return this.#ordered.length;
  }

  get window(): LiveWindow {
    return this.#window;
  }

  /** In their order. */
  visible(): ReadRow[] {
    const rows = this.#onScreen();
    let unread = 0;
    for (const row of rows) if (row.read === undefined) unread += 1;
    const texts = unread < WRITTEN_MIN ? undefined : new RowTexts(unread);
    const visible: ReadRow[] = [];
    this.#readInto(visible, rows, texts);
    texts?.end();
    return visible;
  }

  /** The loop alone: what stands behind it would not have run when V8 compiles it, so it would throw the code away at its end. */
  #readInto(visible: ReadRow[], rows: readonly WindowRow[], texts: RowTexts | undefined): void {
    const maker = this.#maker;
    const now = this.#now();
    for (const row of rows) {
      row.read ??= maker.row(row.object, now, texts);
      visible.push(row.read);
    }
  }

  groups(): GroupCounts[] {
    return this.#groups.map(({ column, counts }) => {
      const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
      const listed = sorted.slice(0, GROUP_VALUES_MAX);
      const others = sorted.slice(GROUP_VALUES_MAX).reduce((sum, [, count]) => sum + count, 0);
      return {
        column: this.#maker.columns[column]?.name ?? '',
        counts: listed.map(([value, count]) => ({ value, count })),
        others,
      };
    });
  }

  /** The column that there is not; undefined: they all are. */
  unknownColumn({ sort = [], filter = [], groups = [] }: LiveWindow): string | undefined {
    const named = [...sort, ...filter].flatMap(({ column }) => column ?? []);
    return [...named, ...groups].find((name) => this.#columnNamed(name) < 0);
  }

  /** Takes all objects anew. @returns false when it was stopped. */
  async fill(objects: Iterable<StoredObject>, isStopped: () => boolean): Promise<boolean> {
    this.#arrangement = undefined;
    const rows = Array.from(objects, (object) => ({ key: object.path, object, read: undefined }));
    if (isPlain(this.#window)) {
      this.#all = undefined;
      this.#ordered = inOrderOfKeys(rows);
    } else {
      this.#all = byKey(rows);
      this.#ordered = [];
    }
    return this.arrange(this.#window, isStopped);
  }

  /**
   * Orders all rows by another window. Where the order and the filter are the same, at once.
   *
   * @returns false when it was stopped, or the rows have changed meanwhile too often.
   */
  async arrange(window: LiveWindow, isStopped: () => boolean): Promise<boolean> {
    this.#window = window;
    const arrangement = arrangementOf(window);
    if (arrangement === this.#arrangement) return true;
    this.#arrangement = undefined;
    if (!isPlain(window)) this.#all ??= byKey(this.#ordered);
    this.#compare = this.#comparison(window);
    this.#passes = this.#filter(window);
    if (this.#readsAll(window)) {
      let read = 0;
      for (const row of this.#all?.values() ?? this.#ordered) {
        if (row.read !== undefined) continue;
        this.#readOf(row);
        read += 1;
        if (read % SLICE > 0) continue;
        await othersTurn();
        if (isStopped()) return false;
      }
    }
    this.#rebuild();
    // Another may have begun meanwhile, and the rows are ordered by that.
    if (this.#window !== window) return true;
    this.#arrangement = arrangement;
    if (isPlain(window)) this.#all = undefined;
    return true;
  }

  set(object: StoredObject): void {
    const before = this.#rowOf(object.path);
    if (before !== undefined) this.#take(before);
    const row = { key: object.path, object, read: undefined };
    this.#all?.set(object.path, row);
    this.#put(row);
  }

  delete(path: string): void {
    const row = this.#rowOf(path);
    if (row === undefined) return;
    this.#all?.delete(path);
    this.#take(row);
  }

  /** Prints the visible rows anew, since cells tell how long ago something was. */
  age(): void {
    for (const { object } of this.#onScreen()) this.set(object);
  }

  #onScreen(): WindowRow[] {
    const { offset, limit } = this.#window;
    return this.#ordered.slice(offset, offset + limit);
  }

  #rowOf(key: string): WindowRow | undefined {
    if (this.#all !== undefined) return this.#all.get(key);
    const place = placeIn(this.#ordered, (there) => there.key < key);
    const row = this.#ordered[place];
    return row?.key === key ? row : undefined;
  }

  #rebuild(): void {
    if (this.#all !== undefined) {
      const passes = this.#passes;
      const rows = [...this.#all.values()];
      this.#ordered = passes === undefined ? rows : rows.filter(passes);
      this.#ordered.sort(this.#compare);
    }
    const { groups = [] } = this.#window;
    this.#groups = groups.map((name) => ({ column: this.#columnNamed(name), counts: new Map() }));
    if (this.#groups.length > 0) for (const row of this.#ordered) this.#count(row, 1);
  }

  #put(row: WindowRow): void {
    if (this.#passes?.(row) === false) return;
    this.#ordered.splice(this.#placeOf(row), 0, row);
    this.#count(row, 1);
  }

  #take(row: WindowRow): void {
    if (this.#passes?.(row) === false) return;
    const place = this.#placeOf(row);
    if (this.#ordered[place] !== row) return;
    this.#ordered.splice(place, 1);
    this.#count(row, -1);
  }

  /** Where the row stands, or would stand. */
  #placeOf(row: WindowRow): number {
    return placeIn(this.#ordered, (there) => this.#compare(there, row) < 0);
  }

  #count(row: WindowRow, by: 1 | -1): void {
    for (const { column, counts } of this.#groups) {
      const value = textOf(this.#cell(row, column));
      const count = (counts.get(value) ?? 0) + by;
      if (count > 0) counts.set(value, count);
      else counts.delete(value);
    }
  }

  #readOf(row: WindowRow): ReadRow {
    row.read ??= this.#maker.row(row.object, this.#now());
    return row.read;
  }

  #cell(row: WindowRow, column: number): LiveCell {
    return this.#maker.cellOfPath(column, row.key) ?? this.#readOf(row).cells[column] ?? null;
  }

  #columnNamed(name: string): number {
    const wanted = name.toLowerCase();
    return this.#maker.columns.findIndex((column) => column.name.toLowerCase() === wanted);
  }

  /** Whether the order, the filter or the groups ask for cells that have to be read. */
  #readsAll({ sort = [], filter = [], groups = [] }: LiveWindow): boolean {
    const named = [...sort, ...filter].map(({ column }) => column);
    return [...named, ...groups].some(
      (name) =>
        name === undefined || this.#maker.cellOfPath(this.#columnNamed(name), '/') === undefined,
    );
  }

  #comparison({ sort = [] }: LiveWindow): Compare {
    const orders = sort.map(({ column, descending = false }) => {
      return { column: this.#columnNamed(column), sign: descending ? -1 : 1 };
    });
    return (left, right) => {
      for (const { column, sign } of orders) {
        const order = compareCells(this.#cell(left, column), this.#cell(right, column), sign);
        if (order !== 0) return order;
      }
      return compareTexts(left.key, right.key);
    };
  }

  #filter({ filter = [] }: LiveWindow): Passes | undefined {
    if (filter.length === 0) return undefined;
    const conditions = filter.map(({ column, contains, in: values }): Passes => {
      const part = contains?.toLowerCase();
      const whole = values === undefined ? undefined : new Set(values);
      const fits = (text: string): boolean =>
        (part === undefined || text.toLowerCase().includes(part)) && (whole?.has(text) ?? true);
      if (column === undefined) {
        return (row) => fits(row.key) || this.#readOf(row).cells.some((cell) => fits(textOf(cell)));
      }
      const at = this.#columnNamed(column);
      return (row) => fits(textOf(this.#cell(row, at)));
    });
    return (row) => conditions.every((passes) => passes(row));
  }
}

/** Whether the rows stand in the order of their keys, all of them: then no other index of them is needed. */
function isPlain({ sort = [], filter = [] }: LiveWindow): boolean {
  return sort.length + filter.length === 0;
}

function byKey(rows: readonly WindowRow[]): Map<string, WindowRow> {
  return new Map(rows.map((row) => [row.key, row]));
}

/** The same array, in which they mostly stand in that order. */
function inOrderOfKeys(rows: WindowRow[]): WindowRow[] {
  const isInOrder = rows.every(
    ({ key }, index) => index === 0 || (rows[index - 1]?.key ?? '') < key,
  );
  return isInOrder ? rows : rows.sort((a, b) => compareTexts(a.key, b.key));
}

/** The first place of which that is not so. */
function placeIn(rows: readonly WindowRow[], isBefore: (row: WindowRow) => boolean): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const there = rows[middle];
    if (there !== undefined && isBefore(there)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The same for two windows of which one is the other, scrolled. */
function arrangementOf({ sort = [], filter = [], groups = [] }: LiveWindow): string {
  return formatJson([sort, filter, groups]);
}

/** A cell as a filter and a group see it. */
export function textOf(cell: LiveCell): string {
  if (typeof cell === 'string') return cell;
  if (cell === null) return '';
  return typeof cell === 'object' ? formatJson(cell) : String(cell);
}

/** Empty cells stand last, whichever way the others are sorted. */
function compareCells(left: LiveCell, right: LiveCell, sign: number): number {
  const isLeftEmpty = left === null || left === '';
  const isRightEmpty = right === null || right === '';
  if (isLeftEmpty || isRightEmpty) return Number(isLeftEmpty) - Number(isRightEmpty);
  if (isNumeric(left) && isNumeric(right)) return sign * (left < right ? -1 : left > right ? 1 : 0);
  return sign * compareTexts(textOf(left), textOf(right));
}

function isNumeric(cell: LiveCell): cell is number | bigint {
  return typeof cell === 'number' || typeof cell === 'bigint';
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
