/**
 * The values that stand in the text, `1`, `0x1F`, `1u`, `1.5`, `"text"`, `b"bytes"`, `true`, and the functions
 * that operators are calls of. The lexer has made sure that escapes are complete; what can still be wrong
 * is the character that an escape names.
 *
 * In Kubernetes: parser/unescape.go of cel-go.
 */
import { wholeNumber } from '../../json/go-numbers.ts';
import type { Token } from './lexer.ts';
import {
  CelBytes,
  CelDouble,
  CelError,
  type CelValue,
  INT_OVERFLOW,
  intOf,
  UINT_OVERFLOW,
  uintOf,
} from '../value.ts';

export const RELATIONS: ReadonlyMap<string, string> = new Map([
  ['<', '_<_'],
  ['<=', '_<=_'],
  ['>', '_>_'],
  ['>=', '_>=_'],
  ['==', '_==_'],
  ['!=', '_!=_'],
  ['in', '@in'],
]);
export const PRODUCTS: ReadonlyMap<string, string> = new Map([
  ['*', '_*_'],
  ['/', '_/_'],
  ['%', '_%_'],
]);
export const SUMS: ReadonlyMap<string, string> = new Map([
  ['+', '_+_'],
  ['-', '_-_'],
]);

type Unescaped<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

/** `text` has its quotes and its `r`, but not the `b`. */
function unescapeString(text: string): Unescaped<string> {
  const { content, isRaw } = contentOf(text);
  if (isRaw || !content.includes('\\')) return { ok: true, value: content };
  const wrong: number[] = [];
  const value = content.replace(ESCAPE, (escape) => {
    const code = codeOf(escape);
    if (typeof code === 'string') return code;
    const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    if (!isCharacter) wrong.push(code);
    return isCharacter ? String.fromCodePoint(code) : '';
  });
  return wrong.length === 0
    ? { ok: true, value }
    : { ok: false, message: 'invalid unicode code point' };
}

/** `text` has its quotes and its `r`, but not the `b`. Numbers name bytes, not characters. */
function unescapeBytes(text: string): Unescaped<Uint8Array> {
  const { content, isRaw } = contentOf(text);
  if (isRaw || !content.includes('\\')) return { ok: true, value: Buffer.from(content) };
  const pieces: Buffer[] = [];
  let from = 0;
  for (const match of content.matchAll(ESCAPE)) {
    if (/^\\[uU]/.test(match[0])) return { ok: false, message: 'unable to unescape string' };
    pieces.push(Buffer.from(content.slice(from, match.index)));
    const code = codeOf(match[0]);
    pieces.push(typeof code === 'string' ? Buffer.from(code) : Buffer.from([code & 0xff]));
    from = match.index + match[0].length;
  }
  pieces.push(Buffer.from(content.slice(from)));
  return { ok: true, value: Buffer.concat(pieces) };
}

const ESCAPE = /\\(?:[xX]..|u.{4}|U.{8}|[0-3]..|.)/gs;

function contentOf(text: string): { content: string; isRaw: boolean } {
  const isRaw = text.startsWith('r') || text.startsWith('R');
  const quoted = (isRaw ? text.slice(1) : text).replace(/\r\n?/g, '\n');
  const isLong = quoted.length >= 6 && /^(?:"""|''')/.test(quoted);
  return { content: isLong ? quoted.slice(3, -3) : quoted.slice(1, -1), isRaw };
}

/** The characters that have names, by what stands behind the backslash. */
export const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** A character that has a name or stands for itself, or the number of one. */
function codeOf(escape: string): string | number {
  const first = escape[1] ?? '';
  if (/[xXuU]/.test(first)) return Number.parseInt(escape.slice(2), 16);
  if (/[0-3]/.test(first)) return Number.parseInt(escape.slice(1), 8);
  return NAMED_ESCAPES[first] ?? first;
}

type Literal =
  | { readonly ok: true; readonly value: CelValue }
  | { readonly ok: false; readonly message: string };

/** undefined: `token` is no literal. */
export function parseLiteral({ kind, text }: Token, isNegative: boolean): Literal | undefined {
  switch (kind) {
    case 'int': {
      const value = wholeNumber(text);
      const int = value === undefined ? INT_OVERFLOW : intOf(isNegative ? -value : value);
      return checked(int, 'invalid int literal');
    }
    case 'uint': {
      const value = wholeNumber(text.slice(0, -1));
      return checked(value === undefined ? UINT_OVERFLOW : uintOf(value), 'invalid uint literal');
    }
    case 'float': {
      const value = Number(text);
      if (!Number.isFinite(value)) return { ok: false, message: 'invalid double literal' };
      return { ok: true, value: new CelDouble(isNegative ? -value : value) };
    }
    case 'string':
      return unescapeString(text);
    case 'bytes': {
      const bytes = unescapeBytes(text.slice(1));
      return bytes.ok ? { ok: true, value: new CelBytes(bytes.value) } : bytes;
    }
    case 'sign':
      return WORDS.get(text);
    default:
      return undefined;
  }
}

const WORDS: ReadonlyMap<string, Literal> = new Map([
  ['true', { ok: true, value: true }],
  ['false', { ok: true, value: false }],
  ['null', { ok: true, value: null }],
]);

function checked(value: CelValue, message: string): Literal {
  return value instanceof CelError ? { ok: false, message } : { ok: true, value };
}
