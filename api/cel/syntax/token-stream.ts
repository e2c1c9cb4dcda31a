/**
 * A place among the tokens of an expression. Tokens are made when they are first looked at, so
 * that behind the place where parsing stops nothing more is reported.
 */
import type { Lexer, Token } from './lexer.ts';
import { END } from './terminals.ts';

export class TokenStream {
  readonly #lexer: Lexer;
  readonly #tokens: Token[] = [];
  #index = 0;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  /** How many tokens stand before this place. */
  get index(): number {
    return this.#index;
  }

  get token(): Token {
    return this.#at(this.#index);
  }

  /** The end again and again behind the end. */
  ahead(count: number): Token {
    return this.#at(this.#index + count);
  }

  get before(): Token | undefined {
    return this.#tokens[this.#index - 1];
  }

  take(): Token {
    const { token } = this;
    this.skip();
    return token;
  }

  /** One token further, but not behind the end. */
  skip(): void {
    if (this.token.terminal === END) return;
    this.#index++;
    // The next token is looked at at once, as the original does.
    this.#at(this.#index);
  }

  /** From the next token to that one, with blanks and comments. */
  textUpTo(last: Token): string {
    const first = this.token;
    const from = this.#tokens.indexOf(first, this.#index);
    const to = this.#tokens.indexOf(last, this.#index);
    const pieces = this.#tokens
      .slice(from, to + 1)
      .map(({ hidden, text, terminal }) => hidden + (terminal === END ? '' : text));
    return pieces.join('').slice(first.hidden.length);
  }

  #at(index: number): Token {
    let last = this.#tokens.at(-1);
    while (this.#tokens.length <= index && last?.terminal !== END) {
      last = this.#lexer.next();
      this.#tokens.push(last);
    }
    const token = this.#tokens[index] ?? last;
    if (token === undefined) throw new RangeError('tokens end with an end');
    return token;
  }
}
