/**
 * Shard selectors: a part of the objects of a list or a watch by ranges of the hash of a field, so that several
 * clients share them. The text is an expression of CEL that is read and never evaluated.
 *
 * The surprise: hashes have 64 bits, more than a number of JavaScript keeps. They are two halves of 32.
 *
 * In Kubernetes: apiserver/pkg/sharding, apimachinery/pkg/sharding.
 */
import type { CallForm, Expression } from '../cel/syntax/expression.ts';
import { parse } from '../cel/syntax/parser.ts';
import { CelBytes, CelDouble, isInt, type CelValue } from '../cel/value.ts';
import { goQuote } from '../json/go-format.ts';

export interface ShardSelector {
  /** By which field the objects are parted. */
  readonly field: ShardField;
  /** As a list tells it: the same for selectors that were merely written differently. */
  readonly canonical: string;
  /** Whether an object is selected whose field has this value. */
  matches(value: string): boolean;
}

/** Objects can be parted by these. */
export type ShardField = 'object.metadata.uid' | 'object.metadata.namespace';

export type ParsedShardSelector =
  | { readonly ok: true; readonly selector: ShardSelector }
  /** In upstream's words. */
  | { readonly ok: false; readonly message: string };

interface Range {
  readonly field: ShardField;
  /** `0x` and 16 digits; the first hash that belongs to it. */
  readonly start: string;
  /** The first behind it; that of 2^64 has 17 digits. */
  readonly end: string;
}

/** What is wrong with the expression. */
class ShardSelectorError extends Error {}

const PARSER = { macros: [], hasOptionals: false, hasEscapedFields: false };

/** @param text of the parameter; not ''. */
export function parseShardSelector(text: string): ParsedShardSelector {
  const trimmed = text.trim();
  if (trimmed === '') {
    const why = 'empty shard selector is not allowed; omit the parameter for unfiltered lists';
    return { ok: false, message: why };
  }
  const parsed = parse(trimmed, PARSER);
  if (!parsed.ok) return { ok: false, message: `CEL parse error: ${parsed.errors.first}` };
  try {
    return { ok: true, selector: selectorOf(rangesOf(parsed.root)) };
  } catch (error) {
    if (error instanceof ShardSelectorError) return { ok: false, message: error.message };
    throw error;
  }
}

function selectorOf(ranges: readonly Range[]): ShardSelector {
  const [{ field }] = ranges as [Range, ...Range[]]; // An expression has one at least.
  const other = ranges.find((range) => range.field !== field);
  if (other !== undefined) {
    const got = `got ${goQuote(field)} and ${goQuote(other.field)}`;
    throw new ShardSelectorError(`all shard ranges must use the same field, ${got}`);
  }
  const spans = apart(ranges);
  return {
    field,
    canonical: ranges
      .map(({ start, end }) => `shardRange(${field}, '${start}', '${end}')`)
      .join(' || '),
    matches(value) {
      const hash = hashOf(value);
      let [from, to] = [0, spans.length];
      while (from < to) {
        const middle = (from + to) >>> 1;
        if (isLess(hash, (spans[middle] as Span).end)) to = middle;
        else from = middle + 1;
      }
      const span = spans[from];
      return span !== undefined && !isLess(hash, span.start);
    },
  };
}

function rangesOf(expression: Expression): Range[] {
  const { form } = expression;
  if (form.kind !== 'call') {
    const why = `unexpected expression kind ${kindOf(expression)}; expected shardRange() call or || operator`;
    throw new ShardSelectorError(why);
  }
  if (form.name === '_||_') return form.args.flatMap(rangesOf);
  if (form.name === 'shardRange') return [rangeOf(form)];
  const why = `unsupported function ${goQuote(form.name)}; only shardRange() and || are allowed`;
  throw new ShardSelectorError(why);
}

function rangeOf({ args }: CallForm): Range {
  const [key, from, to] = args;
  if (key === undefined || from === undefined || to === undefined || args.length > ARGUMENTS) {
    const why = `shardRange() requires exactly 3 arguments, got ${String(args.length)}`;
    throw new ShardSelectorError(why);
  }
  const field = pathOf(key);
  if (field !== 'object.metadata.uid' && field !== 'object.metadata.namespace') {
    const supported = 'supported: object.metadata.uid, object.metadata.namespace';
    throw new ShardSelectorError(`unsupported field path ${goQuote(field)}; ${supported}`);
  }
  const [start, end] = [digitsOf(from, 'hexStart'), digitsOf(to, 'hexEnd')];
  if (!isLess(hashAt(start), hashAt(end))) {
    throw new ShardSelectorError(`shard range start ${start} must be less than end ${end}`);
  }
  return { field, start, end };
}

const ARGUMENTS = 3;

function pathOf(expression: Expression): string {
  const { form } = expression;
  if (form.kind === 'ident') return form.name;
  if (form.kind === 'select') return `${pathOf(form.operand)}.${form.field}`;
  const got = `expected field path (e.g. object.metadata.uid), got expression kind ${kindOf(expression)}`;
  throw new ShardSelectorError(`shardRange() first argument: ${got}`);
}

function digitsOf(expression: Expression, name: string): string {
  const { form } = expression;
  const refuse = (why: string): never => {
    throw new ShardSelectorError(`${name}${why}`);
  };
  if (form.kind !== 'literal') {
    return refuse(
      ` must be a string literal (e.g. '0xff'), got expression kind ${kindOf(expression)}`,
    );
  }
  const text = form.value;
  if (typeof text !== 'string') {
    return refuse(` must be a string literal, got ${goTypeOf(text)}`);
  }
  if (!text.startsWith('0x')) refuse(` must have '0x' prefix, got ${goQuote(text)}`);
  const digits = text.slice(2);
  const bytes = Buffer.byteLength(digits);
  if (bytes === 0) refuse(": hex value is required after '0x'");
  if (bytes > DIGITS + 1) {
    refuse(
      `: hex value too long (${String(bytes)} chars, max ${String(DIGITS + 1)}): ${goQuote(digits)}`,
    );
  }
  const odd = /[^0-9a-f]/u.exec(digits)?.[0];
  if (odd !== undefined) {
    refuse(`: invalid hex character ${goQuote(odd)} in ${goQuote(text)}`);
  }
  if (digits.length > DIGITS && text !== END) {
    refuse(`: 17-digit hex value must be '${END}' (2^64), got ${goQuote(text)}`);
  }
  if (digits.length < DIGITS) {
    const meant = goQuote(`0x${digits.padStart(DIGITS, '0')}`);
    refuse(
      ` must be a 0x-prefixed 16-digit hex value, got ${goQuote(text)} (did you mean ${meant}?)`,
    );
  }
  return text;
}

const DIGITS = 16;
const END = '0x10000000000000000';

function goTypeOf(value: CelValue): string {
  if (value === null) return 'structpb.NullValue';
  if (typeof value === 'boolean') return 'bool';
  if (isInt(value)) return 'int64';
  if (value instanceof CelDouble) return 'float64';
  return value instanceof CelBytes ? '[]uint8' : 'uint64';
}

/** As cel-go counts kinds of expressions. */
const KINDS = ['broken', 'call', 'fold', 'ident', 'list', 'literal', 'map', 'select', 'struct'];

function kindOf({ form }: Expression): string {
  return String(KINDS.indexOf(form.kind));
}

/** Two halves of a number of 64 bits; of 2^64 the upper one is 2^32. */
type Hash = readonly [upper: number, lower: number];

const HALF_DIGITS = 8;
const HALF = 2 ** 32;

function hashAt(text: string): Hash {
  const digits = text.slice(2);
  const at = digits.length - HALF_DIGITS;
  return [Number.parseInt(digits.slice(0, at), 16), Number.parseInt(digits.slice(at), 16)];
}

function isLess(one: Hash, other: Hash): boolean {
  return one[0] === other[0] ? one[1] < other[1] : one[0] < other[0];
}

const OFFSET: Hash = [0xcbf29ce4, 0x84222325];
/** The prime is 2^40 and this. */
const PRIME_LOWER = 0x1b3;
const PRIME_SHIFT = 8;

interface Span {
  readonly start: Hash;
  end: Hash;
}

/** In order, and none with a hash of another: a question is answered by looking at few, however many there are. */
function apart(ranges: readonly Range[]): readonly Span[] {
  const sorted = ranges
    .map(({ start, end }) => ({ start: hashAt(start), end: hashAt(end) }))
    .sort((one, other) => (isLess(one.start, other.start) ? -1 : 1));
  const spans: Span[] = [];
  for (const span of sorted) {
    const last = spans.at(-1);
    if (last === undefined || isLess(last.end, span.start)) spans.push(span);
    else if (isLess(last.end, span.end)) last.end = span.end;
  }
  return spans;
}

/** FNV-1a, 64 bits. */
function hashOf(text: string): Hash {
  let [upper, lower] = OFFSET;
  for (const byte of Buffer.from(text)) {
    lower = (lower ^ byte) >>> 0;
    const product = lower * PRIME_LOWER;
    const carried = Math.floor(product / HALF);
    upper = (Math.imul(upper, PRIME_LOWER) + carried + (lower << PRIME_SHIFT)) >>> 0;
    lower = product >>> 0;
  }
  return [upper, lower];
}
