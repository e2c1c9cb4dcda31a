/**
 * What a target of the fuzzer is: bytes go through a decoder of the product as the server runs it,
 * and whatever comes out other than an answer or an error that the decoder is known to give is a
 * finding. A target says what is allowed; everything that it throws is reported.
 */

export interface FuzzTarget {
  /** Inputs that the decoder takes, or nearly: where the search begins. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Words of the format, which chance would not find. */
  readonly dictionary?: readonly string[];
  /** Largest input of the usual run, in bytes; 2048 unless said otherwise. */
  readonly bytesMax?: number;
  /** Largest input there can be for this decoder, tried now and then; `bytesMax` unless said. */
  readonly stretchedBytesMax?: number;
  /**
   * Runs the decoder and judges what it gave.
   * @throws whatever is no allowed outcome.
   */
  run(input: Uint8Array): void | Promise<void>;
}

/** A property that should hold of every input does not hold of this one. */
export class BrokenPropertyError extends Error {
  override readonly name = 'BrokenPropertyError';
}

/** @throws BrokenPropertyError when it does not hold. */
export function holds(condition: boolean, property: string): void {
  if (!condition) throw new BrokenPropertyError(property);
}

type ErrorClass = abstract new (...given: never[]) => Error;

const REFUSED = Symbol('refused');

/**
 * What `decode` gives, or undefined when it throws one of the errors that it is known to throw.
 * The class must be that very one: a RangeError is an Error too, and none that is meant.
 *
 * @throws everything else that is thrown.
 */
export function decodedBy<T>(allowed: readonly ErrorClass[], decode: () => T): T | undefined {
  const decoded = attempted(allowed, decode);
  return decoded === REFUSED ? undefined : decoded;
}

/** As {@link decodedBy}, of what is told later. */
export async function decodedLaterBy<T>(
  allowed: readonly ErrorClass[],
  decode: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await decode();
  } catch (error) {
    if (isOneOf(allowed, error)) return undefined;
    throw error;
  }
}

function attempted<T>(allowed: readonly ErrorClass[], decode: () => T): T | typeof REFUSED {
  try {
    return decode();
  } catch (error) {
    if (isOneOf(allowed, error)) return REFUSED;
    throw error;
  }
}

function isOneOf(allowed: readonly ErrorClass[], error: unknown): boolean {
  return error instanceof Error && allowed.some((one) => error.constructor === one);
}

/** The input as the text that Node would make of a body. */
export function textOf(input: Uint8Array): string {
  return bufferOf(input).toString();
}

/** The same bytes; a decoder that changed them would change the input of the next run. */
export function bufferOf(input: Uint8Array): Buffer {
  return Buffer.from(input.buffer, input.byteOffset, input.byteLength);
}

/**
 * One input for a decoder of several texts, parted by bytes that no UTF-8 has, so that chance
 * moves the borders as easily as it changes a letter.
 */
export function partsOf(input: Uint8Array, count: number): readonly string[] {
  const bytes = bufferOf(input);
  const parts: string[] = [];
  let start = 0;
  while (parts.length < count - 1) {
    const border = bytes.indexOf(PART_BORDER, start);
    if (border < 0) break;
    parts.push(bytes.subarray(start, border).toString());
    start = border + 1;
  }
  parts.push(bytes.subarray(start).toString());
  while (parts.length < count) parts.push('');
  return parts;
}

const PART_BORDER = 0xff;

/** A seed for {@link partsOf}. */
export function seedOfParts(...parts: readonly string[]): Uint8Array {
  const border = Buffer.of(PART_BORDER);
  return Buffer.concat(
    parts.flatMap((part, at) => [...(at === 0 ? [] : [border]), Buffer.from(part)]),
  );
}

const CLEAN_KEYS = Object.getOwnPropertyNames(Object.prototype).length;
const CLEAN_LIST_KEYS = Object.getOwnPropertyNames(Array.prototype).length;

/** @throws BrokenPropertyError when an input has reached what all objects inherit. */
export function prototypesAreUntouched(): void {
  const objects = Object.getOwnPropertyNames(Object.prototype).length;
  const lists = Object.getOwnPropertyNames(Array.prototype).length;
  holds(objects === CLEAN_KEYS, 'nothing is added to what all objects inherit');
  holds(lists === CLEAN_LIST_KEYS, 'nothing is added to what all lists inherit');
}
