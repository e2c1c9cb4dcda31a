/**
 * The words of an expression. What is no word is reported and left out, as the lexer that ANTLR
 * generates does: it tells the text up to the character at which it gave up, and goes on behind.
 *
 * In Kubernetes: the grammar CEL.g4 of cel-go.
 */
import { END } from './terminals.ts';

export type TokenKind =
  | 'identifier'
  | 'escaped'
  | 'int'
  | 'uint'
  | 'float'
  | 'string'
  | 'bytes'
  /** Operators, brackets and the words `true`, `false`, `null` and `in`. */
  | 'sign'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** What the grammar calls it: `'+'`, `NUM_INT`. */
  readonly terminal: string;
  readonly text: string;
  readonly offset: number;
  /** Blanks and comments in front of it. */
  readonly hidden: string;
}

type Found = Pick<Token, 'kind' | 'text'>;

const BLANK = /[\t \r\n\f]*(?:\/\/[^\n]*\n[\t \r\n\f]*)*(?:\/\/[^\n]*)?/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
const ESCAPED = /`[A-Za-z0-9_.\-/ ]+`/y;
const FLOAT = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const WHOLE = /(?:0x[0-9a-fA-F]+|\d+)([uU]?)/y;
const SIGN = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;
const STRING_START = /([bB]?)([rR]?)("""|'''|"|')/y;

const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?${'`'}]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;

/** As much of one as is right. */
const BROKEN_ESCAPE = /\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?/y;

const ONE_ESCAPE = new RegExp(ESCAPE, 'y');
/** What stands between quotes and is no escape, by the quote. */
const PLAIN_CONTENT = { '"': /[^\\"\n\r]*/y, "'": /[^\\'\n\r]*/y } as const;
const RAW_CONTENT = { '"': /[^"\n\r]*/y, "'": /[^'\n\r]*/y } as const;
const LONG_PIECE = new RegExp(String.raw`(?:${ESCAPE}|[^\\])`, 'y');

const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);

const TERMINALS: Readonly<Record<Exclude<TokenKind, 'sign'>, string>> = {
  identifier: 'IDENTIFIER',
  escaped: 'ESC_IDENTIFIER',
  int: 'NUM_INT',
  uint: 'NUM_UINT',
  float: 'NUM_FLOAT',
  string: 'STRING',
  bytes: 'BYTES',
  end: END,
};

export class Lexer {
  readonly #text: string;
  readonly #report: (offset: number, message: string) => void;
  #offset = 0;

  constructor(text: string, report: (offset: number, message: string) => void) {
    this.#text = text;
    this.#report = report;
  }

  /** The next token, in the end the end; what is none is reported and left out. */
  next(): Token {
    let hidden = this.#blank();
    while (this.#offset < this.#text.length) {
      const offset = this.#offset;
      const found = tokenAt(this.#text, offset);
      if (found !== undefined) {
        this.#offset += found.text.length;
        const { kind, text } = found;
        const terminal = kind === 'sign' ? `'${text}'` : TERMINALS[kind];
        return { kind, terminal, text, offset, hidden };
      }
      this.#leaveOut();
      hidden += this.#blank();
    }
    return { kind: 'end', terminal: END, text: END, offset: this.#text.length, hidden };
  }

  #blank(): string {
    const start = this.#offset;
    this.#offset = endOf(BLANK, this.#text, start);
    return this.#text.slice(start, this.#offset);
  }

  #leaveOut(): void {
    const start = this.#offset;
    const wrong = givenUpAt(this.#text, start);
    const isPair = (this.#text.codePointAt(wrong) ?? 0) > 0xffff;
    this.#offset = wrong + (isPair ? 2 : 1);
    const shown = this.#text.slice(start, this.#offset);
    this.#report(start, `token recognition error at: '${shown}'`);
  }
}

function endOf(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}

function tokenAt(text: string, offset: number): Found | undefined {
  const string = stringAt(text, offset);
  if (string !== undefined) return string;
  const float = endOf(FLOAT, text, offset);
  if (float > offset) return { kind: 'float', text: text.slice(offset, float) };
  WHOLE.lastIndex = offset;
  const whole = WHOLE.exec(text);
  if (whole !== null) return { kind: whole[1] === '' ? 'int' : 'uint', text: whole[0] };
  const identifier = endOf(IDENTIFIER, text, offset);
  if (identifier > offset) {
    const word = text.slice(offset, identifier);
    return { kind: WORDS.has(word) ? 'sign' : 'identifier', text: word };
  }
  const escaped = endOf(ESCAPED, text, offset);
  if (escaped > offset) return { kind: 'escaped', text: text.slice(offset, escaped) };
  const sign = endOf(SIGN, text, offset);
  return sign > offset ? { kind: 'sign', text: text.slice(offset, sign) } : undefined;
}

function stringAt(text: string, offset: number): Found | undefined {
  STRING_START.lastIndex = offset;
  const start = STRING_START.exec(text);
  if (start === null) return undefined;
  const [prefix, isBytes = '', isRaw = '', quotes = ''] = start;
  const kind = isBytes === '' ? 'string' : 'bytes';
  const from = offset + prefix.length;
  let end = closedAt(text, from, quotes, isRaw !== '');
  // Three quotes that nothing closes are an empty string and one more quote.
  if (end === undefined && quotes.length === 3) end = from - 1;
  return end === undefined ? undefined : { kind, text: text.slice(offset, end) };
}

/** Where the right part of what stands between quotes ends. */
function contentEnd(text: string, from: number, quote: '"' | "'"): number {
  let at = from;
  for (;;) {
    const plain = endOf(PLAIN_CONTENT[quote], text, at);
    at = endOf(ONE_ESCAPE, text, plain);
    if (at === plain) return at;
  }
}

/** Behind the closing quotes; undefined when there are none. */
function closedAt(text: string, from: number, quotes: string, isRaw: boolean): number | undefined {
  if (quotes === '"' || quotes === "'") {
    const end = isRaw ? endOf(RAW_CONTENT[quotes], text, from) : contentEnd(text, from, quotes);
    return text.startsWith(quotes, end) ? end + 1 : undefined;
  }
  if (isRaw) {
    const end = text.indexOf(quotes, from);
    return end < 0 ? undefined : end + 3;
  }
  let at = from;
  while (at < text.length && !text.startsWith(quotes, at)) {
    const next = endOf(LONG_PIECE, text, at);
    if (next === at) return undefined;
    at = next;
  }
  return at < text.length ? at + 3 : undefined;
}

/** The position of the character that no token could have had here. */
function givenUpAt(text: string, offset: number): number {
  const first = text[offset];
  if (first === '"' || first === "'") {
    return endOf(BROKEN_ESCAPE, text, contentEnd(text, offset + 1, first));
  }
  if (first === '`') return endOf(/[A-Za-z0-9_.\-/ ]*/y, text, offset + 1);
  return first === '&' || first === '|' || first === '=' ? offset + 1 : offset;
}
