/**
 * All rows of a window in their order: those that are shown, and those above and below. A change costs a
 * search and not a sort; and as long as nothing is asked of cells but those on the screen, no other
 * object is read.
 */
import { formatJson } from '../../../api/json/json-text.ts';
import type { LiveCell, LiveWindow } from '../../../api/live/live-messages.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { compareCells, compareTexts, textOf } from './cell-order.ts';
import { RowTexts, type ReadRow } from './read-row.ts';
import { RowTurns, TURN_ROWS } from './row-turns.ts';
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

/** How often each value stands in a column. */
interface Group {
  readonly column: number;
  readonly counts: Map<string, number>;
}

/** By their keys, where there has to be such an index; in their order; and how they are grouped. */
type Arranged = readonly [Map<string, WindowRow> | undefined, WindowRow[], readonly Group[]];

type Compare = (left: WindowRow, right: WindowRow) => number;
type Passes = (row: WindowRow) => boolean;

const GROUP_VALUES_MAX = 100;
/** To read a row costs as much as to look at so many: 256 are read in one turn. */
const READ_WEIGHT = TURN_ROWS / 256;
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
  #groups: readonly Group[] = [];
  /** By what the rows are ordered, as text; undefined: they have yet to be. */
  #arrangement: string | undefined;
  /** Resolves when all rows are there, and tells whether they are. */
  #filling: Promise<boolean> | undefined;
  /** How many times the rows are being put in order just now. */
  #underWay = 0;
  /** What has come meanwhile, by key; undefined: it was deleted. */
  readonly #meanwhile = new Map<string, StoredObject | undefined>();

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

  /** Takes all objects anew, some in each turn: they must stay as they are. @returns false when it was stopped. */
  async fill(objects: Iterable<StoredObject>, isStopped: () => boolean): Promise<boolean> {
    this.#arrangement = undefined;
    this.#underWay += 1;
    try {
      this.#filling = this.#load(objects, new RowTurns(isStopped));
      if (!(await this.#filling)) return false;
      this.#filling = undefined;
      return await this.#arrange(this.#window, isStopped);
    } finally {
      this.#isInOrder();
    }
  }

  async #load(objects: Iterable<StoredObject>, turns: RowTurns): Promise<boolean> {
    const rows: WindowRow[] = [];
    const misplaced: WindowRow[] = [];
    const isLoaded = await turns.each(objects, (object) => {
      const row = { key: object.path, object, read: undefined };
      const last = rows.at(-1);
      if (last !== undefined && last.key >= row.key) misplaced.push(row);
      rows.push(row);
      return 1;
    });
    if (!isLoaded) return false;
    const ordered = misplaced.length === 0 ? rows : await turns.sorted(rows, compareKeys);
    if (ordered === undefined) return false;
    [this.#all, this.#ordered] = [undefined, ordered];
    return true;
  }

  /**
   * Orders all rows by another window. Where the order and the filter are the same, at once.
   *
   * @returns false when it was stopped.
   */
  async arrange(window: LiveWindow, isStopped: () => boolean): Promise<boolean> {
    this.#window = window;
    if (this.#filling !== undefined && !(await this.#filling)) return false;
    return this.#arrange(window, isStopped);
  }

  async #arrange(window: LiveWindow, isStopped: () => boolean): Promise<boolean> {
    const arrangement = arrangementOf(window);
    if (arrangement === this.#arrangement) return true;
    this.#arrangement = undefined;
    this.#compare = this.#comparison(window);
    this.#passes = this.#filter(window);
    this.#underWay += 1;
    try {
      const turns = new RowTurns(() => isStopped() || this.#window !== window);
      const arranged = await this.#arranged(window, turns);
      // Another may have begun meanwhile, and the rows are ordered by that.
      if (arranged === undefined) return !isStopped();
      [this.#all, this.#ordered, this.#groups] = arranged;
      this.#arrangement = arrangement;
      return true;
    } finally {
      this.#isInOrder();
    }
  }

  /** @returns undefined when it was stopped. */
  async #arranged(window: LiveWindow, turns: RowTurns): Promise<Arranged | undefined> {
    const [compare, passes] = [this.#compare, this.#passes];
    let all = this.#all;
    if (!isPlain(window) && all === undefined) {
      const keyed = new Map<string, WindowRow>();
      if (!(await turns.each(this.#ordered, (row) => keyed.set(row.key, row).size && 1)))
        return undefined;
      all = keyed;
    }
    const readsAll = this.#readsAll(window);
    const shown: WindowRow[] = [];
    const areChosen = await turns.each(all?.values() ?? this.#ordered, (row) => {
      const weight = readsAll && row.read === undefined ? READ_WEIGHT : 1;
      if (readsAll) this.#readOf(row);
      if (passes?.(row) !== false) shown.push(row);
      return weight;
    });
    if (!areChosen) return undefined;
    const ordered = all === undefined ? this.#ordered : await turns.sorted(shown, compare);
    const groups = this.#groupsOf(window);
    const isCounted =
      groups.length === 0 ||
      (ordered !== undefined &&
        (await turns.each(ordered, (row) => {
          this.#count(groups, row, 1);
          return groups.length;
        })));
    if (ordered === undefined || !isCounted) return undefined;
    return [isPlain(window) ? undefined : all, ordered, groups];
  }

  /** What has come meanwhile is told now, if nothing else is under way. */
  #isInOrder(): void {
    this.#underWay -= 1;
    if (this.#underWay > 0) return;
    const changes = [...this.#meanwhile];
    this.#meanwhile.clear();
    for (const [key, object] of changes) {
      if (object === undefined) this.delete(key);
      else this.set(object);
    }
  }

  set(object: StoredObject): void {
    if (this.#underWay > 0) {
      this.#meanwhile.set(object.path, object);
      return;
    }
    const before = this.#rowOf(object.path);
    if (before !== undefined) this.#take(before);
    const row = { key: object.path, object, read: undefined };
    this.#all?.set(object.path, row);
    this.#put(row);
  }

  delete(path: string): void {
    if (this.#underWay > 0) {
      this.#meanwhile.set(path, undefined);
      return;
    }
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

  #put(row: WindowRow): void {
    if (this.#passes?.(row) === false) return;
    this.#ordered.splice(this.#placeOf(row), 0, row);
    this.#count(this.#groups, row, 1);
  }

  #take(row: WindowRow): void {
    if (this.#passes?.(row) === false) return;
    const place = this.#placeOf(row);
    if (this.#ordered[place] !== row) return;
    this.#ordered.splice(place, 1);
    this.#count(this.#groups, row, -1);
  }

  /** Where the row stands, or would stand. */
  #placeOf(row: WindowRow): number {
    return placeIn(this.#ordered, (there) => this.#compare(there, row) < 0);
  }

  #groupsOf({ groups = [] }: LiveWindow): Group[] {
    return groups.map((name) => ({ column: this.#columnNamed(name), counts: new Map() }));
  }

  #count(groups: readonly Group[], row: WindowRow, by: 1 | -1): void {
    for (const { column, counts } of groups) {
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

function compareKeys(one: WindowRow, other: WindowRow): number {
  return compareTexts(one.key, other.key);
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
