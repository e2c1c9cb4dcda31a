/**
 * Cuts a label selector into tokens and reads them into requirements. `in` and `notin` are words
 * wherever a key or a value stands, and operators only between the two.
 *
 * The surprise: a NUL character ends a word, and between words it ends the whole selector, because
 * upstream's reader gives 0 for "no more".
 *
 * In Kubernetes: Lexer and Parser, apimachinery/pkg/labels; the messages are those of its errors.
 */
import { PART, type Parts } from '../json/json-parts.ts';
import { compareGoStrings, goQuote } from '../json/go-format.ts';
import {
  type LabelOperator,
  type LabelRequirement,
  requirement,
} from './label-selector-requirement.ts';
import { qualifiedNameProblems } from '../meta/names.ts';

type ParsedRequirements =
  | { readonly ok: true; readonly requirements: LabelRequirement[] }
  | Failure;

interface Failure {
  readonly ok: false;
  readonly message: string;
}

type Parsed<Value> = { readonly ok: true; readonly value: Value } | Failure;

const BINARY_OPERATORS: ReadonlyMap<TokenKind, LabelOperator> = new Map([
  ['in', 'in'],
  ['=', '='],
  ['==', '=='],
  ['>', 'gt'],
  ['<', 'lt'],
  ['notin', 'notin'],
  ['!=', '!='],
]);
const BINARY_OPERATORS_TEXT = 'in, notin, =, ==, !=, gt, lt';

/** In the order written, values of one requirement sorted and each once. */
export function parseRequirements(selector: string): ParsedRequirements {
  const parts = requirementsInParts(selector);
  let part = parts.next();
  while (part.done !== true) part = parts.next();
  return part.value;
}

/** The same with others having their turn after each part of many. */
export function* requirementsInParts(selector: string): Parts<ParsedRequirements> {
  const tokens = new TokenReader(selector);
  const requirements: LabelRequirement[] = [];
  for (;;) {
    if (requirements.length % PART === PART - 1) yield;
    const next = tokens.peek();
    if (next.kind === 'end') return { ok: true, requirements };
    if (!startsRequirement(next)) {
      return failure(`found '${next.text}', expected: !, identifier, or 'end of string'`);
    }
    const parsed = parseRequirement(tokens);
    if (!parsed.ok) return failure(`unable to parse requirement: ${parsed.message}`);
    requirements.push(parsed.value);
    const separator = tokens.next();
    if (separator.kind === 'end') return { ok: true, requirements };
    if (separator.kind !== ',') {
      return failure(`found '${separator.text}', expected: ',' or 'end of string'`);
    }
    const following = tokens.peek();
    if (!startsRequirement(following)) {
      return failure(`found '${following.text}', expected: identifier after ','`);
    }
  }
}

function parseRequirement(tokens: TokenReader): Parsed<LabelRequirement> {
  let keyToken = tokens.next();
  const isNegated = keyToken.kind === '!';
  if (isNegated) keyToken = tokens.next();
  if (!isWord(keyToken)) return failure(`found '${keyToken.text}', expected: identifier`);
  const key = keyToken.text;
  const problems = qualifiedNameProblems(key);
  if (problems.length > 0) {
    return failure(`<nil>: Invalid value: ${goQuote(key)}: ${problems.join('; ')}`);
  }
  const after = tokens.peek().kind;
  if (isNegated) return asValue(requirement(key, '!', []));
  if (after === 'end' || after === ',') return asValue(requirement(key, 'exists', []));
  return parseComparison(tokens, key);
}

function parseComparison(tokens: TokenReader, key: string): Parsed<LabelRequirement> {
  const token = tokens.next();
  const operator = BINARY_OPERATORS.get(token.kind);
  if (operator === undefined) {
    return failure(`found '${token.text}', expected: ${BINARY_OPERATORS_TEXT}`);
  }
  const takesSet = operator === 'in' || operator === 'notin';
  const values = takesSet ? parseValues(tokens) : parseExactValue(tokens);
  return values.ok ? asValue(requirement(key, operator, values.value)) : values;
}

/** A value that is not written is ''. */
function parseExactValue(tokens: TokenReader): Parsed<string[]> {
  const next = tokens.peek();
  if (next.kind === 'end' || next.kind === ',') return { ok: true, value: [''] };
  const token = tokens.next();
  if (isWord(token)) return { ok: true, value: [token.text] };
  return failure(`found '${token.text}', expected: identifier`);
}

function parseValues(tokens: TokenReader): Parsed<string[]> {
  const open = tokens.next();
  if (open.kind !== '(') return failure(`found '${open.text}' expected: '('`);
  const first = tokens.peek();
  if (first.kind === ')') {
    tokens.next();
    return { ok: true, value: [''] };
  }
  if (!isWord(first) && first.kind !== ',') {
    return failure(`found '${first.text}', expected: ',', ')' or identifier`);
  }
  return parseValueList(tokens);
}

/** Up to and with the closing parenthesis; nothing between two commas is the value ''. */
function parseValueList(tokens: TokenReader): Parsed<string[]> {
  const values = new Set<string>();
  for (;;) {
    const token = tokens.next();
    const after = tokens.peek();
    if (isWord(token)) {
      values.add(token.text);
      if (after.kind === ')') break;
      if (after.kind !== ',') return failure(`found '${after.text}', expected: ',' or ')'`);
    } else if (token.kind === ',') {
      if (values.size === 0 || after.kind === ')' || after.kind === ',') values.add('');
      if (after.kind === ')') break;
    } else {
      return failure(`found '${token.text}', expected: ',', or identifier`);
    }
  }
  tokens.next();
  return { ok: true, value: [...values].sort(compareGoStrings) };
}

function startsRequirement(token: Token): boolean {
  return token.kind === '!' || isWord(token);
}

function isWord(token: Token): boolean {
  return token.kind === 'word' || token.kind === 'in' || token.kind === 'notin';
}

function asValue(
  made: { ok: true; requirement: LabelRequirement } | Failure,
): Parsed<LabelRequirement> {
  return made.ok ? { ok: true, value: made.requirement } : made;
}

function failure(message: string): Failure {
  return { ok: false, message };
}

type TokenKind = 'word' | 'end' | 'in' | 'notin' | Symbol;
type Symbol = ')' | ',' | '!' | '==' | '=' | '>' | '<' | '!=' | '(';

interface Token {
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
class TokenReader {
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
