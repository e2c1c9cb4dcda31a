/**
 * Lists as bytes, a slice at a time: a list of a hundred thousand must not hold up the others. In plain JSON it is
 * the stored objects with a frame around them, copied into large chunks; every other form begins by reading them.
 */
import { formatJson } from '../../api/json/json-text.ts';
import type { Parts } from '../../api/json/json-parts.ts';
import { listAt, type JsonObject } from '../../api/json/json.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { ListAnswer } from '../../actors/request/answer.ts';
import { LARGE_BYTES } from '../../actors/request/large-work.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import type { StoredObject } from '../../streams/event.ts';
import {
  isMade,
  passingJson,
  type Passing,
  sizeOf,
} from '../../projections/objects/stored-object.ts';
import type { WrittenObject } from '../../projections/objects/written-object.ts';
import type { ListedObjects } from '../../projections/list/listed-objects.ts';
import type { ByteSource } from './exchange.ts';
import {
  encodeListProtobuf,
  encodeMessage,
  encodeMessageInParts,
  encodePartialListV1beta1,
} from '../negotiation/protobuf-codec.ts';
import {
  encodedInParts,
  metaApiVersion,
  PART_BYTES,
  PARTIAL_LIST_TYPE,
  partialObject,
  servedInParts,
  storedInParts,
  tableOf,
} from './object-form.ts';

/** Of a list that is larger, at a time. */
export const CHUNK_BYTES = 256 * 1024;
/** Before the first item, and before each other one. */
const OPENING = Buffer.from('{');
const SEPARATOR = Buffer.from(',{');
const COMMA = 0x2c;
const BRACE = 0x7b;
const END = Buffer.from(']}\n');

/** Items of a typed list do not repeat what they are; custom resources have no type. */
function asItem({ custom }: ServedResource, value: KubeObject): JsonObject {
  if (custom !== undefined) return value;
  const { kind: _, apiVersion: __, ...bare } = value;
  return bare;
}

/** Of a list of which more items have to be read or made first, the size is not known before it is sent; nor are they kept the first time. */
const MADE_FIRST_MAX = 256;
/**
 * What a list of more reads is not kept, whatever room there is: half of a gigabyte of new memory has the collector go through
 * all there is. Nor is it looked through for its size, which takes others' turn.
 */
const KEPT_OF_MANY_MAX = 16_384;
/** Of items of usual sizes: each is put here on its way into a chunk. */
const PASSING_BYTES = 32 * 1024;
/** A chunk whose items are read ends behind so long as well: the disk may be slow, and V8 may do a part of its collection with each. */
const TURN_MS = 5;

/** How many bytes kind and apiVersion take, which stand first in each item and are left out. */
function typeLengthOf({ facts, apiVersion, custom }: ServedResource): number {
  if (custom !== undefined) return 1;
  return `"kind":${formatJson(facts.kind)},"apiVersion":"${apiVersion}",`.length + 1;
}

/** A list of objects as they are stored, with a frame around them. */
export class StoredList implements ByteSource {
  /** undefined: too much would have to be read at once to know it. */
  readonly knownBytes: number | undefined;
  movedBytes = 0;
  readonly #parts: Iterator<readonly StoredObject[]>;
  /** The part of the items that is being moved. */
  #items: readonly StoredObject[] = [];
  readonly #typeLength: number;
  readonly #now: () => number;
  /** Which item of the part comes when this piece is moved: the opening, an item, what stands before it, or the end. */
  #next = 0;
  #isFirst = true;
  #piece: Buffer;
  #pieceAt = 0;
  #isBefore = true;
  /** undefined: the items are kept. */
  readonly #passing: Passing | undefined;

  /** @param now in milliseconds: when a chunk ends that takes long. */
  constructor(list: ListAnswer, now = () => performance.now()) {
    const { served, items } = list;
    const { facts, apiVersion } = served;
    const head = formatJson({ kind: facts.listKind, apiVersion, metadata: typedListMeta(list) });
    this.#piece = Buffer.from(`${head.slice(0, -1)},"items":[`);
    this.#parts = ('parts' in items ? items.parts : [items])[Symbol.iterator]();
    this.#now = now;
    this.#typeLength = typeLengthOf(served);
    this.knownBytes = hasMoreToMake(items) ? undefined : this.#measured(items);
    const isPassing = this.knownBytes === undefined;
    this.#passing = isPassing
      ? { target: Buffer.allocUnsafe(PASSING_BYTES), mayKeep: mayKeep(items) }
      : undefined;
  }

  /** @throws Error it is not known. */
  get sizeBytes(): number {
    if (this.knownBytes === undefined) throw new Error('the size of the list is not known');
    return this.knownBytes;
  }

  /** All of it, in large pieces. */
  *chunks(): Generator<Buffer> {
    for (;;) {
      const left = (this.knownBytes ?? Number.POSITIVE_INFINITY) - this.movedBytes;
      const chunk = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES));
      const moved = this.#move(chunk, 0, chunk.length, this.#passing && this.#now() + TURN_MS);
      if (moved === 0) return;
      yield chunk.subarray(0, moved);
    }
  }

  moveTo(target: Buffer, at: number, bytes: number): void {
    this.#move(target, at, at + bytes);
  }

  /** @param until when it ends, behind one piece at least. @returns where it ends, which is before `end` where the list does. */
  #move(target: Buffer, at: number, end: number, until?: number): number {
    let to = at;
    while (to < end) {
      if (until !== undefined && to > at && this.#now() >= until) break;
      const moved = this.#piece.copy(target, to, this.#pieceAt, this.#pieceAt + end - to);
      to += moved;
      this.#pieceAt += moved;
      if (this.#pieceAt < this.#piece.length) continue;
      if (this.#piece === END) break;
      to = this.#goOn(target, to, end);
    }
    this.movedBytes += to - at;
    return to;
  }

  #measured(items: ListedObjects): number {
    let size = this.#piece.length + END.length + Math.max(0, items.length - 1);
    for (const { json } of items) size += json.length - this.#typeLength + 1;
    return size;
  }

  /** Chooses the next piece, behind the items that fit whole. A separator that fits is no piece: two bytes cost less than a copy. @returns where it begins. */
  #goOn(target: Buffer, from: number, end: number): number {
    const areWhole = this.#isBefore && !this.#isFirst && this.#passing === undefined;
    const to = areWhole ? this.#moveWhole(target, from, end) : from;
    const item = this.#itemToCome();
    this.#pieceAt = 0;
    if (item === undefined) {
      this.#piece = END;
      return to;
    }
    const isSet = this.#isBefore && !this.#isFirst && to + SEPARATOR.length <= end;
    if (this.#isBefore && !isSet) {
      this.#piece = this.#isFirst ? OPENING : SEPARATOR;
      this.#isBefore = false;
      return to;
    }
    const passing = this.#passing;
    this.#piece = passing === undefined ? item.json : passingJson(item, passing);
    this.#pieceAt = this.#typeLength;
    this.#isBefore = true;
    this.#isFirst = false;
    this.#next += 1;
    if (!isSet) return to;
    return separate(target, to);
  }

  /** In the next part where this one is moved. A look behind its last one would have V8 throw away what it compiled. */
  #itemToCome(): StoredObject | undefined {
    while (this.#next >= this.#items.length) {
      const part = this.#parts.next();
      if (part.done === true) return undefined;
      [this.#items, this.#next] = [part.value, 0];
    }
    return this.#items[this.#next];
  }

  /**
   * Items from the last to the first, each with its type in front, which the one before it is written over: a copy of a
   * part of them would make a view first, which costs as much as the copy. @returns where they end.
   */
  #moveWhole(target: Buffer, to: number, end: number): number {
    const typeLength = this.#typeLength;
    const whole: Buffer[] = [];
    let behind = to;
    while (this.#next < this.#items.length) {
      const json = this.#items[this.#next]?.json;
      if (json === undefined) break;
      const itemEnd = behind + SEPARATOR.length + json.length - typeLength;
      if (itemEnd > end) break;
      whole.push(json);
      behind = itemEnd;
      this.#next += 1;
    }
    let begin = behind;
    for (let json = whole.pop(); json !== undefined; json = whole.pop()) {
      const body = begin - json.length + typeLength;
      // Nothing is written over that stands before all of them.
      if (body - typeLength >= to) target.set(json, body - typeLength);
      else json.copy(target, body, typeLength);
      begin = body - SEPARATOR.length;
      separate(target, begin);
    }
    return behind;
  }
}

/** @returns where the item begins. */
function separate(target: Buffer, to: number): number {
  target[to] = COMMA;
  target[to + 1] = BRACE;
  return to + SEPARATOR.length;
}

/** Whether more than a few of them are not in memory as they are shown, or they are too many to find out. */
function hasMoreToMake(items: ListedObjects): boolean {
  if (items.length <= MADE_FIRST_MAX) return false;
  if (!mayKeep(items)) return true;
  let count = 0;
  for (const item of items) if (!isMade(item) && ++count > MADE_FIRST_MAX) return true;
  return false;
}

/** Of more items than this only some are asked how large they are: those that memory does not hold have to be read for it. */
const MEASURED_MAX = 256;

/** About how many bytes the items of a list have together. Many are held to be large, as one among them may be. */
export function bytesOfAll(items: ListedObjects): number {
  let bytes = 0;
  if (items.length <= MEASURED_MAX) {
    for (const item of items) bytes += sizeOf(item);
    return bytes;
  }
  for (let nth = 0; nth < MEASURED_MAX; nth += 1) {
    const item = items.at(Math.floor((nth * items.length) / MEASURED_MAX));
    if (item !== undefined) bytes += sizeOf(item);
  }
  return Math.max(LARGE_BYTES, Math.ceil((bytes / MEASURED_MAX) * items.length));
}

/**
 * A list in any other form, in turns of the event loop: each item is read for itself, and is let go of where its
 * bytes or its row are made.
 */
export function* listInParts(list: ListAnswer, media: AcceptedMedia, now: number): Parts<Buffer> {
  const { served } = list;
  const { facts, apiVersion } = served;
  const passing = passingOf(list);
  if (media.transform === 'Table') {
    return yield* encodedInParts(yield* tableInParts(list, media, now), '', media);
  }
  if (media.transform !== 'none') {
    const items = yield* eachItem(list, function* (item) {
      return partialObject(yield* servedInParts(served, passing(item)), media);
    });
    const partial: JsonObject = {
      kind: 'PartialObjectMetadataList',
      apiVersion: metaApiVersion(media),
      metadata: listMeta(list),
      items: items.length === 0 ? null : items, // As Go writes a slice that nothing was put into.
    };
    if (media.type === 'protobuf' && media.metaVersion !== undefined) {
      return yield* encodePartialListV1beta1(partial);
    }
    return yield* encodedInParts(partial, PARTIAL_LIST_TYPE, media);
  }
  if (media.type === 'protobuf') {
    const messages = yield* eachItem(list, function* (item) {
      const written = passing(item);
      const value = yield* servedInParts(served, written);
      if (written.json.length >= PART_BYTES)
        return yield* encodeMessageInParts(value, facts.typeId);
      return encodeMessage(value, facts.typeId);
    });
    return encodeListProtobuf(facts.listTypeId, typedListMeta(list), messages);
  }
  const items = yield* eachItem(list, function* (item) {
    return asItem(served, yield* servedInParts(served, passing(item)));
  });
  const metadata = typedListMeta(list);
  const shown = { kind: facts.listKind, apiVersion, metadata, items };
  return yield* encodedInParts(shown, facts.listTypeId, media);
}

/** So many must not push out of memory what others ask for. The bytes of an item are of use until the next one is read. */
function passingOf({ items }: Pick<ListAnswer, 'items'>): (item: StoredObject) => WrittenObject {
  const target = items.length > MADE_FIRST_MAX ? Buffer.allocUnsafe(PASSING_BYTES) : undefined;
  const passing = { target, mayKeep: mayKeep(items) };
  return (item) => {
    return { resource: item.resource, path: item.path, json: passingJson(item, passing) };
  };
}

function mayKeep(items: ListedObjects): boolean {
  return items.length <= KEPT_OF_MANY_MAX;
}

/** What is made of each item, with a rest behind so many bytes of them. */
function* eachItem<Made>(
  { items }: Pick<ListAnswer, 'items'>,
  make: (item: StoredObject) => Parts<Made>,
): Parts<Made[]> {
  const made: Made[] = [];
  let bytes = 0;
  for (const item of items) {
    made.push(yield* make(item));
    bytes += sizeOf(item);
    if (bytes < PART_BYTES) continue;
    bytes = 0;
    yield;
  }
  return made;
}

function* tableInParts(list: ListAnswer, media: AcceptedMedia, now: number): Parts<JsonObject> {
  const { served } = list;
  const options = { now, listMeta: listMeta(list) };
  const frame = tableOf(served, [], media, options);
  const passing = passingOf(list);
  const rows = yield* eachItem(list, function* (item) {
    const stored = yield* storedInParts(passing(item));
    return listAt(tableOf(served, [stored], media, { now, withoutColumns: true }), 'rows');
  });
  return rows.length === 0 ? frame : { ...frame, rows: rows.flat() };
}

/**
 * Lists of declared types tell by which hashes their items were chosen. Those of custom kinds always have a token,
 * as UnstructuredList writes it.
 */
function typedListMeta(list: ListAnswer): JsonObject {
  const { shardSelector: selector, served, continue: token } = list;
  if (served.custom !== undefined) return { continue: token, ...listMeta(list) };
  return { ...listMeta(list), ...(selector === undefined ? {} : { shardInfo: { selector } }) };
}

function listMeta({
  resourceVersion,
  continue: token,
  remainingItemCount,
}: ListAnswer): JsonObject {
  return {
    ...(resourceVersion === undefined ? {} : { resourceVersion: String(resourceVersion) }),
    ...(token === '' ? {} : { continue: token }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
}
