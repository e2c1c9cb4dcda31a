/**
 * Changes to protobuf messages, and to what is built like them: fields are taken out, repeated,
 * renumbered and changed from within, and the lengths of all that encloses them are written anew.
 */
import { replaced, someRange, type MutationSource } from './mutation-source.ts';
import type { SeededRandom } from './seeded-random.ts';

interface Field {
  readonly start: number;
  /** Behind the tag and the length. */
  readonly content: number;
  readonly end: number;
  readonly hasLength: boolean;
}

const DEPTH_MAX = 12;
/** `k8s\0` stands in front of the envelope. */
const MAGIC = Buffer.from('k8s\0', 'latin1');

export function someMessageChange(source: MutationSource, input: Uint8Array): Uint8Array {
  if (!MAGIC.equals(input.subarray(0, MAGIC.length)))
    return changedWithin(source, input, DEPTH_MAX);
  const envelope = changedWithin(source, input.subarray(MAGIC.length), DEPTH_MAX);
  return Buffer.concat([MAGIC, envelope]);
}

function changedWithin(source: MutationSource, bytes: Uint8Array, depth: number): Uint8Array {
  const { random } = source;
  const fields = fieldsOf(bytes);
  const field = fields[random.integer(fields.length)];
  if (field === undefined) return withOtherBytes(random, bytes);
  const whole = [field.start, field.end] as const;
  if (field.hasLength && depth > 0 && !random.once(4)) {
    const content = changedWithin(source, bytes.subarray(field.content, field.end), depth - 1);
    return replaced(bytes, whole, withLength(bytes[field.start] ?? 0, content));
  }
  switch (random.integer(5)) {
    case 0:
      return replaced(bytes, whole, Buffer.alloc(0));
    case 1:
      return replaced(bytes, [field.end, field.end], bytes.subarray(field.start, field.end));
    case 2:
      return replaced(bytes, [field.start, field.start + 1], Buffer.of(random.integer(256)));
    case 3: {
      const other = source.other();
      const others = fieldsOf(other);
      const one = others[random.integer(others.length)];
      return one === undefined ? bytes : replaced(bytes, whole, other.subarray(one.start, one.end));
    }
    default:
      return replaced(
        bytes,
        [field.content, field.end],
        withOtherBytes(random, bytes.subarray(field.content, field.end)),
      );
  }
}

function withOtherBytes(random: SeededRandom, bytes: Uint8Array): Uint8Array {
  const some = Uint8Array.from({ length: random.integer(6) }, () => random.integer(256));
  return replaced(bytes, someRange(random, bytes.length, 8), some);
}

/** Tags of one byte only, which is most of them. */
function withLength(tag: number, content: Uint8Array): Uint8Array {
  const head = [tag];
  let rest = content.length;
  for (; rest >= 0x80; rest >>>= 7) head.push((rest & 0x7f) | 0x80);
  head.push(rest);
  return Buffer.concat([Uint8Array.from(head), content]);
}

/** The fields from the beginning on, as far as the bytes are a message. */
function fieldsOf(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  for (let start = 0; start < bytes.length && fields.length < 64;) {
    const field = fieldAt(bytes, start);
    if (field === undefined || field.end > bytes.length) break;
    fields.push(field);
    start = field.end;
  }
  return fields;
}

function fieldAt(bytes: Uint8Array, start: number): Field | undefined {
  const tag = bytes[start] ?? 0;
  if (tag >= 0x80 || tag < 8) return undefined;
  const content = start + 1;
  switch (tag & 7) {
    case 0: {
      let end = content;
      while ((bytes[end] ?? 0) >= 0x80) end += 1;
      return { start, content, end: end + 1, hasLength: false };
    }
    case 1:
      return { start, content, end: content + 8, hasLength: false };
    case 5:
      return { start, content, end: content + 4, hasLength: false };
    case 2: {
      let length = 0;
      let at = content;
      let shift = 0;
      for (; (bytes[at] ?? 0) >= 0x80 && shift < 21; at += 1, shift += 7) {
        length |= ((bytes[at] ?? 0) & 0x7f) << shift;
      }
      length |= (bytes[at] ?? 0) << shift;
      return { start, content: at + 1, end: at + 1 + length, hasLength: true };
    }
    default:
      return undefined;
  }
}
