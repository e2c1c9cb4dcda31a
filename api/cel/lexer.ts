/**
 * The words of an expression. What is no word is reported and left out, as the lexer that ANTLR
 * generates does: it tells the text up to the character at which it gave up, and goes on behind.
 *
 * In Kubernetes: the grammar CEL.g4 of cel-go.
 */
import type { SourceErrors } from './source.ts';

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
  readonly text: string;
  readonly offset: number;
}

const BLANK = /(?:[\t \r\n\f]+|\/\/[^\n]*)*/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
const ESCAPED = /`[A-Za-z0-9_.\-/ ]+`/y;
const FLOAT = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const WHOLE = /(?:0x[0-9a-fA-F]+|\d+)([uU]?)/y;
const SIGN = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;
const STRING_START = /([bB]?)([rR]?)("""|'''|"|')/y;

const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?${'`'}]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;

/** What stands between quotes, by the quote; sticky. */
const CONTENT = {
  '"': new RegExp(String.raw`(?:${ESCAPE}|[^\\"\n\r])*`, 'y'),
  "'": new RegExp(String.raw`(?:${ESCAPE}|[^\\'\n\r])*`, 'y'),
} as const;
const RAW_CONTENT = { '"': /[^"\n\r]*/y, "'": /[^'\n\r]*/y } as const;
const LONG_PIECE = new RegExp(String.raw`(?:${ESCAPE}|[^\\])`, 'y');

const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);

/** The tokens of `text`, the last of which is the end; what is none is reported to `errors`. */
export function tokenize(text: string, errors: SourceErrors): Token[] {
  const tokens: Token[] = [];
  let offset = endOf(BLANK, text, 0);
  while (offset < text.length) {
    const token = tokenAt(text, offset);
    if (token === undefined) {
      const end = givenUpAt(text, offset);
      const shown = text.slice(offset, end + 1).replace(/[\n\r\t]/g, (c) => SHOWN[c] ?? c);
      errors.report(offset, `Syntax error: token recognition error at: '${shown}'`);
      offset = end + 1;
    } else {
      tokens.push(token);
      offset += token.text.length;
    }
    offset = endOf(BLANK, text, offset);
  }
  tokens.push({ kind: 'end', text: '<EOF>', offset: text.length });
  return tokens;
}

const SHOWN: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function endOf(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}

function tokenAt(text: string, offset: number): Token | undefined {
  const string = stringAt(text, offset);
  if (string !== undefined) return string;
  const float = endOf(FLOAT, text, offset);
  if (float > offset) return { kind: 'float', text: text.slice(offset, float), offset };
  WHOLE.lastIndex = offset;
  const whole = WHOLE.exec(text);
  if (whole !== null) return { kind: whole[1] === '' ? 'int' : 'uint', text: whole[0], offset };
  const identifier = endOf(IDENTIFIER, text, offset);
  if (identifier > offset) {
    const word = text.slice(offset, identifier);
    return { kind: WORDS.has(word) ? 'sign' : 'identifier', text: word, offset };
  }
  const escaped = endOf(ESCAPED, text, offset);
  if (escaped > offset) return { kind: 'escaped', text: text.slice(offset, escaped), offset };
  const sign = endOf(SIGN, text, offset);
  return sign > offset ? { kind: 'sign', text: text.slice(offset, sign), offset } : undefined;
}

function stringAt(text: string, offset: number): Token | undefined {
  STRING_START.lastIndex = offset;
  const start = STRING_START.exec(text);
  if (start === null) return undefined;
  const [prefix, isBytes = '', isRaw = '', quotes = ''] = start;
  const kind = isBytes === '' ? 'string' : 'bytes';
  const from = offset + prefix.length;
  let end = closedAt(text, from, quotes, isRaw !== '');
  // Three quotes that nothing closes are an empty string and one more quote.
  if (end === undefined && quotes.length === 3) end = from - 1;
  return end === undefined ? undefined : { kind, text: text.slice(offset, end), offset };
}

/** Behind the closing quotes; undefined when there are none. */
function closedAt(text: string, from: number, quotes: string, isRaw: boolean): number | undefined {
  if (quotes === '"' || quotes === "'") {
    const end = endOf(isRaw ? RAW_CONTENT[quotes] : CONTENT[quotes], text, from);
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
    const end = endOf(CONTENT[first], text, offset + 1);
    return text[end] === '\\' ? Math.min(end + 1, text.length) : end;
  }
  if (first === '`') return endOf(/[A-Za-z0-9_.\-/ ]*/y, text, offset + 1);
  return first === '&' || first === '|' || first === '=' ? offset + 1 : offset;
}
