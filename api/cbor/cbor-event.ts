/** An event of a watch as an item of a sequence of CBOR, around an object that is written already. */
import type { JsonObject } from '../json/json.ts';
import { writeCbor } from './cbor-writer.ts';

/** A map of two: the head of it, and the type. What comes behind its last byte is the object. */
const heads = new Map<string, Buffer>();

/** @param object as {@link writeCbor} gives it. */
export function cborEvent(type: string, object: Buffer): Buffer {
  return Buffer.concat([headOf(type), object]);
}

function headOf(type: string): Buffer {
  let head = heads.get(type);
  if (head === undefined) {
    const empty: JsonObject = { type, object: null };
    // Without the null.
    head = writeCbor(empty).subarray(0, -1);
    heads.set(type, head);
  }
  return head;
}
