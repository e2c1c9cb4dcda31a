/**
 * A CustomResourceDefinition without its schemas, which are nearly all of it: what every reader looks
 * at but by readers of its objects. Two thousand definitions are looked at so at every start.
 *
 * The surprise is that the schemas are not even read: they are cut out of the bytes, as are the
 * fields that managers own. Bytes in which they are not found, because another client wrote them in
 * a form of his own, are read whole.
 */
import type { CustomResourceDefinition } from '../../api/generated/kinds/apiextensions-v1.ts';
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import type { ObjectMeta, ObjectOf } from '../../api/meta/object-meta.ts';
import { bytesOf, parsedObject } from '../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../streams/event.ts';

/** In a text the quote behind the name would be escaped, so these are keys wherever they stand. */
const CUT = ['"openAPIV3Schema":{', '"fieldsV1":{'].map((key) => Buffer.from(key));
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** So many that were looked at last are remembered, for all that hear of one change. */
const HEADS_MAX = 64;
const heads = new BoundedMap<StoredObject, ObjectOf<CustomResourceDefinition>>(HEADS_MAX);

/**
 * The definition with `{}` in the place of each schema and of each manager's fields. It is shared,
 * and not to be changed.
 */
export function definitionHead(stored: StoredObject): ObjectOf<CustomResourceDefinition> {
  const known = heads.get(stored);
  if (known !== undefined) return known;
  const { resource, path } = stored;
  const json = Buffer.from(headOf(bytesOf(stored)));
  const head = parsedObject({ resource, path, json }) as ObjectOf<CustomResourceDefinition>; // Of one.
  const resourceVersion = String(stored.resourceVersion);
  const read = { ...head, metadata: { ...head.metadata, resourceVersion } };
  heads.set(stored, read);
  return read;
}

/** What a writer of the status sends: what is not known here is left as it is. */
export function sentMetadata({ metadata }: CustomResourceDefinition): ObjectMeta {
  const { managedFields: _, ...rest } = metadata;
  return rest;
}

function headOf(bytes: Buffer): string {
  const next = CUT.map((key) => bytes.indexOf(key));
  let text = '';
  let from = 0;
  for (;;) {
    // Each key is looked for once behind where it was found, not from every cut on.
    for (const [index, key] of CUT.entries()) {
      const at = next[index] ?? -1;
      if (at >= 0 && at < from) next[index] = bytes.indexOf(key, from);
    }
    const found = firstOf(next);
    if (found === undefined) return text + bytes.toString('utf8', from);
    const start = bytes.indexOf(OPEN, found);
    text += `${bytes.toString('utf8', from, start)}{}`;
    from = endOfObject(bytes, start);
  }
}

/** The least that was found. */
function firstOf(places: readonly number[]): number | undefined {
  let first: number | undefined;
  for (const at of places) {
    if (at >= 0 && (first === undefined || at < first)) first = at;
  }
  return first;
}

/** @param start where its brace is. */
function endOfObject(bytes: Buffer, start: number): number {
  let depth = 0;
  let isText = false;
  for (let index = start; index < bytes.length; index++) {
    const byte = bytes[index];
    if (isText) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return index + 1;
  }
  return bytes.length;
}
