/**
 * Changes to texts that are built of values: JSON, and what looks like it (CEL, selectors, paths).
 * A value is what stands within brackets or quotes, or a word; values change places, within the
 * input and with another one. Lines are moved and indented, for YAML and what goes line by line.
 */
import { replaced, someRange, type MutationSource } from './mutation-source.ts';
import type { SeededRandom } from './seeded-random.ts';

type Range = readonly [start: number, end: number];

const CLOSING: ReadonlyMap<number, number> = new Map([
  [0x7b, 0x7d],
  [0x5b, 0x5d],
  [0x28, 0x29],
]);
const QUOTES = new Set([0x22, 0x27, 0x60]);
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const NESTED_MAX = 2_000;

export function someTextChange(source: MutationSource, input: Uint8Array): Uint8Array {
  const { random } = source;
  switch (random.integer(8)) {
    case 0:
      return nested(random, input);
    case 1:
      return withLineMoved(random, input);
    case 2:
      return withLineIndented(random, input);
    case 3:
      return replaced(input, someValue(random, input), Buffer.from(someLiteral(random)));
    case 4: {
      // A value beside itself: a second element, a repeated key.
      const [start, end] = someValue(random, input);
      const comma = Buffer.concat([Buffer.from(','), input.subarray(start, end)]);
      return replaced(input, [end, end], comma);
    }
    case 5: {
      const [start, end] = someValue(random, input);
      return replaced(input, someValue(random, input), input.subarray(start, end));
    }
    default: {
      const other = source.other();
      const [start, end] = someValue(random, other);
      return replaced(input, someValue(random, input), other.subarray(start, end));
    }
  }
}

const LITERALS = [
  'null', 'true', 'false', '""', '"a"', '{}', '[]', '0', '-1', '1.5', '{"":{}}', '[[]]', '[null]',
  '"__proto__"', '"constructor"', '"\\ud800"', '"\\u0000"', '"é"', '"2026-01-01T00:00:00Z"',
]; // prettier-ignore

function someLiteral(random: SeededRandom): string {
  return LITERALS[random.integer(LITERALS.length)] ?? 'null';
}

/** From a place on, to the next thing that opens, and to where that closes. */
function someValue(random: SeededRandom, input: Uint8Array): Range {
  const from = random.integer(input.length);
  for (let at = from; at < input.length; at += 1) {
    const byte = input[at] ?? 0;
    const closing = CLOSING.get(byte);
    if (closing !== undefined) return [at, closedAt(input, at, [byte, closing])];
    if (QUOTES.has(byte)) return [at, unquotedAt(input, at)];
    if (isWord(byte)) {
      let end = at;
      while (isWord(input[end] ?? 0)) end += 1;
      return [at, end];
    }
  }
  return someRange(random, input.length);
}

function closedAt(input: Uint8Array, start: number, [open, close]: Range): number {
  let depth = 0;
  for (let at = start; at < input.length; at += 1) {
    const byte = input[at] ?? 0;
    if (QUOTES.has(byte)) at = unquotedAt(input, at) - 1;
    else if (byte === open) depth += 1;
    else if (byte === close) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return input.length;
}

function unquotedAt(input: Uint8Array, start: number): number {
  const quote = input[start];
  for (let at = start + 1; at < input.length; at += 1) {
    if (input[at] === BACKSLASH) at += 1;
    else if (input[at] === quote) return at + 1;
  }
  return input.length;
}

function isWord(byte: number): boolean {
  const isDigit = byte >= 0x30 && byte <= 0x39;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  return isDigit || isLetter || byte === 0x2d || byte === 0x2e || byte === 0x5f;
}

/** A value within itself, some times or very often: `[[[[1]]]]`. */
function nested(random: SeededRandom, input: Uint8Array): Uint8Array {
  const [start, end] = someValue(random, input);
  const [innerStart, innerEnd] = within(random, [start, end]);
  const times = random.once(20) ? random.integer(NESTED_MAX) : 1 + random.integer(6);
  const before = input.subarray(start, innerStart);
  const behind = input.subarray(innerEnd, end);
  const core = Buffer.concat([
    Buffer.alloc(before.length * times, before),
    input.subarray(start, end),
    Buffer.alloc(behind.length * times, behind),
  ]);
  return replaced(input, [start, end], core);
}

function within(random: SeededRandom, [start, end]: Range): Range {
  const first = start + random.integer(end - start + 1);
  return [first, first + random.integer(end - first + 1)];
}

function someLine(random: SeededRandom, input: Uint8Array): Range {
  const at = random.integer(input.length);
  const start = input.lastIndexOf(NEWLINE, at) + 1;
  const found = input.indexOf(NEWLINE, start);
  return [start, found < 0 ? input.length : found + 1];
}

function withLineMoved(random: SeededRandom, input: Uint8Array): Uint8Array {
  const [start, end] = someLine(random, input);
  const [to] = someLine(random, input);
  return replaced(input, [to, to], input.subarray(start, end));
}

function withLineIndented(random: SeededRandom, input: Uint8Array): Uint8Array {
  const [start] = someLine(random, input);
  const deeper = ['  ', ' ', '- ', '\t', '? ', '&a ', '*a ', '!!str ', '|\n ', '# '];
  return replaced(input, [start, start], Buffer.from(deeper[random.integer(deeper.length)] ?? ' '));
}
