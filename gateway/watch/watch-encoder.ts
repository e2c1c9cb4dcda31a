/**
 * Watch events as bytes, one rendering for all watchers of the same shape.
 *
 * In Kubernetes: the watch encoder of apiserver/pkg/endpoints/handlers and the streaming
 * serializers of apimachinery.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { formatJson } from '../../api/json/json-text.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { internalError, type Status } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import {
  shownAlready,
  shownAtOnce,
  shownObjects,
} from '../../actors/registry/custom/shown-objects.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { Selection } from '../../projections/objects/selection.ts';
import type { WatchEvent } from '../../projections/watch/watch-event.ts';
import type { WatchShape } from '../../projections/watch/watch-view.ts';
import type { StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { encodeProtobuf, encodeWatchEventProtobuf } from '../negotiation/protobuf-codec.ts';
import { measureChunk } from '../metrics/watch-meters.ts';
import {
  includedIn,
  isStoredForm,
  PARTIAL_TYPE,
  partialObject,
  servedValue,
  STATUS_TYPE,
  tableOf,
} from '../responses/object-form.ts';
import { storedProtobuf } from '../responses/stored-protobuf.ts';

/**
 * How one event is set off from the next: JSON lines and length-prefixed protobuf over HTTP are
 * complete as they are encoded; over WebSocket each event is a message of its own.
 */
export interface Framing {
  readonly name: 'http' | 'text' | 'binary' | 'live';
  /** Adds the event, framed, to the buffers that go out together. */
  frame(event: Buffer, out: Buffer[]): void;
}

export const HTTP_FRAMING: Framing = {
  name: 'http',
  frame(event, out) {
    out.push(event);
  },
};

const FINAL = 0x80;
/** The opcode of a text message. */
export const TEXT = 0x1;
const BINARY = 0x2;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** A message knows its own length, so the prefix that protobuf events have over HTTP is left out. */
const PROTOBUF_LENGTH_BYTES = 4;

/** RFC 6455, section 5.2; a server does not mask. */
function webSocketFraming(name: 'text' | 'binary', opcode: number): Framing {
  const skip = name === 'binary' ? PROTOBUF_LENGTH_BYTES : 0;
  return {
    name,
    frame(event, out) {
      const message = event.subarray(skip);
      out.push(webSocketHead(opcode, message.length), message);
    },
  };
}

/** What stands in front of a message of so many bytes that the server sends in one frame. */
export function webSocketHead(opcode: number, length: number): Buffer {
  if (length < LENGTH_16) return Buffer.from([FINAL | opcode, length]);
  if (length <= 0xffff) {
    const head = Buffer.from([FINAL | opcode, LENGTH_16, 0, 0]);
    head.writeUInt16BE(length, 2);
    return head;
  }
  const head = Buffer.alloc(10);
  head[0] = FINAL | opcode;
  head[1] = LENGTH_64;
  head.writeUInt32BE(Math.floor(length / 2 ** 32), 2);
  head.writeUInt32BE(length >>> 0, 6);
  return head;
}

export const TEXT_FRAMING = webSocketFraming('text', TEXT);
export const BINARY_FRAMING = webSocketFraming('binary', BINARY);

const COMMA = Buffer.from(',');
const NEWLINE_BYTES = 1;

/** Elements of a list of JSON, each with the comma behind it; {@link eventsIn} tells where they are. */
export const LIVE_FRAMING: Framing = {
  name: 'live',
  frame(event, out) {
    out.push(event.subarray(0, event.length - NEWLINE_BYTES), COMMA);
  },
};

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

export interface EncoderParts {
  readonly served: ServedResource;
  readonly media: AcceptedMedia;
  readonly selection: Selection;
  readonly framing: Framing;
  readonly clock: Clock;
  /** When a version was seen, where that is not now: what the ages in a Table count from. */
  readonly seenAt?: ((version: ResourceVersion) => number) | undefined;
  /** Told why an event could not be rendered. */
  readonly failed: (error: unknown) => void;
}

let loners = 0;

/** Renders the events of one shape of watch; what cannot be rendered is shown as an error. */
export class WatchEncoder implements WatchShape {
  readonly key: string;
  readonly selection: Selection;
  readonly #parts: EncoderParts;
  /** Then no other watcher shares it, because others may have to wait longer or shorter. */
  readonly #asksWebhook: boolean;
  #waiting: readonly WatchEvent[] | undefined;
  #columnsSent = false;

  constructor(parts: EncoderParts) {
    const { served, media, selection, framing } = parts;
    this.#parts = parts;
    this.#asksWebhook = served.custom?.asksWebhook === true;
    this.selection = selection;
    const { type, transform, metaVersion } = media;
    this.key = [
      served.apiVersion,
      type,
      transform,
      metaVersion ?? '',
      includedIn(media),
      framing.name,
      selection.key,
      transform === 'Table' || this.#asksWebhook ? loneNumber() : '',
    ].join('\u0001');
  }

  /** What has to be converted first is kept for {@link takeWaiting}, and nothing is rendered. */
  render(events: readonly WatchEvent[]): Buffer {
    if (this.#asksWebhook && !events.every(({ object }) => this.#isShown(object))) {
      this.#waiting = events;
      return NOTHING;
    }
    return this.renderShown(events);
  }

  /** The events that {@link render} was given last, when they wait for a webhook. */
  takeWaiting(): readonly WatchEvent[] | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  /** The same events with their objects as they are shown; or why they cannot be. */
  async converted(
    events: readonly WatchEvent[],
  ): Promise<readonly WatchEvent[] | { readonly message: string }> {
    const { served } = this.#parts;
    const shown = await shownObjects(
      served,
      events.map(({ object }) => object),
    );
    if (!shown.ok) return { message: shown.message };
    return events.map((event, index) => ({
      ...event,
      object: shown.objects[index] ?? event.object,
    }));
  }

  renderShown(events: readonly WatchEvent[]): Buffer {
    const { framing } = this.#parts;
    const frames: Buffer[] = [];
    const eventBytes: number[] = [];
    const asStored = framing === LIVE_FRAMING && this.#isAsStored;
    for (const event of events) {
      const json = asStored ? jsonOf(event.object) : undefined;
      if (json !== undefined) {
        // Nothing of it is put together twice: the chunk is the first copy of what the log has.
        const head = jsonHead(event.type);
        frames.push(head, json, LIVE_TAIL);
        eventBytes.push(head.length + json.length + LIVE_TAIL.length);
        continue;
      }
      const bytes = this.#eventOrError(event);
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
    const { served, media } = this.#parts;
    const { facts, apiVersion } = served;
    const metadata: JsonObject = {
      resourceVersion: String(version),
      ...(initial ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}),
    };
    const isPartial = media.transform !== 'none' && media.transform !== 'Table';
    const object: JsonObject = isPartial
      ? partialObject({ metadata }, media)
      : { kind: facts.kind, apiVersion, metadata };
    const typeId = isPartial ? PARTIAL_TYPE : facts.typeId;
    if (media.transform !== 'Table') return this.#framed('BOOKMARK', object, typeId);
    const row = { cells: [], object: partialObject({ metadata }, media) };
    const table = { ...this.#table([], { resourceVersion: String(version) }, true), rows: [row] };
    return this.#framed('BOOKMARK', table, '');
  }

  error(status: Status): Buffer {
    return this.#framed('ERROR', status, STATUS_TYPE);
  }

  #framed(type: string, object: JsonObject, typeId: string): Buffer {
    const frames: Buffer[] = [];
    this.#parts.framing.frame(this.#encodedEvent(type, object, typeId), frames);
    return Buffer.concat(frames);
  }

  /** Events are rendered while the log is folded, which an object that is odd must not end. */
  #eventOrError(event: WatchEvent): Buffer {
    try {
      return this.#event(event);
    } catch (error) {
      this.#parts.failed(error);
      return this.#encodedEvent('ERROR', internalError(error), STATUS_TYPE);
    }
  }

  /** Whether objects are shown by the bytes of the log. */
  get #isAsStored(): boolean {
    const { served, media } = this.#parts;
    return served.custom === undefined && isStoredForm(served, { ...media, pretty: false });
  }

  #isShown(object: StoredObject): boolean {
    return shownAlready(this.#parts.served, object) !== undefined;
  }

  #shown(stored: StoredObject): StoredObject {
    const { served } = this.#parts;
    const shown = shownAtOnce(served, stored);
    if (shown === undefined) throw new Error('an object was not converted beforehand');
    if ('message' in shown) throw new Error(shown.message);
    return shown;
  }

  #event({ type, object: stored, resourceVersion }: WatchEvent): Buffer {
    const { served, media } = this.#parts;
    const object = served.custom === undefined ? stored : this.#shown(stored);
    if (isStoredForm(served, { ...media, pretty: false })) return jsonEvent(type, object.json);
    switch (media.transform) {
      case 'none':
        if (media.type === 'protobuf') {
          return encodeWatchEventProtobuf(type, storedProtobuf(served, object));
        }
        return this.#encodedEvent(type, servedValue(served, object), served.facts.typeId);
      case 'Table': {
        const listMeta = { resourceVersion: String(object.resourceVersion) };
        const now = this.#parts.seenAt?.(resourceVersion);
        const table = this.#table([parsedObject(object)], listMeta, this.#columnsSent, now);
        this.#columnsSent = true;
        return this.#encodedEvent(type, table, '');
      }
      case 'PartialObjectMetadata':
      case 'PartialObjectMetadataList':
        return this.#encodedEvent(
          type,
          partialObject(servedValue(served, object), media),
          PARTIAL_TYPE,
        );
    }
  }

  #table(
    values: readonly JsonObject[],
    listMeta: JsonObject,
    withoutColumns: boolean,
    now = this.#parts.clock.now(),
  ): JsonObject {
    const { served, media } = this.#parts;
    return tableOf(served, values, media, { now, listMeta, withoutColumns });
  }

  #encodedEvent(type: string, object: JsonObject, typeId: string): Buffer {
    const { media } = this.#parts;
    if (media.type === 'protobuf') {
      return encodeWatchEventProtobuf(type, encodeProtobuf(object, typeId));
    }
    return jsonEvent(type, Buffer.from(formatJson(object)));
  }
}

/** The first event of each Table watch brings its columns, so no two of them are the same. */
function loneNumber(): string {
  loners += 1;
  return String(loners);
}

const NOTHING = Buffer.alloc(0);

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
