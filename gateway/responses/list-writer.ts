/**
 * Lists as bytes. In plain JSON a list is the stored objects with a frame around them, copied
 * into large chunks, a slice at a time: a list of a hundred thousand must not hold up the others.
 */
import { formatJson } from '../../api/json/json-text.ts';
import type { JsonObject } from '../../api/json/json.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { ListAnswer } from '../../actors/request/answer.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import type { StoredObject } from '../../streams/event.ts';
import { isMade, parsedObject, passingJson } from '../../projections/objects/stored-object.ts';
import type { ByteSource } from './exchange.ts';
import {
  encodeListProtobuf,
  encodeMessage,
  encodePartialListV1beta1,
} from '../negotiation/protobuf-codec.ts';
import { formatYaml } from '../negotiation/yaml-codec.ts';
import {
  encoded,
  isStoredForm,
  metaApiVersion,
  PARTIAL_LIST_TYPE,
  partialObject,
  servedValue,
  tableOf,
} from './object-form.ts';

/** Of a list that is larger, at a time. */
export const CHUNK_BYTES = 256 * 1024;
const YAML_CHUNK_CHARACTERS = 64 * 1024;
/** Before the first item, and before each other one. */
const OPENING = Buffer.from('{');
const SEPARATOR = Buffer.from(',{');
const COMMA = 0x2c;
const BRACE = 0x7b;
const END = Buffer.from(']}\n');

/** The list's bytes, in order. The consumer decides when to take the next chunk. */
export function* listChunks(
  list: ListAnswer,
  media: AcceptedMedia,
  now: number,
): Generator<Buffer> {
  if (isStoredForm(list.served, media)) yield* new StoredList(list).chunks();
  else if (isPlainYaml(media) && list.items.length > 0) yield* yamlChunks(list);
  else yield encodedList(list, media, now);
}

function isPlainYaml({ type, transform }: AcceptedMedia): boolean {
  return type === 'yaml' && transform === 'none';
}

/** In pieces, because writing YAML takes long enough to hold up everybody else. */
function* yamlChunks(list: ListAnswer): Generator<Buffer> {
  const { facts, apiVersion } = list.served;
  // A list below its key is not indented, so one item by itself reads as it does in the list.
  let text = `${formatYaml({ apiVersion })}items:\n`;
  for (const item of list.items) {
    text += formatYaml([asItem(list.served, servedValue(list.served, item))]);
    if (text.length < YAML_CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + formatYaml({ kind: facts.listKind, metadata: typedListMeta(list) }));
}

/** Items of a typed list do not repeat what they are; custom resources have no type. */
function asItem({ custom }: ServedResource, value: KubeObject): JsonObject {
  if (custom !== undefined) return value;
  const { kind: _, apiVersion: __, ...bare } = value;
  return bare;
}

/** Of a list of which more items have to be read or made first, the size is not known before it is sent. */
const MADE_FIRST_MAX = 1_024;

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
  readonly #items: readonly StoredObject[];
  readonly #typeLength: number;
  /** Which item comes when this piece is moved: the opening, an item, what stands before it, or the end. */
  #next = 0;
  #piece: Buffer;
  #pieceAt = 0;
  #isBefore = true;

  constructor(list: ListAnswer) {
    const { served, items } = list;
    const { facts, apiVersion } = served;
    const head = formatJson({ kind: facts.listKind, apiVersion, metadata: typedListMeta(list) });
    this.#piece = Buffer.from(`${head.slice(0, -1)},"items":[`);
    this.#items = items;
    this.#typeLength = typeLengthOf(served);
    this.knownBytes = hasMoreToMake(items) ? undefined : this.#measured();
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
      const moved = this.#move(chunk, 0, chunk.length);
      if (moved === 0) return;
      yield chunk.subarray(0, moved);
    }
  }

  moveTo(target: Buffer, at: number, bytes: number): void {
    this.#move(target, at, at + bytes);
  }

  /** @returns where it ends, which is before `end` where the list does. */
  #move(target: Buffer, at: number, end: number): number {
    let to = at;
    while (to < end) {
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

  #measured(): number {
    const items = this.#items;
    let size = this.#piece.length + END.length + Math.max(0, items.length - 1);
    for (const { json } of items) size += json.length - this.#typeLength + 1;
    return size;
  }

  /** Chooses the next piece. A separator that fits is no piece: two bytes cost less than a copy. @returns where it begins. */
  #goOn(target: Buffer, to: number, end: number): number {
    const item = this.#items[this.#next];
    this.#pieceAt = 0;
    if (item === undefined) {
      this.#piece = END;
      return to;
    }
    const isSet = this.#isBefore && this.#next > 0 && to + SEPARATOR.length <= end;
    if (this.#isBefore && !isSet) {
      this.#piece = this.#next === 0 ? OPENING : SEPARATOR;
      this.#isBefore = false;
      return to;
    }
    this.#piece = this.knownBytes === undefined ? passingJson(item) : item.json;
    this.#pieceAt = this.#typeLength;
    this.#isBefore = true;
    this.#next += 1;
    if (!isSet) return to;
    target[to] = COMMA;
    target[to + 1] = BRACE;
    return to + SEPARATOR.length;
  }
}

/** Whether more than a few of them are not in memory as they are shown. */
function hasMoreToMake(items: readonly StoredObject[]): boolean {
  if (items.length <= MADE_FIRST_MAX) return false;
  let count = 0;
  return items.some((item) => !isMade(item) && ++count > MADE_FIRST_MAX);
}

function encodedList(list: ListAnswer, media: AcceptedMedia, now: number): Buffer {
  const { served, items } = list;
  const meta = listMeta(list);
  const { facts, apiVersion } = served;
  if (media.transform === 'Table') {
    const stored = items.map((item) => parsedObject(item));
    return encoded(tableOf(served, stored, media, { now, listMeta: meta }), '', media);
  }
  const values = items.map((item) => servedValue(served, item));
  if (media.transform !== 'none') {
    const partial: JsonObject = {
      kind: 'PartialObjectMetadataList',
      apiVersion: metaApiVersion(media),
      metadata: meta,
      items: values.map((value) => partialObject(value, media)),
    };
    if (media.type === 'protobuf' && media.metaVersion !== undefined) {
      return encodePartialListV1beta1(partial);
    }
    return encoded(partial, PARTIAL_LIST_TYPE, media);
  }
  if (media.type === 'protobuf') {
    const messages = values.map((value) => encodeMessage(value, facts.typeId));
    return encodeListProtobuf(facts.listTypeId, typedListMeta(list), messages);
  }
  const head = { kind: facts.listKind, apiVersion, metadata: typedListMeta(list) };
  const bare = values.map((value) => asItem(served, value));
  return encoded({ ...head, items: bare }, facts.listTypeId, media);
}

/** Lists of declared types tell by which hashes their items were chosen. */
function typedListMeta(list: ListAnswer): JsonObject {
  const { shardSelector: selector, served } = list;
  const isTold = selector !== undefined && served.custom === undefined;
  return { ...listMeta(list), ...(isTold ? { shardInfo: { selector } } : {}) };
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
