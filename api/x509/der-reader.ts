/**
 * Reads DER, the encoding of certificates, front to back. Every read answers undefined where the bytes
 * are not what was asked for, and never looks beyond them.
 *
 * In Go: cryptobyte.String, golang.org/x/crypto/cryptobyte.
 */

/** Tags of ASN.1, as DER writes them. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A tag of a field that its place in a structure gives a meaning to. */
export function contextTag(number: number, isConstructed = false): number {
  return (isConstructed ? 0xa0 : 0x80) | number;
}

export interface DerElement {
  readonly tag: number;
  readonly contents: Buffer;
  /** With its tag and its length. */
  readonly whole: Buffer;
}

/** Tags of more than one byte do not occur in certificates. */
const LONG_TAG = 0x1f;
const LENGTH_BYTES_MAX = 4;

export class DerReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Whether the next element has this tag. */
  sees(tag: number): boolean {
    return this.#bytes[this.#at] === tag;
  }

  readAny(): DerElement | undefined {
    const tag = this.#bytes[this.#at];
    const header = this.#header();
    if (tag === undefined || header === undefined) return undefined;
    const start = this.#at;
    const end = start + header.bytes + header.length;
    if (end > this.#bytes.length) return undefined;
    this.#at = end;
    const whole = this.#bytes.subarray(start, end);
    return { tag, whole, contents: whole.subarray(header.bytes) };
  }

  /** The contents. */
  read(tag: number): Buffer | undefined {
    return this.readElement(tag)?.contents;
  }

  readElement(tag: number): DerElement | undefined {
    return this.sees(tag) ? this.readAny() : undefined;
  }

  /** A reader of the contents. */
  enter(tag: number): DerReader | undefined {
    const contents = this.read(tag);
    return contents === undefined ? undefined : new DerReader(contents);
  }

  readBoolean(): boolean | undefined {
    const contents = this.read(TAG.boolean);
    if (contents?.length !== 1) return undefined;
    if (contents[0] === 0xff) return true;
    return contents[0] === 0 ? false : undefined;
  }

  readInteger(tag: number = TAG.integer): bigint | undefined {
    const contents = this.read(tag);
    return contents === undefined ? undefined : integerOf(contents);
  }

  /** `2.5.29.17` */
  readObjectIdentifier(): string | undefined {
    const contents = this.read(TAG.objectIdentifier);
    return contents === undefined ? undefined : objectIdentifierOf(contents);
  }

  readBits(): DerBits | undefined {
    const contents = this.read(TAG.bitString);
    const [padding] = contents ?? [];
    if (contents === undefined || padding === undefined || padding > 7) return undefined;
    const bytes = contents.subarray(1);
    const last = bytes.at(-1);
    if (last === undefined) return padding === 0 ? { bytes, padding } : undefined;
    return (last & ((1 << padding) - 1)) === 0 ? { bytes, padding } : undefined;
  }

  /** Of the element that is next: in the fewest bytes, as DER has it. */
  #header(): { readonly bytes: number; readonly length: number } | undefined {
    const tag = this.#bytes[this.#at];
    const first = this.#bytes[this.#at + 1];
    if (tag === undefined || first === undefined || (tag & LONG_TAG) === LONG_TAG) return undefined;
    if (first < 0x80) return { bytes: 2, length: first };
    const count = first & 0x7f;
    const start = this.#at + 2;
    if (count === 0 || count > LENGTH_BYTES_MAX || start + count > this.#bytes.length) {
      return undefined;
    }
    const length = this.#bytes.readUIntBE(start, count);
    const isShortest = length >= 0x80 && this.#bytes[start] !== 0;
    return isShortest ? { bytes: 2 + count, length } : undefined;
  }
}

export interface DerBits {
  readonly bytes: Buffer;
  /** How many bits of the last byte do not count. */
  readonly padding: number;
}

/** The bits as a number that is as long as its bytes: what does not count is shifted out. */
export function rightAligned({ bytes, padding }: DerBits): Buffer {
  if (padding === 0) return bytes;
  return Buffer.from(
    bytes.map((byte, index) => {
      const before = index === 0 ? 0 : (bytes[index - 1] ?? 0);
      return ((before << (8 - padding)) | (byte >> padding)) & 0xff;
    }),
  );
}

function integerOf(contents: Buffer): bigint | undefined {
  const [first, second = 0] = contents;
  if (first === undefined) return undefined;
  const isPadded = (first === 0 && second < 0x80) || (first === 0xff && second >= 0x80);
  if (contents.length > 1 && isPadded) return undefined;
  return BigInt.asIntN(contents.length * 8, BigInt(`0x${contents.toString('hex')}`));
}

/** One arc has at most so many bytes. */
const ARC_BYTES_MAX = 5;
const ARC_MAX = 2 ** 31;

function objectIdentifierOf(contents: Buffer): string | undefined {
  const arcs: number[] = [];
  let arc = 0;
  let bytes = 0;
  for (const byte of contents) {
    if (bytes === 0 && byte === 0x80) return undefined;
    bytes += 1;
    arc = arc * 0x80 + (byte & 0x7f);
    if (bytes > ARC_BYTES_MAX || arc >= ARC_MAX) return undefined;
    if (byte >= 0x80) continue;
    if (arcs.length > 0) arcs.push(arc);
    else arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)));
    arc = 0;
    bytes = 0;
  }
  return bytes > 0 || arcs.length === 0 ? undefined : arcs.join('.');
}
