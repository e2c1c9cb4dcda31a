/** What a page would paint of a window: keeps rows by key as docs/live.md tells clients to. */
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../support/eventually.ts';
import type { JsonObject, JsonValue } from '../support/json.ts';
import type { LiveMessage, LiveSocket } from './live-socket.ts';

interface Row {
  readonly key: string;
  readonly cells: JsonValue[];
}

interface Cell {
  readonly key: string;
  readonly column: number;
  readonly cell: JsonValue;
}

export class PaintedWindow {
  readonly #live: LiveSocket;
  readonly #id: string;
  #cells = new Map<string, JsonValue[]>();
  #order: string[] = [];
  #groups: JsonValue = null;
  #taken = 0;
  #last: LiveMessage | undefined;

  constructor(live: LiveSocket, id: string) {
    this.#live = live;
    this.#id = id;
  }

  get last(): LiveMessage | undefined {
    this.#take();
    return this.#last;
  }

  get groups(): JsonValue {
    this.#take();
    return this.#groups;
  }

  /** Cells from top to bottom. */
  get rows(): JsonValue[][] {
    this.#take();
    return this.#order.map((key) => this.#cells.get(key) ?? []);
  }

  async untilRows(wanted: JsonValue[][]): Promise<void> {
    await eventually(
      () => `${JSON.stringify(wanted)}, not ${JSON.stringify(this.rows)}`,
      () => isDeepStrictEqual(this.rows, wanted) || undefined,
    );
  }

  #take(): void {
    const frames = this.#live.of(this.#id, 'rows');
    for (const frame of frames.slice(this.#taken)) this.#paint(frame);
    this.#taken = frames.length;
  }

  #paint(frame: LiveMessage): void {
    this.#last = frame;
    const { columns, order, rows, cells, groups } = frame as JsonObject;
    if (columns !== undefined) this.#cells = new Map();
    for (const row of (rows ?? []) as unknown as Row[]) this.#cells.set(row.key, row.cells);
    for (const { key, column, cell } of (cells ?? []) as unknown as Cell[]) {
      const row = this.#cells.get(key);
      if (row === undefined) throw new Error(`a cell of ${key}, which the client does not have`);
      row[column] = cell;
    }
    if (groups !== undefined) this.#groups = groups;
    if (order === undefined) return;
    this.#order = order as string[];
    const shown = new Set(this.#order);
    for (const key of this.#cells.keys()) if (!shown.has(key)) this.#cells.delete(key);
  }
}
