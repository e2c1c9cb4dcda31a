/**
 * From the bytes in the log to the bytes that are served: the same, with the position put in.
 *
 * An object in the log says nothing of its resourceVersion, since the position is the version.
 * Clients want to read it, so it is spliced in once, behind `metadata.uid`, where Kubernetes
 * writes it; get, list and watch then share these bytes.
 */
import { type Parts, readInParts, slicesOf } from '../../api/json/json-parts.ts';
import { formatJson, isReadExactly, parseJson } from '../../api/json/json-text.ts';
import { isJsonObject, objectAt, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { undivided } from '../../api/json/work-in-slices.ts';
import { writtenKubeObject, type KubeObject, type StringMap } from '../../api/meta/object-meta.ts';
import type { LoggedEvent, StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { declaredForm } from './declared-form.ts';
import { parseStored, RAW_RESOURCES } from './raw-resources.ts';

// Nothing before it can hold these bytes: quotes inside names are escaped.
const UID_KEY = Buffer.from('"uid":"');
const VERSION_KEY = ',"resourceVersion":"';
const QUOTE = 0x22;
const NEWLINE = Buffer.from('\n');
const NOTHING = Buffer.alloc(0);
/** Bytes that are a part of a larger block than this are copied out of it. */
const SHARED_BYTES_MAX = 64 * 1024;

class ServedObject implements StoredObject {
  readonly resource: string;
  readonly path: string;
  readonly resourceVersion: ResourceVersion;
  /** Of the bytes in the log. */
  readonly sizeBytes: number;
  readonly isStale: boolean;
  /** As logged until it is first read: most of what a fold passes by never is. */
  #logged: Uint8Array | undefined;
  #json: Buffer | undefined;
  #labels: StringMap | undefined;
  #labelsKnown: boolean;

  constructor(event: LoggedEvent) {
    this.resource = event.resource;
    this.path = event.path;
    this.resourceVersion = event.resourceVersion;
    // A part of what was fetched at once would keep all of that for as long as the object lives.
    const isShared = event.json.buffer.byteLength > Math.max(SHARED_BYTES_MAX, event.json.length);
    this.#logged = isShared ? new Uint8Array(event.json) : event.json;
    this.sizeBytes = event.json.length;
    this.isStale = event.isStale === true;
    this.#labels = event.labels === undefined || isEmpty(event.labels) ? undefined : event.labels;
    this.#labelsKnown = event.labels !== undefined;
  }

  /** A view of the same bytes, of which {@link line} sees one more. */
  get json(): Buffer {
    if (this.#json === undefined) {
      this.#json = withResourceVersion(this.#logged ?? NOTHING, this.resourceVersion);
      this.#logged = undefined;
    }
    return this.#json;
  }

  get line(): Buffer {
    const { buffer, byteOffset, length } = this.json;
    return Buffer.from(buffer, byteOffset, length + NEWLINE.length);
  }

  /** With or without the resourceVersion: whatever is at hand. */
  get bytes(): Uint8Array {
    return this.#logged ?? this.#json ?? NOTHING;
  }

  get labels(): StringMap | undefined {
    if (!this.#labelsKnown) {
      this.#labels = labelsOf(parsedAsWritten(this));
      this.#labelsKnown = true;
    }
    return this.#labels;
  }
}

/** The object as this event leaves it. */
export function storedObject(event: LoggedEvent): StoredObject {
  return new ServedObject(event);
}

/** About how many bytes the object has, which are not made for it. */
export function sizeOf(object: StoredObject): number {
  return object instanceof ServedObject ? object.sizeBytes : object.json.length;
}

/**
 * The object's JSON as it is at hand, with or without its resourceVersion, for searches
 * through many objects for a few: nothing is made for it, and it may be shared with the log.
 */
export function bytesOf(object: StoredObject): Buffer {
  return asBuffer(object instanceof ServedObject ? object.bytes : object.json);
}

/** The object's JSON and a newline, as Go's encoder ends it; nothing is copied for a kept object. */
export function lineOf(object: StoredObject): Buffer {
  return object instanceof ServedObject ? object.line : Buffer.concat([object.json, NEWLINE]);
}

/** The same state under a later version: what a watcher is told when an object goes out of its sight. */
export function asOfVersion(object: StoredObject, resourceVersion: ResourceVersion): StoredObject {
  const { resource, path, labels } = object;
  const json = withResourceVersion(withoutResourceVersion(object), resourceVersion);
  return { resource, path, resourceVersion, labels, json };
}

/** The bytes of an object, with or without its resourceVersion, and where it lies. */
export type WrittenObject = Pick<StoredObject, 'resource' | 'path'> & { readonly json: Uint8Array };

/**
 * The object, read: of a built-in kind with all that its type always has. A new one at each call, so
 * the caller may change it.
 *
 * @throws Error when there is no object in the log; writers put none there that has no metadata.
 */
export function parsedObject(object: WrittenObject): KubeObject {
  return writtenKubeObject(undivided(() => declaredForm(object.resource, parsedAsWritten(object))));
}

/** As {@link parsedObject}, of a large object, with others having their turn in between. */
export function* parsedInParts(object: WrittenObject): Parts<KubeObject> {
  const text = asBuffer(object.json).toString();
  const isExact = isReadExactly(text) && !RAW_RESOURCES.has(object.resource);
  yield;
  if (!isExact) return parsedObject(object);
  const { value } = yield* readInParts(text);
  const written = objectOf(value, object);
  return writtenKubeObject(yield* slicesOf(() => declaredForm(object.resource, written)));
}

/** The object as its writer left it, which its type may have outgrown; see {@link parsedObject}. */
export function parsedAsWritten(object: WrittenObject): JsonObject {
  return objectOf(parseStored(object.resource, asBuffer(object.json).toString()), object);
}

function objectOf(value: JsonValue, { path }: WrittenObject): JsonObject {
  if (!isJsonObject(value)) throw new Error(`not an object in the log: ${path}`);
  return value;
}

/**
 * A newline stands behind these bytes in their memory.
 *
 * @param version any text in a dry run, which shows what its client said.
 */
export function withResourceVersion(json: Uint8Array, version: ResourceVersion | string): Buffer {
  const bytes = asBuffer(json);
  const cut = placeOfVersion(bytes);
  if (cut === undefined) return rewritten(bytes, version);
  const inset = insetOf(version);
  const insetBytes = typeof version === 'number' ? inset.length : Buffer.byteLength(inset);
  const length = bytes.length + insetBytes;
  // Not out of a pool: an object that lives long would keep all that were made beside it.
  const { buffer } = Buffer.allocUnsafeSlow(length + NEWLINE.length);
  const served = Buffer.from(buffer, 0, length);
  bytes.copy(served, 0, 0, cut);
  served.write(inset, cut);
  bytes.copy(served, cut + insetBytes, cut);
  NEWLINE.copy(Buffer.from(buffer, length));
  return served;
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

function asBuffer(json: Uint8Array): Buffer {
  return Buffer.from(json.buffer, json.byteOffset, json.byteLength);
}

function withoutResourceVersion(object: StoredObject): Buffer {
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

function isEmpty(labels: StringMap): boolean {
  for (const _ in labels) return false;
  return true;
}

function labelsOf(object: JsonObject): StringMap | undefined {
  const labels = objectAt(objectAt(object, 'metadata'), 'labels');
  return labels as StringMap | undefined; // Validated before it was stored.
}
