/**
 * Objects as their writers left them: the bytes read as JSON, and the labels found in them without reading the rest. What
 * their types have beside that is put in by stored-object.ts.
 */
import { parseJson } from '../../api/json/json-text.ts';
import { isJsonObject, objectAt, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import type { StringMap } from '../../api/meta/object-meta.ts';
import type { StoredObject } from '../../streams/event.ts';
import { keyBytes, valueUnder } from './json-bytes.ts';
import { metadataBytes } from './metadata-bytes.ts';
import { parseStored } from './raw-resources.ts';
import { asBuffer } from './served-bytes.ts';

/** The bytes of an object, with or without its resourceVersion, and where it lies. */
export type WrittenObject = Pick<StoredObject, 'resource' | 'path'> & { readonly json: Uint8Array };

const KEYS_OF_LABELS = [keyBytes('metadata'), keyBytes('labels')];
/** An object without labels has none of these, unless they stand elsewhere in it. */
const SIGNS_OF_LABELS = ['"labels"', '\\u'];

/** The object as its writer left it, which its type may have outgrown; see `parsedObject`. */
export function parsedAsWritten(object: WrittenObject): JsonObject {
  return jsonObjectOf(parseStored(object.resource, asBuffer(object.json).toString()), object);
}

/** The value that was read of the object's bytes. @throws Error it is none. */
export function jsonObjectOf(value: JsonValue, { path }: WrittenObject): JsonObject {
  if (!isJsonObject(value)) throw new Error(`not an object in the log: ${path}`);
  return value;
}

/** The object's labels, read of as few bytes as hold them, where the server has written them in their place. */
export function labelsOf(object: WrittenObject): StringMap | undefined {
  const json = asBuffer(object.json);
  if (!SIGNS_OF_LABELS.some((sign) => json.includes(sign))) return undefined;
  const labels = valueUnder(json, KEYS_OF_LABELS);
  if (labels !== undefined) return labelsAmong({ labels: parseJson(labels.toString()) });
  const metadata = metadataBytes(json);
  return metadata === undefined
    ? labelsAmong(objectAt(parsedAsWritten(object), 'metadata'))
    : labelsAmong(parseJson(metadata.toString()) as JsonObject); // It begins and ends as an object.
}

function labelsAmong(metadata: JsonObject | undefined): StringMap | undefined {
  return objectAt(metadata, 'labels') as StringMap | undefined; // Validated before it was stored.
}
