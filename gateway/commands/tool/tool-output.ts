/**
 * What a tool says: tables and text for people, JSON and YAML for programs. Each piece is awaited, so
 * that long results hold no memory, and a reader that stops (`| head`) ends the tool in silence.
 */
import type { Writable } from 'node:stream';
import { formatJson } from '../../../api/json/json-text.ts';
import type { JsonValue } from '../../../api/json/json.ts';
import { formatYaml } from '../../negotiation/yaml-codec.ts';
import { StartupError } from '../../process/startup-error.ts';

/** What `-o` of a tool may say; `jsonl` is one object a line, written as it comes. */
export type Format = 'table' | 'json' | 'jsonl' | 'yaml';

export const FORMATS: readonly Format[] = ['table', 'json', 'jsonl', 'yaml'];

/** @throws StartupError */
export function parseFormat(text: string, allowed: readonly Format[] = FORMATS): Format {
  const found = allowed.find((one) => one === text);
  if (found !== undefined) return found;
  throw new StartupError(`-o: must be one of ${allowed.join(', ')}, not ${formatJson(text)}`);
}

export class ToolOutput {
  readonly #stream: Writable;
  readonly #readerGone: () => void;
  /** Whether ANSI colours make sense there. */
  readonly hasColours: boolean;
  #isGone = false;

  /** @param readerGone called once when the output is closed. */
  constructor(stream: Writable, options: { hasColours: boolean; readerGone: () => void }) {
    this.#stream = stream;
    this.hasColours = options.hasColours;
    this.#readerGone = options.readerGone;
    stream.on('error', () => {
      this.#gone();
    });
  }

  /** Resolves when the text was taken, or the output is closed. */
  write(text: string): Promise<void> {
    if (this.#isGone || text === '') return Promise.resolve();
    return new Promise((resolve) => {
      this.#stream.write(text, (error) => {
        if (error !== undefined && error !== null) this.#gone();
        resolve();
      });
    });
  }

  /** One value of several: a line of JSON, or a YAML document. */
  async writeValue(value: JsonValue, format: 'jsonl' | 'yaml'): Promise<void> {
    await this.write(format === 'yaml' ? `---\n${formatYaml(value)}` : `${formatJson(value)}\n`);
  }

  /** Several values in the form that was asked for: a list, or one after the other. */
  async writeValues(values: readonly JsonValue[], format: Exclude<Format, 'table'>): Promise<void> {
    if (format === 'json') await this.write(`${formatJson(values, 2)}\n`);
    else if (format === 'yaml') await this.write(formatYaml([...values]));
    else for (const value of values) await this.writeValue(value, format);
  }

  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#readerGone();
  }
}

const CELL_GAP = '   ';

/** Columns as wide as their widest cell; the last one is not filled up. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const shown = [header, ...rows].map((cells) => cells.map(printable));
  const widths = header.map((_, column) => {
    return shown.reduce((widest, cells) => Math.max(widest, (cells[column] ?? '').length), 0);
  });
  return shown.map((cells) => formatRow(cells, widths)).join('');
}

/** One line with its end; the last cell is not padded. @param widths in characters, by column. */
export function formatRow(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => {
    return column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0);
  });
  return `${padded.join(CELL_GAP).trimEnd()}\n`;
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** Text whose characters other users chose must not move the cursor of the terminal. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, (one) => {
    return `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}

/** The same for texts of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** Added lines green and removed ones red, where there are colours. */
export function colouredDiff(diff: string, hasColours: boolean): string {
  const shown = printableLines(diff);
  if (!hasColours) return shown;
  return shown
    .split('\n')
    .map((line) => {
      const colour = COLOURS.get(line.slice(0, 1));
      return colour === undefined ? line : `\u001b[${colour}m${line}\u001b[0m`;
    })
    .join('\n');
}

const COLOURS: ReadonlyMap<string, string> = new Map([
  ['+', '32'],
  ['-', '31'],
  ['@', '36'],
]);
