/** One row of a table as it was read of an object: its cells, and its text in a frame. */
import { formatJson, parseJson } from '../../../api/json/json-text.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import type { LiveCell } from '../../../api/live/live-messages.ts';
import { JsonBytesWriter } from './json-bytes-writer.ts';

/** Windows of the same columns share it, so its text is made once for all clients. */
export interface ReadRow {
  /** `NAMESPACE/NAME`, or `/NAME`. */
  readonly key: string;
  readonly cells: readonly LiveCell[];
  /** Puts `{"key":…,"cells":[…]}` behind the rows that are there. */
  addTo(list: RowList): void;
}

/** Rows of one frame. */
export interface RowList {
  /** A row that is made. */
  row(json: string): void;
  /** One of those that were written together. */
  written(texts: RowTexts, start: number, end: number): void;
}

/** A row whose cells were asked for first. */
export class RowOfCells implements ReadRow {
  readonly key: string;
  readonly cells: readonly LiveCell[];
  #json: string | undefined;

  constructor(key: string, cells: readonly LiveCell[]) {
    this.key = key;
    this.cells = cells;
  }

  addTo(list: RowList): void {
    this.#json ??= formatJson({ key: this.key, cells: this.cells });
    list.row(this.#json);
  }
}

/** A row of which only the text was made, as most are never asked for more. */
class RowOfText implements ReadRow {
  readonly key: string;
  readonly #texts: RowTexts;
  readonly #start: number;
  readonly #end: number;

  constructor(texts: RowTexts, key: string, start: number, end: number) {
    this.key = key;
    this.#texts = texts;
    this.#start = start;
    this.#end = end;
  }

  get cells(): readonly LiveCell[] {
    const json = this.#texts.slice(this.#start, this.#end).toString();
    return (parseJson(json) as JsonObject)['cells'] as readonly LiveCell[]; // As it was written.
  }

  addTo(list: RowList): void {
    list.written(this.#texts, this.#start, this.#end);
  }
}

const KEY = Buffer.from('{"key":');
const CELLS = Buffer.from(',"cells":[');
const CELLS_END = Buffer.from(']}');
const COMMA = 0x2c;
/** A usual row; where they are longer, the memory grows. */
const ROW_BYTES = 128;

/** The texts of rows that are read together, in memory that they share, as a frame has them: with commas between. */
export class RowTexts {
  readonly #out: JsonBytesWriter;
  #start = 0;
  #end = 0;

  /** @param rows about how many there are going to be. */
  constructor(rows: number) {
    this.#out = new JsonBytesWriter(rows * ROW_BYTES);
  }

  /** Begins a row. @returns what its cells are written to, with commas between them. */
  begin(key: string): JsonBytesWriter {
    const out = this.#out;
    // Of a row before, whose cells could not be read, there may be a part.
    out.cut(this.#end);
    if (this.#end > 0) out.byte(COMMA);
    this.#start = out.size;
    out.piece(KEY);
    out.text(key);
    out.piece(CELLS);
    return out;
  }

  /** The row that was begun. */
  finish(key: string): ReadRow {
    this.#out.piece(CELLS_END);
    this.#end = this.#out.size;
    return new RowOfText(this, key, this.#start, this.#end);
  }

  /** No other row comes. */
  end(): void {
    this.#out.trim();
  }

  slice(start: number, end: number): Buffer {
    return this.#out.slice(start, end);
  }
}
