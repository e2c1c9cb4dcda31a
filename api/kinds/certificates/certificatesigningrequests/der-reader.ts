/** The outer shape of what ASN.1 encodes: a tag, a length, and what is inside. */

export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  /** With its tag and its length, as it was signed. */
  readonly whole: Buffer;
}

const LENGTH_BYTES_MAX = 4;

/** The values that stand one after another in `bytes`; undefined when they do not end there. */
export function derValuesIn(bytes: Buffer): DerValue[] | undefined {
  const values: DerValue[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const value = derValueAt(bytes, offset);
    if (value === undefined) return undefined;
    values.push(value);
    offset += value.whole.length;
  }
  return values;
}

function derValueAt(bytes: Buffer, offset: number): DerValue | undefined {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > LENGTH_BYTES_MAX) return undefined;
  const start = offset + 2 + lengthBytes;
  if (start > bytes.length) return undefined;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(offset + 2, lengthBytes);
  const end = start + length;
  if (end > bytes.length) return undefined;
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(offset, end) };
}

/** `1.2.840.113549.1.1.11` of the content of an object identifier. */
export function objectIdentifierOf(content: Buffer): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    if (numbers.length === 0) {
      const root = Math.min(Math.floor(value / 40), 2);
      numbers.push(root, value - root * 40);
    } else numbers.push(value);
    value = 0;
  }
  return numbers.join('.');
}
