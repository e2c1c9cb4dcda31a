/** A frame that is put together: rows that were written side by side stay one piece, and none of their bytes is copied. */
import type { RowList, RowTexts } from './read-row.ts';

/** Longer texts are handed on, so that they are not joined to one that is as long as the frame. */
const TEXT_MAX = 64 * 1024;

export class FrameParts implements RowList {
  readonly #parts: Buffer[] = [];
  #text = '';
  #size = 0;
  #hasRows = false;
  /** Rows that stand side by side there. */
  #texts: RowTexts | undefined;
  #start = 0;
  #end = 0;

  /** Of what was put in, in characters and bytes: it grows with all that is. */
  get size(): number {
    return this.#size;
  }

  text(json: string): void {
    this.#text += json;
    this.#size += json.length;
  }

  bytes(json: Buffer): void {
    this.#endText();
    this.#parts.push(json);
    this.#size += json.length;
  }

  /** A row that is made. */
  row(json: string): void {
    this.#endWritten();
    this.text(this.#hasRows ? ',' : ROWS);
    this.text(json);
    this.#hasRows = true;
    if (this.#text.length > TEXT_MAX) this.#endText();
  }

  written(texts: RowTexts, start: number, end: number): void {
    // A comma stands in front of each but the first.
    if (texts === this.#texts && start === this.#end + 1) {
      this.#end = end;
      return;
    }
    this.#endWritten();
    this.text(this.#hasRows ? ',' : ROWS);
    this.#hasRows = true;
    this.#texts = texts;
    this.#start = start;
    this.#end = end;
  }

  /** No other row comes. */
  endRows(): void {
    this.#endWritten();
    if (this.#hasRows) this.text(']');
  }

  made(): Buffer[] {
    this.#endText();
    return this.#parts;
  }

  #endWritten(): void {
    const texts = this.#texts;
    if (texts === undefined) return;
    this.#texts = undefined;
    this.bytes(texts.slice(this.#start, this.#end));
  }

  #endText(): void {
    if (this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    this.#parts.push(Buffer.from(text));
  }
}

const ROWS = ',"rows":[';
