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
const SYMBOLS: readonly Symbol[] = ['==', '!=', ')', ',', '!', '=', '>', '<', '('];
const SYMBOL_CHARACTERS = '=!(),><';
const WHITESPACE = ' \t\r\n';

/** The last token is always the only one of kind `end`. */
export function tokenize(selector: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    while (at < selector.length && WHITESPACE.includes(selector.charAt(at))) at++;
    if (at >= selector.length || selector.charAt(at) === '\0') break;
    const symbol = SYMBOLS.find((one) => selector.startsWith(one, at));
    if (symbol === undefined) {
      const end = endOfWord(selector, at);
      tokens.push(wordToken(selector.slice(at, end)));
      at = selector.charAt(end) === '\0' ? end + 1 : end;
    } else {
      tokens.push({ kind: symbol, text: symbol });
      at += symbol.length;
      if (selector.charAt(at) === '\0') at++;
    }
  }
  tokens.push(END);
  return tokens;
}

function endOfWord(selector: string, start: number): number {
  let end = start;
  while (end < selector.length && !endsWord(selector.charAt(end))) end++;
  return end;
}

function endsWord(character: string): boolean {
  return (
    character === '\0' || SYMBOL_CHARACTERS.includes(character) || WHITESPACE.includes(character)
  );
}

function wordToken(text: string): Token {
  return { kind: text === 'in' || text === 'notin' ? text : 'word', text };
}
