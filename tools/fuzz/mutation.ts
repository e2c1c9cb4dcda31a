/**
 * Makes a new input of old ones. Half of the changes know nothing: bits, bytes, ranges. The others
 * know how texts and messages are built: words of the format, values within brackets, lines,
 * fields with a length in front. The lengths of a changed message are set right again, or nothing
 * behind the first would ever be reached.
 */
import { someMessageChange } from './message-mutation.ts';
import { replaced, someRange, type MutationSource } from './mutation-source.ts';
import { someTextChange } from './text-mutation.ts';

type Change = (source: MutationSource, input: Uint8Array) => Uint8Array;

const STACKED_MAX = 5;
const ODD_BYTES = [0, 1, 0x09, 0x0a, 0x20, 0x22, 0x2d, 0x30, 0x5c, 0x7f, 0x80, 0xc0, 0xfe, 0xff];
const ODD_NUMBERS = [
  '0', '-0', '-1', '1e999', '9007199254740993', '9223372036854775807', '-9223372036854775808',
  '18446744073709551616', '2147483648', '0.1', '1e-7', '00', '0x10', 'NaN', '1_000',
].map((text) => Buffer.from(text)); // prettier-ignore

const CHANGES: readonly Change[] = [
  flippedBit,
  changedByte,
  oddByte,
  withoutRange,
  repeatedRange,
  movedRange,
  withWord,
  withWord,
  withWordInstead,
  withNumber,
  splicedWith,
  splicedWith,
  someTextChange,
  someTextChange,
  someTextChange,
  someMessageChange,
];

/** One to some changes, one behind the other; at most `bytesMax` long. */
export function mutated(source: MutationSource, input: Uint8Array): Uint8Array {
  const { random, bytesMax } = source;
  let result = input;
  for (let left = 1 + random.integer(STACKED_MAX); left > 0; left -= 1) {
    const change = CHANGES[random.integer(CHANGES.length)] ?? flippedBit;
    result = change(source, result);
    if (result.length > bytesMax) result = result.subarray(0, bytesMax);
  }
  return result;
}

/** A part of the input again and again, up to `bytesMax`: what is nested deep, or very long. */
export function stretched({ random, bytesMax }: MutationSource, input: Uint8Array): Uint8Array {
  const [start, end] = someRange(random, input.length, 24);
  const times = 1 << random.integer(1 + Math.ceil(Math.log2(bytesMax)));
  const part = input.subarray(start, end);
  const space = Math.max(0, bytesMax - input.length);
  const count = part.length === 0 ? 0 : Math.min(times, Math.floor(space / part.length));
  const middle = Buffer.alloc(count * part.length, part);
  return Buffer.concat([input.subarray(0, end), middle, input.subarray(end)]);
}

function flippedBit({ random }: MutationSource, input: Uint8Array): Uint8Array {
  const at = random.integer(input.length);
  const result = Uint8Array.from(input);
  result[at] = (result[at] ?? 0) ^ (1 << random.integer(8));
  return result;
}

function changedByte({ random }: MutationSource, input: Uint8Array): Uint8Array {
  const result = Uint8Array.from(input);
  if (input.length > 0) result[random.integer(input.length)] = random.integer(256);
  return result;
}

function oddByte({ random }: MutationSource, input: Uint8Array): Uint8Array {
  const at = random.integer(input.length + 1);
  const byte = ODD_BYTES[random.integer(ODD_BYTES.length)] ?? 0;
  return replaced(
    input,
    [at, at + random.integer(Math.min(2, input.length - at + 1))],
    Buffer.of(byte),
  );
}

function withoutRange({ random }: MutationSource, input: Uint8Array): Uint8Array {
  return replaced(input, someRange(random, input.length), Buffer.alloc(0));
}

function repeatedRange({ random }: MutationSource, input: Uint8Array): Uint8Array {
  const [start, end] = someRange(random, input.length, 64);
  const part = input.subarray(start, end);
  const times = 1 + random.integer(8);
  return replaced(input, [end, end], Buffer.alloc(part.length * times, part));
}

function movedRange({ random }: MutationSource, input: Uint8Array): Uint8Array {
  const [start, end] = someRange(random, input.length, 64);
  const at = random.integer(input.length + 1);
  return replaced(input, [at, at], input.subarray(start, end));
}

function withWord(source: MutationSource, input: Uint8Array): Uint8Array {
  const at = source.random.integer(input.length + 1);
  return replaced(input, [at, at], someWord(source));
}

function withWordInstead(source: MutationSource, input: Uint8Array): Uint8Array {
  return replaced(input, someRange(source.random, input.length, 16), someWord(source));
}

function someWord({ random, dictionary }: MutationSource): Uint8Array {
  return dictionary[random.integer(dictionary.length)] ?? Buffer.of(random.integer(256));
}

/** In place of digits, where there are any. */
function withNumber({ random }: MutationSource, input: Uint8Array): Uint8Array {
  const number = ODD_NUMBERS[random.integer(ODD_NUMBERS.length)] ?? Buffer.of(0x30);
  const from = random.integer(input.length);
  const isDigit = (at: number) => (input[at] ?? 0) >= 0x30 && (input[at] ?? 0) <= 0x39;
  let start = from;
  while (start < input.length && !isDigit(start)) start += 1;
  let end = start;
  while (isDigit(end)) end += 1;
  return replaced(input, start === end ? [from, from] : [start, end], number);
}

function splicedWith(source: MutationSource, input: Uint8Array): Uint8Array {
  const other = source.other();
  const { random } = source;
  const [start, end] = someRange(random, other.length);
  if (random.once(2))
    return replaced(input, someRange(random, input.length), other.subarray(start, end));
  return Buffer.concat([
    input.subarray(0, random.integer(input.length + 1)),
    other.subarray(start),
  ]);
}
