/**
 * Cuts a label selector into tokens. The surprise: a NUL character ends a word, and between words
 * it ends the whole selector, because upstream's reader gives 0 for "no more".
 *
 * In Kubernetes: Lexer, apimachinery/pkg/labels.
 */

export type TokenKind = 'word' | 'end' | 'in' | 'notin' | Symbol;
type Symbol = ')' | ',' | '!' | '==' | '=' | '>' | '<' | '!=' | '(';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const END: Token = { kind: 'end', text: '' };
const EQUALS = 0x3d;

/** By their first character: the symbol of one, and the one with an equals sign behind it. */
const SYMBOLS: ReadonlyMap<number, readonly [Token, Token | undefined]> = new Map(
  [symbols('=', '=='), symbols('!', '!='), ...([')', ',', '>', '<', '('] as const).map(alone)].map(
    (one) => [one[0].text.charCodeAt(0), one] as const,
  ),
);

function symbols(one: Symbol, two: Symbol): readonly [Token, Token] {
  return [
    { kind: one, text: one },
    { kind: two, text: two },
  ];
}

function alone(one: Symbol): readonly [Token, undefined] {
  return [{ kind: one, text: one }, undefined];
}

/** Gives one token after the other, so that a selector of a million of them is no list of objects. */
export class TokenReader {
  readonly #selector: string;
  #at = 0;
  #next: Token | undefined;

  constructor(selector: string) {
    this.#selector = selector;
  }

  peek(): Token {
    return (this.#next ??= this.#read());
  }

  /** Behind the last token there is always another one of kind `end`. */
  next(): Token {
    const token = this.peek();
    this.#next = undefined;
    return token;
  }

  #read(): Token {
    const selector = this.#selector;
    while (isBlank(selector.charCodeAt(this.#at))) this.#at++;
    const code = selector.charCodeAt(this.#at);
    if (Number.isNaN(code) || code === 0) {
      this.#at = selector.length;
      return END;
    }
    const token = symbolAt(selector, this.#at, code) ?? wordAt(selector, this.#at);
    this.#at += token.text.length;
    if (selector.charCodeAt(this.#at) === 0) this.#at++;
    return token;
  }
}

function symbolAt(selector: string, at: number, code: number): Token | undefined {
  const symbol = SYMBOLS.get(code);
  if (symbol === undefined) return undefined;
  const [one, two] = symbol;
  return two !== undefined && selector.charCodeAt(at + 1) === EQUALS ? two : one;
}

function wordAt(selector: string, start: number): Token {
  let end = start;
  while (end < selector.length && !endsWord(selector.charCodeAt(end))) end++;
  const text = selector.slice(start, end);
  return { kind: text === 'in' || text === 'notin' ? text : 'word', text };
}

function endsWord(code: number): boolean {
  return code === 0 || isBlank(code) || SYMBOLS.has(code);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}
