/**
 * The bytes of an object as they are served: those in the log, with its resourceVersion put in behind `metadata.uid`. No
 * object is parsed for it, but for one that was written without a uid in its usual place.
 */
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import { objectAt, type JsonObject } from '../../api/json/json.ts';
import type { StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

// Nothing before it can hold these bytes: quotes inside names are escaped.
const UID_KEY = Buffer.from('"uid":"');
const VERSION_KEY = ',"resourceVersion":"';
const QUOTE = 0x22;
/** Stands behind the bytes of each object. */
export const NEWLINE = Buffer.from('\n');

/**
 * A newline stands behind these bytes in their memory.
 *
 * @param version any text in a dry run, which shows what its client said.
 * @param target where they go, if they fit; else into memory of their own.
 */
export function withResourceVersion(
  json: Uint8Array,
  version: ResourceVersion | string,
  target?: Buffer,
): Buffer {
  const bytes = asBuffer(json);
  const cut = placeOfVersion(bytes);
  if (cut === undefined) return rewritten(bytes, version);
  const inset = insetOf(version);
  const insetBytes = typeof version === 'number' ? inset.length : Buffer.byteLength(inset);
  const length = bytes.length + insetBytes;
  const lineLength = length + NEWLINE.length;
  // Not out of a pool: an object that lives long would keep all that were made beside it.
  const line =
    target !== undefined && target.length >= lineLength
      ? target
      : Buffer.allocUnsafeSlow(lineLength);
  bytes.copy(line, 0, 0, cut);
  line.write(inset, cut);
  bytes.copy(line, cut + insetBytes, cut);
  NEWLINE.copy(line, length);
  return Buffer.from(line.buffer, line.byteOffset, length);
}

/**
 * Whether these bytes of an object without resourceVersion are what is stored already; they are not
 * where it is stored in another form.
 */
export function isSameState(object: StoredObject, json: Uint8Array): boolean {
  if (object.isRestated === true || object.isStale === true) return false;
  const added = VERSION_KEY.length + String(object.resourceVersion).length + 1;
  if (object.json.length !== json.length + added) return false;
  const [bytes, stored] = [asBuffer(json), object.json];
  const cut = placeOfVersion(bytes);
  if (cut === undefined) return rewritten(bytes, object.resourceVersion).equals(stored);
  // The end first: that is where objects differ.
  const isSameEnd = bytes.compare(stored, cut + added, stored.length, cut) === 0;
  return isSameEnd && bytes.compare(stored, 0, cut, 0, cut) === 0;
}

function insetOf(version: ResourceVersion | string): string {
  const text = typeof version === 'number' ? String(version) : formatJson(version).slice(1, -1);
  return `${VERSION_KEY}${text}"`;
}

/** Behind the uid; undefined where there is none. */
function placeOfVersion(bytes: Buffer): number | undefined {
  const uid = bytes.indexOf(UID_KEY);
  return uid < 0 ? undefined : bytes.indexOf(QUOTE, uid + UID_KEY.length) + 1;
}

/** `metadata.uid`, found without parsing the object; '' where there is none. */
export function uidOf({ json }: Pick<StoredObject, 'json'>): string {
  const end = placeOfVersion(json);
  if (end === undefined) return '';
  return json.toString('utf8', json.indexOf(UID_KEY) + UID_KEY.length, end - 1);
}

/** The same memory, with the methods of Node. */
export function asBuffer(json: Uint8Array): Buffer {
  return Buffer.isBuffer(json) ? json : Buffer.from(json.buffer, json.byteOffset, json.byteLength);
}

/** The bytes of an object as they lie in the log. */
export function withoutResourceVersion(object: StoredObject): Buffer {
  const inset = insetOf(object.resourceVersion);
  const at = object.json.indexOf(inset);
  return Buffer.concat([object.json.subarray(0, at), object.json.subarray(at + inset.length)]);
}

/** For objects that another writer put into the log without a uid in its usual place. */
function rewritten(bytes: Buffer, version: ResourceVersion | string): Buffer {
  const value = parseJson(bytes.toString()) as JsonObject;
  const metadata = { ...objectAt(value, 'metadata'), resourceVersion: String(version) };
  const line = Buffer.from(`${formatJson({ ...value, metadata })}\n`);
  return line.subarray(0, -NEWLINE.length);
}
