/**
 * From the bytes in the log to the bytes that are served: the same, with the position put in.
 *
 * An object in the log says nothing of its resourceVersion, since the position is the version.
 * Clients want to read it, so it is spliced in once, behind `metadata.uid`, where Kubernetes
 * writes it; get, list and watch then share these bytes.
 */
import { type Parts, readInParts, slicesOf } from '../../api/json/json-parts.ts';
import { isReadExactly } from '../../api/json/json-text.ts';
import { undivided } from '../../api/json/work-in-slices.ts';
import { writtenKubeObject, type KubeObject, type StringMap } from '../../api/meta/object-meta.ts';
import type { LoggedEvent, StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { declaredForm } from './declared-form.ts';
import { UNREAD, type KnownLabels } from './label-index.ts';
import { RAW_RESOURCES } from './raw-resources.ts';
import { type Kept, NOWHERE } from './recently-used.ts';
import { asBuffer, NEWLINE, withoutResourceVersion, withResourceVersion } from './served-bytes.ts';
import { jsonObjectOf, labelsOf, parsedAsWritten, type WrittenObject } from './written-object.ts';

/** Bytes that are a part of a larger block than this are copied out of it. */
const SHARED_BYTES_MAX = 64 * 1024;

/** Where the bytes of objects are read, again and again where memory lets go of them. See warm-objects.ts. */
export interface ObjectSource {
  /** The record that made an object what it is. @throws Error it is not in the log any more. */
  recordAt(version: ResourceVersion): LoggedEvent;
  /** The bytes in that record, valid until more is read. Left out, or undefined: the record has to be asked. */
  jsonAt?(version: ResourceVersion): Uint8Array | undefined;
  /** Whether one more may keep its bytes that is read only in passing. */
  readonly hasRoom: boolean;
  /** The object has read its bytes, and has them until it is told to let go of them. */
  warmed(object: Kept): void;
}

/** The bytes are those that are served, and not those in the log. */
const SERVED = 1;
/** The labels are known. */
const LABELLED = 2;
/** What stands in the record beside the bytes is known. */
const READ = 4;
const STALE = 8;
const USED = 16;
/** A list of many has read it, and it was not kept. */
const PASSED = 32;

/** There may be a million of them: what is a flag here would be eight bytes as a field. */
class ServedObject implements StoredObject, Kept, Unread, MadeInPassing {
  readonly resource: string;
  readonly path: string;
  resourceVersion: ResourceVersion;
  place = NOWHERE;
  readonly #source: ObjectSource | undefined;
  #flags = 0;
  #sizeBytes = 0;
  /** As logged until it is first shown: most of what a fold passes by never is. */
  #bytes: Uint8Array | undefined;
  #labels: StringMap | undefined;

  constructor(
    { resource, path }: Pick<StoredObject, 'resource' | 'path'>,
    version: ResourceVersion,
    source: ObjectSource | undefined,
  ) {
    this.resource = resource;
    this.path = path;
    this.resourceVersion = version;
    this.#source = source;
  }

  /** Whether its bytes are in memory as they are served. */
  get isMade(): boolean {
    return (this.#flags & SERVED) !== 0;
  }

  /** Keeps what the record says. */
  keep(event: LoggedEvent): Uint8Array {
    const { json, labels, isStale } = event;
    this.#learn(json.length, isStale === true);
    // A part of what was fetched at once would keep all of that for as long as the object lives.
    const isShared = json.buffer.byteLength > Math.max(SHARED_BYTES_MAX, json.length);
    const bytes = isShared ? new Uint8Array(json) : json;
    this.#bytes = bytes;
    if (labels !== undefined) this.#label(isEmpty(labels) ? undefined : labels);
    this.#source?.warmed(this);
    return bytes;
  }

  /** A view of the same bytes, of which {@link line} sees one more. */
  get json(): Buffer {
    this.#flags |= USED;
    // What was made below, and the very same one, by which others remember it.
    if ((this.#flags & SERVED) !== 0) return this.#bytes as Buffer;
    const borrowed = this.#bytes === undefined ? this.#borrowed() : undefined;
    if (borrowed === undefined) {
      const bytes = this.#bytes ?? this.keep(this.#record());
      return this.#serve(withResourceVersion(bytes, this.resourceVersion));
    }
    const served = this.#serve(withResourceVersion(borrowed, this.resourceVersion));
    this.#source?.warmed(this);
    return served;
  }

  /** Bytes that are there as they were logged stay so: to serve those of a list of many has V8 mark all objects, some milliseconds for each. */
  passingJson({ target, mayKeep }: Passing): Buffer {
    const isAgain = (this.#flags & PASSED) !== 0;
    const isThere = this.#bytes !== undefined;
    const isKept = mayKeep && (isThere || (isAgain && this.#source?.hasRoom !== false));
    if (isKept || (this.#flags & SERVED) !== 0) return this.json;
    this.#flags |= isThere ? USED : PASSED;
    const json = this.#bytes ?? this.#borrowed() ?? this.#record().json;
    return withResourceVersion(json, this.resourceVersion, target);
  }

  /** See {@link renewed}. */
  renew(version: ResourceVersion, source: ObjectSource): boolean {
    const hasMore = this.#bytes !== undefined || (this.#flags & LABELLED) !== 0;
    if (hasMore || this.#source !== source) return false;
    this.resourceVersion = version;
    this.#flags = 0;
    return true;
  }

  /** Is shown as these bytes, which others may keep as well. */
  serve(served: Buffer, sizeBytes: number): this {
    this.#learn(sizeBytes, false);
    this.#serve(served);
    return this;
  }

  get line(): Buffer {
    const { buffer, byteOffset, length } = this.json;
    return Buffer.from(buffer, byteOffset, length + NEWLINE.length);
  }

  /** With or without the resourceVersion: whatever is at hand. What is not is read, and not kept. */
  get bytes(): Uint8Array {
    return this.#bytes ?? this.#record().json;
  }

  /** Of the bytes in the log. */
  get sizeBytes(): number {
    if ((this.#flags & READ) === 0 && this.#borrowed() === undefined) this.#record();
    return this.#sizeBytes;
  }

  get isStale(): boolean {
    if ((this.#flags & READ) === 0) this.#record();
    return (this.#flags & STALE) !== 0;
  }

  get labels(): StringMap | undefined {
    if ((this.#flags & LABELLED) === 0) {
      const { resource, path } = this;
      this.#label(labelsOf({ resource, path, json: this.#bytes ?? this.json }));
    }
    return this.#labels;
  }

  /** Nothing is read for them. */
  get knownLabels(): KnownLabels {
    return (this.#flags & LABELLED) === 0 ? UNREAD : this.#labels;
  }

  wasUsed(): boolean {
    const was = (this.#flags & USED) !== 0;
    this.#flags &= ~USED;
    return was;
  }

  letGo(): void {
    this.#bytes = undefined;
    this.#labels = undefined;
    this.#flags &= ~(SERVED | LABELLED | PASSED);
  }

  #label(labels: StringMap | undefined): void {
    this.#labels = labels;
    this.#flags |= LABELLED;
  }

  #learn(sizeBytes: number, isStale: boolean): void {
    this.#sizeBytes = sizeBytes;
    this.#flags |= isStale ? READ | STALE : READ;
  }

  #serve(served: Buffer): Buffer {
    this.#bytes = served;
    this.#flags |= SERVED;
    return served;
  }

  /** What the log says without its record being decoded, until it is asked for more. */
  #borrowed(): Uint8Array | undefined {
    const json = this.#source?.jsonAt?.(this.resourceVersion);
    if (json !== undefined) this.#learn(json.length, false);
    return json;
  }

  #record(): LoggedEvent {
    const event = this.#source?.recordAt(this.resourceVersion);
    if (event === undefined) throw new Error(`${this.resource} ${this.path} has no bytes`);
    this.#learn(event.json.length, event.isStale === true);
    return event;
  }
}

/** The object as this event leaves it. */
export function storedObject(event: LoggedEvent): StoredObject {
  const object = new ServedObject(event, event.resourceVersion, undefined);
  object.keep(event);
  return object;
}

/**
 * The same, which can let go of its bytes.
 *
 * @param named the object as it was before, if there was one: its name is the same text then, once in memory.
 */
export function coolingObject(
  event: LoggedEvent,
  source: ObjectSource,
  named: Pick<StoredObject, 'resource' | 'path'> = event,
): StoredObject {
  const object = new ServedObject(named, event.resourceVersion, source);
  object.keep(event);
  return object;
}

/** The object of a version as it is served already. @param sizeBytes of its bytes in the log. */
export function servedObject(
  named: Pick<StoredObject, 'resource' | 'path'>,
  version: ResourceVersion,
  { served, sizeBytes }: { readonly served: Buffer; readonly sizeBytes: number },
): StoredObject {
  return new ServedObject(named, version, undefined).serve(served, sizeBytes);
}

/** An object of which only the version is known. */
export function coldObject(
  named: Pick<StoredObject, 'resource' | 'path'>,
  version: ResourceVersion,
  source: ObjectSource,
): StoredObject {
  return new ServedObject(named, version, source);
}

/**
 * Makes of an object that has not been shown to any reader what it is at a later version: to put another one in its place would
 * cost a search among all others.
 *
 * @returns false where it cannot be the same value: more than its name and version is in memory, or another source has it too.
 */
export function renewed(
  object: StoredObject,
  version: ResourceVersion,
  source: ObjectSource,
): boolean {
  return object instanceof ServedObject && object.renew(version, source);
}

/** Whether the object is one that {@link coolingObject} and {@link coldObject} make. */
export function isCooling(object: StoredObject): object is StoredObject & Kept {
  return object instanceof ServedObject;
}

/** The object's labels, where they are at hand. */
export function knownLabels(object: StoredObject & Partial<Unread>): KnownLabels {
  return 'knownLabels' in object ? object.knownLabels : object.labels;
}

/** An object whose labels may have to be read from the log. */
export interface Unread {
  /** Those that are at hand. */
  readonly knownLabels: KnownLabels;
}

/** How the JSON of an object is made that may not be in memory. */
export interface Passing {
  /** Memory that it may be put into, where it is not kept: it is of use until the next one is asked for. */
  readonly target?: Buffer | undefined;
  /**
   * Whether it stays in memory where there is room, when a list asks for it the second time. What is asked for once would have
   * the collector go through all there is, which costs more than to read it again.
   */
  readonly mayKeep: boolean;
}

/** An object whose JSON may have to be read first. */
export interface MadeInPassing {
  /** About how many bytes it has, where that is known without reading it. */
  readonly sizeBytes?: number;
  /** Whether its bytes are in memory as they are served. */
  readonly isMade: boolean;
  /** The JSON, kept only where it may be, is asked for again and there is room for it. */
  passingJson(passing: Passing): Buffer;
}

/** The object's JSON, for a list of so many that they must not push out of memory what others ask for. */
export function passingJson(
  object: StoredObject & Partial<MadeInPassing>,
  passing: Passing,
): Buffer {
  return object.passingJson?.(passing) ?? object.json;
}

/** Whether the object's JSON is in memory, so that nothing is read or made when it is asked for. */
export function isMade(object: StoredObject & Partial<MadeInPassing>): boolean {
  return object.isMade ?? true;
}

/** About how many bytes the object has, which are not made for it. */
export function sizeOf(object: StoredObject & Partial<MadeInPassing>): number {
  return object.sizeBytes ?? object.json.length;
}

/**
 * The object's JSON as it is at hand, with or without its resourceVersion, for searches
 * through many objects for a few: nothing is made for it, and it may be shared with the log.
 */
export function bytesOf(object: StoredObject): Buffer {
  return asBuffer(object instanceof ServedObject ? object.bytes : object.json);
}

/** The same without the methods of Node, which cost more than the rest where they are not there yet. */
export function plainBytesOf(object: StoredObject): Uint8Array {
  return object instanceof ServedObject ? object.bytes : object.json;
}

/** The object's JSON and a newline, as Go's encoder ends it; nothing is copied for a kept object. */
export function lineOf(object: StoredObject): Buffer {
  return object instanceof ServedObject ? object.line : Buffer.concat([object.json, NEWLINE]);
}

/** The same state under a later version: what a watcher is told when an object goes out of its sight. */
export function asOfVersion(object: StoredObject, resourceVersion: ResourceVersion): StoredObject {
  const { resource, path, labels, isRestated } = object;
  const json = withResourceVersion(withoutResourceVersion(object), resourceVersion);
  const restated = isRestated === true ? { isRestated } : undefined;
  return { resource, path, resourceVersion, labels, json, ...restated };
}

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
  const written = jsonObjectOf(value, object);
  return writtenKubeObject(yield* slicesOf(() => declaredForm(object.resource, written)));
}

function isEmpty(labels: StringMap): boolean {
  for (const _ in labels) return false;
  return true;
}
