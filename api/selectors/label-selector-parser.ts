/**
 * Reads the tokens of a label selector into requirements. `in` and `notin` are words wherever a
 * key or a value stands, and operators only between the two.
 *
 * In Kubernetes: Parser, apimachinery/pkg/labels; the messages are those of its errors.
 */
import { PART, type Parts } from '../json/parts.ts';
import { compareGoStrings, goQuote } from '../json/go-format.ts';
import { TokenReader, type Token, type TokenKind } from './label-selector-lexer.ts';
import {
  requirement,
  type LabelOperator,
  type LabelRequirement,
} from './label-selector-requirement.ts';
import { qualifiedNameProblems } from '../meta/names.ts';

export type ParsedRequirements =
  { readonly ok: true; readonly requirements: LabelRequirement[] } | Failure;

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
