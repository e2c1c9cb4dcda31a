/**
 * Watch events as bytes, one rendering for all watchers of the same shape.
 *
 * In Kubernetes: the watch encoder of apiserver/pkg/endpoints/handlers and the streaming
 * serializers of apimachinery.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { cborEvent } from '../../api/cbor/cbor-event.ts';
import { writeCbor, writeCborInParts } from '../../api/cbor/cbor-writer.ts';
import { allOf, formatJsonInParts, type Parts } from '../../api/json/json-parts.ts';
import { formatJson } from '../../api/json/json-text.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { internalError, type Status } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { WatchPlan } from '../../actors/request/answer.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import {
  shownAlready,
  shownAtOnce,
  shownObjects,
} from '../../actors/registry/custom/shown-objects.ts';
import { isSelectedAsShown, withoutFields } from '../../actors/registry/reads/select-shown.ts';
import { LARGE_BYTES, whole } from '../../actors/request/large-work.ts';
import { sizeOf } from '../../projections/objects/stored-object.ts';
import type { Selection } from '../../projections/objects/selection.ts';
import type { WatchEvent } from '../../projections/watch/watch-event.ts';
import type { WatchShape } from '../../projections/watch/watch-view.ts';
import type { StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import {
  encodeProtobuf,
  encodeProtobufInParts,
  encodeWatchEventProtobuf,
} from '../negotiation/protobuf-codec.ts';
import { measureChunk } from '../metrics/watch-meters.ts';
import { chunkOfLater, type RenderedLater } from './chunk-to-come.ts';
import { emptyObject, emptyStoredObject } from './empty-object.ts';
import { eventsAsShown, objectsOf } from './events-as-shown.ts';
import { LIVE_FRAMING, type Framing } from './framing.ts';
import {
  includedIn,
  isStoredForm,
  PART_BYTES,
  PARTIAL_TYPE,
  partialObject,
  servedInParts,
  STATUS_TYPE,
  storedInParts,
  tableOf,
} from '../responses/object-form.ts';
import { storedProtobufInParts } from '../responses/stored-protobuf.ts';

/** Of which event each part of a chunk is. */
export interface EventsInChunk {
  /** Of each event, in order. */
  readonly revisions: readonly ResourceVersion[];
  /** Bytes with the comma, of each event. */
  readonly sizes: readonly number[];
}

const IN_CHUNKS = new WeakMap<Buffer, EventsInChunk>();

/** What is in a chunk of {@link LIVE_FRAMING}; undefined: it is of another one. */
export function eventsIn(chunk: Buffer): EventsInChunk | undefined {
  return IN_CHUNKS.get(chunk);
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** Of what an {@link EncoderForm} is made. */
export interface EncoderParts {
  readonly served: ServedResource;
  readonly media: AcceptedMedia;
  readonly framing: Framing;
  readonly clock: Clock;
  /** Told why an event could not be rendered. */
  readonly failed: (error: unknown) => void;
}

/** How events look on the wire, which is the same for thousands of watches. */
export class EncoderForm {
  readonly served: ServedResource;
  readonly media: AcceptedMedia;
  readonly framing: Framing;
  readonly clock: Clock;
  /** Told why an event could not be rendered. */
  readonly failed: (error: unknown) => void;
  /** Then no other watcher shares what is rendered, because others may have to wait longer or shorter. */
  readonly asksWebhook: boolean;
  /** Whether objects are shown by bytes that are stored, or that were converted and kept. */
  readonly isStoredForm: boolean;
  /** Whether objects are shown by the bytes of the log. */
  readonly isAsStored: boolean;
  /** Equal for two forms if and only if events look the same in them. */
  readonly key: string;

  constructor({ served, media, framing, clock, failed }: EncoderParts) {
    this.served = served;
    this.media = media;
    this.framing = framing;
    this.clock = clock;
    this.failed = failed;
    this.asksWebhook = served.custom?.asksWebhook === true;
    this.isStoredForm = isStoredForm(served, { ...media, pretty: false });
    this.isAsStored = served.custom === undefined && this.isStoredForm;
    const { type, transform, metaVersion = '' } = media;
    const texts = [type, transform, metaVersion, includedIn(media), framing.name];
    this.key = shortKey([served.apiVersion, ...texts].join('\u0001'));
  }

  /** Whether no two watches may share what is rendered. */
  get isLone(): boolean {
    return this.media.transform === 'Table' || this.asksWebhook;
  }
}

const shortKeys = new Map<string, string>();

/** Of few texts: each watch holds one. */
function shortKey(text: string): string {
  let short = shortKeys.get(text);
  if (short === undefined) {
    short = String(shortKeys.size);
    shortKeys.set(text, short);
  }
  return short;
}

let loners = 0;

type Shown = Pick<WatchPlan, 'selection' | 'seenAt'>;

/** Renders the events of one shape of watch; what cannot be rendered is shown as an error. */
export class WatchEncoder implements WatchShape {
  readonly key: string;
  /** Of what it is given to render. */
  readonly selection: Selection;
  /** Of what it renders, where objects have to be shown before their fields are known. */
  readonly #wanted: Selection | undefined;
  readonly #form: EncoderForm;
  /** When a version was seen, where that is not now: what the ages in a Table count from. */
  readonly #seenAt: Shown['seenAt'];
  #columnsSent = false;

  constructor(form: EncoderForm, { selection, seenAt }: Shown) {
    this.#form = form;
    this.#seenAt = seenAt;
    const isWide = isSelectedAsShown(form.served, selection);
    this.#wanted = isWide ? selection : undefined;
    this.selection = isWide ? withoutFields(selection) : selection;
    // Joined, since what is added up would be held in parts and as a whole.
    this.key = [form.key, form.isLone ? loneNumber() : '', selection.key].join('\u0001');
  }

  /** The resource that it shows. */
  get facts(): ServedResource['facts'] {
    return this.#form.served.facts;
  }

  /**
   * Nothing yet where a webhook has to be asked first, or where an object is large and is not shown as it lies:
   * {@link chunkToCome} tells of such a chunk.
   */
  render(events: readonly WatchEvent[]): Buffer {
    if (!this.#hasToWait(events))
      return this.#chunkOf(events, (event) => this.#eventOrError(event));
    return chunkOfLater(() => this.#renderedLater(events));
  }

  #hasToWait(events: readonly WatchEvent[]): boolean {
    if (this.selection.isWide === true) return true;
    if (this.#form.isAsStored) return false;
    if (this.#form.asksWebhook && !events.every(({ object }) => this.#isShown(object))) return true;
    return events.some(
      ({ object }) => !(this.#form.isStoredForm && this.#isShown(object)) && isLarge(object),
    );
  }

  /** A part in each turn of the event loop where an object is large. */
  async #renderedLater(events: readonly WatchEvent[]): Promise<RenderedLater> {
    const shown = await shownObjects(this.#form.served, objectsOf(events));
    if (!shown.ok) return shown;
    const made = new Map<WatchEvent, Buffer>();
    const asShown = eventsAsShown(events, shown.objects, this.#wanted);
    for (const event of asShown) {
      if (isLarge(event.object)) made.set(event, await this.#largeEvent(event));
    }
    return this.#chunkOf(asShown, (event) => made.get(event) ?? this.#eventOrError(event));
  }

  async #largeEvent(event: WatchEvent): Promise<Buffer> {
    try {
      return await whole(sizeOf(event.object), this.#event(event));
    } catch (error) {
      this.#form.failed(error);
      return this.#encodedEvent('ERROR', internalError(error), STATUS_TYPE);
    }
  }

  #chunkOf(events: readonly WatchEvent[], bytesOf: (event: WatchEvent) => Buffer): Buffer {
    const { framing } = this.#form;
    const frames: Buffer[] = [];
    const eventBytes: number[] = [];
    const asStored = framing === LIVE_FRAMING && this.#form.isAsStored;
    for (const event of events) {
      const json = asStored ? jsonOf(event.object) : undefined;
      if (json !== undefined) {
        // Nothing of it is put together twice: the chunk is the first copy of what the log has.
        const head = jsonHead(event.type);
        frames.push(head, json, LIVE_TAIL);
        eventBytes.push(head.length + json.length + LIVE_TAIL.length);
        continue;
      }
      const bytes = bytesOf(event);
      eventBytes.push(bytes.length);
      framing.frame(bytes, frames);
    }
    const chunk =
      frames.length === 1 && frames[0] !== undefined ? frames[0] : Buffer.concat(frames);
    measureChunk(chunk, eventBytes);
    if (framing === LIVE_FRAMING) {
      const revisions = events.map(({ resourceVersion }) => resourceVersion);
      IN_CHUNKS.set(chunk, { revisions, sizes: eventBytes });
    }
    return chunk;
  }

  /** Says that everything up to `version` was shown; `initial` that the state is complete with it. */
  bookmark(version: ResourceVersion, initial: boolean): Buffer {
    const { served, media } = this.#form;
    const { facts, apiVersion } = served;
    const metadata: JsonObject = {
      resourceVersion: String(version),
      ...(initial ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}),
    };
    const isPartial = media.transform !== 'none' && media.transform !== 'Table';
    if (isPartial)
      return this.#framed('BOOKMARK', partialObject({ metadata }, media), PARTIAL_TYPE);
    if (media.transform === 'none') {
      const object = { kind: facts.kind, apiVersion, metadata };
      return this.#framed('BOOKMARK', emptyObject(served, object), facts.typeId);
    }
    const object = emptyStoredObject(served, metadata);
    const table = this.#table([object], { resourceVersion: String(version) }, this.#columnsSent);
    this.#columnsSent = true;
    return this.#framed('BOOKMARK', table, '');
  }

  error(status: Status): Buffer {
    return this.#framed('ERROR', status, STATUS_TYPE);
  }

  #framed(type: string, object: JsonObject, typeId: string): Buffer {
    const frames: Buffer[] = [];
    this.#form.framing.frame(this.#encodedEvent(type, object, typeId), frames);
    return Buffer.concat(frames);
  }

  /** Events are rendered while the log is folded, which an object that is odd must not end. */
  #eventOrError(event: WatchEvent): Buffer {
    try {
      if (this.#form.isAsStored) return jsonEvent(event.type, event.object.json);
      return allOf(this.#event(event));
    } catch (error) {
      this.#form.failed(error);
      return this.#encodedEvent('ERROR', internalError(error), STATUS_TYPE);
    }
  }

  #isShown(object: StoredObject): boolean {
    return shownAlready(this.#form.served, object) !== undefined;
  }

  #shown(stored: StoredObject): StoredObject {
    const { served } = this.#form;
    const shown = shownAtOnce(served, stored);
    if (shown === undefined) throw new Error('an object was not converted beforehand');
    if ('message' in shown) throw new Error(shown.message);
    return shown;
  }

  *#event({ type, object: stored, resourceVersion }: WatchEvent): Parts<Buffer> {
    const { served, media } = this.#form;
    const object = served.custom === undefined ? stored : this.#shown(stored);
    if (this.#form.isStoredForm) return jsonEvent(type, object.json);
    switch (media.transform) {
      case 'none':
        if (media.type === 'protobuf') {
          return encodeWatchEventProtobuf(type, yield* storedProtobufInParts(served, object));
        }
        return yield* this.#eventParts(type, yield* servedInParts(served, object), {
          typeId: served.facts.typeId,
          about: object,
        });
      case 'Table': {
        const listMeta = { resourceVersion: String(object.resourceVersion) };
        const now = this.#seenAt?.(resourceVersion);
        const values = [yield* storedInParts(object)];
        const table = this.#table(values, listMeta, this.#columnsSent, now);
        this.#columnsSent = true;
        return yield* this.#eventParts(type, table, { typeId: '', about: object });
      }
      case 'PartialObjectMetadata':
      case 'PartialObjectMetadataList': {
        const partial = partialObject(yield* servedInParts(served, object), media);
        return yield* this.#eventParts(type, partial, { typeId: PARTIAL_TYPE, about: object });
      }
    }
  }

  /** In parts where the object that it is about is large. */
  *#eventParts(
    type: string,
    value: JsonObject,
    { typeId, about }: { readonly typeId: string; readonly about: StoredObject },
  ): Parts<Buffer> {
    if (sizeOf(about) < PART_BYTES) return this.#encodedEvent(type, value, typeId);
    const form = this.#form.media.type;
    if (form === 'protobuf') {
      return encodeWatchEventProtobuf(type, yield* encodeProtobufInParts(value, typeId));
    }
    if (form === 'cbor') return cborEvent(type, yield* writeCborInParts(value));
    return jsonEvent(type, yield* formatJsonInParts(value));
  }

  #table(
    values: readonly JsonObject[],
    listMeta: JsonObject,
    withoutColumns: boolean,
    now = this.#form.clock.now(),
  ): JsonObject {
    const { served, media } = this.#form;
    return tableOf(served, values, media, { now, listMeta, withoutColumns });
  }

  #encodedEvent(type: string, object: JsonObject, typeId: string): Buffer {
    const { media } = this.#form;
    if (media.type === 'protobuf') {
      return encodeWatchEventProtobuf(type, encodeProtobuf(object, typeId));
    }
    if (media.type === 'cbor') return cborEvent(type, writeCbor(object));
    return jsonEvent(type, Buffer.from(formatJson(object)));
  }
}

/** The first event of each Table watch brings its columns, so no two of them are the same. */
function loneNumber(): string {
  loners += 1;
  return String(loners);
}

const JSON_HEADS = new Map<string, Buffer>();
const JSON_TAIL = Buffer.from('}\n');
const LIVE_TAIL = Buffer.from('},');

/** undefined: it cannot be read any more, as one of the past. */
function jsonOf(object: StoredObject): Buffer | undefined {
  try {
    return object.json;
  } catch {
    return undefined;
  }
}

/** One that cannot be read any more is not. */
function isLarge(object: StoredObject): boolean {
  try {
    return sizeOf(object) >= LARGE_BYTES;
  } catch {
    return false;
  }
}

function jsonEvent(type: string, object: Buffer): Buffer {
  const head = jsonHead(type);
  return Buffer.concat([head, object, JSON_TAIL], head.length + object.length + JSON_TAIL.length);
}

function jsonHead(type: string): Buffer {
  let head = JSON_HEADS.get(type);
  if (head === undefined) {
    head = Buffer.from(`{"type":"${type}","object":`);
    JSON_HEADS.set(type, head);
  }
  return head;
}
