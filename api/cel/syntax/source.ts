/**
 * The text of an expression and the errors that are found in it, shown as clients see them: the
 * place, the message, the line and a caret below. Columns count characters, not UTF-16 units.
 *
 * In Kubernetes: common.Source and common.Errors of cel-go.
 */

export interface SourceError {
  /**
   * UTF-16 units from the beginning; -1 for what is missing from the text, and undefined where
   * there is no place at all.
   */
  readonly offset: number | undefined;
  readonly message: string;
}

const ERRORS_MAX = 100;

/** Longer lines, in bytes, are not shown. */
const SNIPPET_BYTES_MAX = 16384;

/** The first hundred errors of an expression, and how many there were. */
export class SourceErrors {
  readonly text: string;
  readonly #errors: SourceError[] = [];
  #count = 0;

  constructor(text: string) {
    this.text = text;
  }

  get count(): number {
    return this.#count;
  }

  /** The message of the one that was found first; '' where there is none. */
  get first(): string {
    return this.#errors[0]?.message ?? '';
  }

  report(offset: number | undefined, message: string): void {
    this.#count++;
    if (this.#count <= ERRORS_MAX) this.#errors.push({ offset, message });
  }

  /** Every error with its line, in the order of places. */
  toString(): string {
    const inOrder = [...this.#errors].sort((one, other) => placeOf(one) - placeOf(other));
    const shown = inOrder.map((error) => formatError(this.text, error));
    const more = this.#count - ERRORS_MAX;
    if (more > 0) shown.push(`${String(more)} more errors were truncated`);
    return shown.join('\n');
  }
}

/** What has no place comes first. */
function placeOf({ offset }: SourceError): number {
  return offset ?? -2;
}

function formatError(text: string, { offset, message }: SourceError): string {
  if (text === '') return `ERROR: <input>:1:0: ${message}`;
  if (offset === undefined) return `ERROR: <input>:-1:0: ${message}`;
  if (offset < 0) return `ERROR: <input>:1:0: ${message}${snippet(lineAt(text, 0), 0)}`;
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  const column = Array.from(before.slice(lineStart)).length;
  const head = `ERROR: <input>:${String(line)}:${String(column + 1)}: ${message}`;
  return head + snippet(lineAt(text, lineStart), column);
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.slice(start) : text.slice(start, end);
}

function snippet(line: string, column: number): string {
  if (Buffer.byteLength(line) > SNIPPET_BYTES_MAX) return '';
  const shown = line.replaceAll('\t', ' ');
  const characters = Array.from(shown);
  const dots = characters.slice(0, column).map((character) => (isWide(character) ? '\uff0e' : '.'));
  const caret = isWide(characters[column] ?? '') ? '\uff3e' : '^';
  return `\n | ${shown}\n | ${dots.join('')}${caret}`;
}

/** What is no ASCII is taken to be wide. */
function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}
