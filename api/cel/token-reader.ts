/**
 * Tokens one after another, and what is said where the wrong one stands. The texts are those of
 * the parser that ANTLR generates: a token too many is left out, a bracket that is missing is
 * imagined, and otherwise the parser stops, because everything behind would be guesswork.
 *
 * In Kubernetes: antlr.DefaultErrorStrategy, and the limits in parser.go of cel-go.
 */
import type { Token } from './lexer.ts';
import type { SourceErrors } from './source.ts';

/** Thrown inside the parser only; what was wrong has been reported. */
export class ParsingStopped extends Error {
  override readonly name = 'ParsingStopped';
}

/** How deep rules of one sort may be nested; a chain of operators is as deep as it is long. */
const DEPTH_MAX = 250;

export type Rule = 'expr' | 'relation' | 'calc' | 'member';

/** What an operand can begin with, as messages list it. */
export const OPERAND_START =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, " +
  'BYTES, IDENTIFIER}';

/** What stands where `[` was, which may be followed by a question mark too. */
export const INDEX_START = OPERAND_START.replace("'!', ", "'!', '?', ");

const CLOSING: ReadonlySet<string> = new Set([')', ']', '}']);

export class TokenReader {
  readonly #tokens: readonly Token[];
  readonly #errors: SourceErrors;
  readonly #depths: Record<Rule, number> = { expr: 0, relation: 0, calc: 0, member: 0 };
  #next = 0;

  constructor(tokens: readonly Token[], errors: SourceErrors) {
    this.#tokens = tokens;
    this.#errors = errors;
  }

  get token(): Token {
    return this.ahead(0);
  }

  /** The end again and again behind the end. */
  ahead(count: number): Token {
    const token = this.#tokens[this.#next + count] ?? this.#tokens.at(-1);
    if (token === undefined) throw new RangeError('tokens end with an end');
    return token;
  }

  is(sign: string): boolean {
    return isSign(this.token, sign);
  }

  take(): Token {
    const token = this.token;
    this.#next++;
    return token;
  }

  /** The token when it is that sign, and undefined when it is something else. */
  takeIf(sign: string): Token | undefined {
    return this.is(sign) ? this.take() : undefined;
  }

  /** `sign`, which must be there; `follows`: what can stand behind it, when it is left out. */
  expect(sign: string, expected = `'${sign}'`): Token {
    const found = this.takeIf(sign);
    if (found !== undefined) return found;
    if (isSign(this.ahead(1), sign)) {
      this.#unwanted(expected);
      return this.take();
    }
    const canBeMissing = sign === ':' ? isOperand(this.token) : CLOSING.has(sign);
    if (canBeMissing) return this.#imagine(sign, expected);
    return this.mismatched(expected);
  }

  expectIdentifier(expected = 'IDENTIFIER'): Token {
    if (this.token.kind === 'identifier') return this.take();
    if (this.ahead(1).kind === 'identifier') {
      this.#unwanted(expected);
      return this.take();
    }
    return this.mismatched(expected);
  }

  /** Behind a whole expression nothing may follow. */
  expectEnd(): void {
    if (this.token.kind === 'end') return;
    const isOne = this.ahead(1).kind === 'end';
    const what = isOne ? 'extraneous' : 'mismatched';
    this.syntaxError(this.token.offset, `${what} input ${shown(this.token)} expecting <EOF>`);
  }

  /** The token cannot begin what is expected, but the one behind it can. */
  skipUnwanted(expected: string): void {
    this.#unwanted(expected);
  }

  mismatched(expected: string): never {
    const { offset } = this.token;
    this.syntaxError(offset, `mismatched input ${shown(this.token)} expecting ${expected}`);
    throw new ParsingStopped();
  }

  syntaxError(offset: number, message: string): void {
    this.#errors.report(offset, `Syntax error: ${message}`);
  }

  /** `depth` more of `rule` while `parse` runs. */
  nested<T>(rule: Rule, parse: (deeper: () => void) => T): T {
    const before = this.#depths[rule];
    const deeper = (): void => {
      if (++this.#depths[rule] > DEPTH_MAX) {
        this.#errors.report(-1, `expression recursion limit exceeded: ${String(DEPTH_MAX)}`);
        throw new ParsingStopped();
      }
    };
    deeper();
    const result = parse(deeper);
    this.#depths[rule] = before;
    return result;
  }

  #unwanted(expected: string): void {
    const { offset } = this.token;
    this.syntaxError(offset, `extraneous input ${shown(this.token)} expecting ${expected}`);
    this.#next++;
  }

  #imagine(sign: string, expected: string): Token {
    const { offset } = this.token;
    const isOneThing = !expected.startsWith('{');
    const message = isOneThing
      ? `missing '${sign}' at ${shown(this.token)}`
      : `mismatched input ${shown(this.token)} expecting ${expected}`;
    this.syntaxError(offset, message);
    if (!isOneThing) throw new ParsingStopped();
    return { kind: 'sign', text: sign, offset };
  }
}

/** Whether an operand can begin with the token. */
export function isOperand({ kind, text }: Token): boolean {
  if (kind === 'sign') return /^(?:[[{(.\-!]|true|false|null)$/.test(text);
  return kind !== 'end' && kind !== 'escaped';
}

export function isSign({ kind, text }: Token, sign: string): boolean {
  return kind === 'sign' && text === sign;
}

function shown({ text }: Token): string {
  const escaped = text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return `'${escaped}'`;
}
