/**
 * The values that stand in the text: `1`, `0x1F`, `1u`, `1.5`, `"text"`, `b"bytes"`, `true`.
 */
import { wholeNumber } from '../json/whole-number.ts';
import type { Token } from './lexer.ts';
import { unescapeBytes, unescapeString } from './unescape.ts';
import {
  CelBytes,
  CelDouble,
  CelError,
  INT_OVERFLOW,
  intOf,
  UINT_OVERFLOW,
  uintOf,
  type CelValue,
} from './value.ts';

export type Literal =
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
