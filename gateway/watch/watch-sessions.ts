/**
 * All watches that are open: opens them on whatever wire they came by, tells them from time to
 * time how far they have come, and ends them when the server does.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import type { Answer } from '../../actors/request/answer.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { answerHeaders } from '../responses/answer-headers.ts';
import type { Exchange } from '../responses/exchange.ts';
import {
  BINARY_FRAMING,
  CBOR_FRAMING,
  type Framing,
  HTTP_FRAMING,
  LIVE_FRAMING,
  TEXT_FRAMING,
} from './framing.ts';
import { EncoderForm, WatchEncoder } from './watch-encoder.ts';
import {
  type SessionContext,
  WatchSession,
  type WatchFollower,
  type WatchRequest,
  type WatchWire,
} from './watch-session.ts';
import type { WatchMeters } from '../metrics/watch-meters.ts';

/** The answer to a watch: what it is to show. */
export type WatchAnswer = Extract<Answer, { kind: 'Watch' }>;

export interface WatchSessionsParts {
  readonly clock: Clock;
  /** Told of what went wrong with a watch, which its client hears as an ERROR event. */
  readonly failed: (error: unknown) => void;
  /** undefined: sessions are not counted. */
  readonly meters?: WatchMeters | undefined;
}

/** By which way a watch is shown. */
interface Shown {
  readonly wire: WatchWire;
  readonly framing: Framing;
  readonly follower?: WatchFollower;
}

const BOOKMARK_EVERY_MS = 60_000;

const JSON_MEDIA: AcceptedMedia = {
  type: 'json',
  transform: 'none',
  pretty: false,
  includeObject: 'Metadata',
};

const CONTENT_TYPES = {
  json: 'application/json',
  yaml: 'application/json',
  protobuf: 'application/vnd.kubernetes.protobuf;stream=watch',
  cbor: 'application/cbor-seq',
} as const;

const WEB_SOCKET_FRAMINGS = {
  ...{ json: TEXT_FRAMING, yaml: TEXT_FRAMING },
  ...{ protobuf: BINARY_FRAMING, cbor: CBOR_FRAMING },
} as const;

/** What a watch is ended by. */
export type OpenWatch = Pick<WatchSession, 'view' | 'resource' | 'applied' | 'end'> &
  Partial<Pick<WatchSession, 'endIfOver'>>;

export class WatchSessions {
  readonly #parts: WatchSessionsParts;
  readonly #open = new Set<OpenWatch>();
  readonly #ends: SessionEnds;
  /** By the form and what is shown: one of them serves thousands of watches. */
  readonly #forms = new WeakMap<AcceptedMedia, WeakMap<ServedResource, EncoderForm[]>>();
  readonly #contexts = new WeakMap<ServedResource, SessionContext>();
  #cancelBookmarks: () => void;

  constructor(parts: WatchSessionsParts) {
    this.#parts = parts;
    this.#ends = { clock: parts.clock, meters: parts.meters, open: this.#open };
    this.#cancelBookmarks = this.#scheduleBookmarks();
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** How many watches have fallen behind, and how many versions the furthest of them is. */
  lag(): { readonly watches: number; readonly events: number } {
    const planes = new Map([...this.#open].map(({ view, applied }) => [view, applied] as const));
    const events = [...planes].flatMap(([view, { current }]) =>
      view.slowVersions().map((version) => current - version),
    );
    return { watches: events.length, events: events.reduce((most, one) => Math.max(most, one), 0) };
  }

  overHttp(exchange: Exchange, request: ReceivedRequest, answer: WatchAnswer): void {
    const media = request.accepted ?? JSON_MEDIA;
    exchange.head(200, {
      'content-type': CONTENT_TYPES[media.type],
      ...answerHeaders(request),
    });
    const wire: WatchWire = {
      write: (chunk) => exchange.write(chunk),
      end: () => {
        exchange.end();
      },
      listen(listener) {
        exchange.onClose(() => {
          listener.closed();
        });
        exchange.onDrain(() => {
          listener.drained();
        });
      },
    };
    this.#begin(request, answer, { wire, framing: HTTP_FRAMING });
  }

  /** @param wire takes frames that are complete as they are. */
  overWebSocket(wire: WatchWire, request: ReceivedRequest, answer: WatchAnswer): void {
    const framing = WEB_SOCKET_FRAMINGS[request.accepted?.type ?? 'json'];
    this.#begin(request, answer, { wire, framing });
  }

  /** @param wire takes what {@link LIVE_FRAMING} has framed. */
  overLive(
    wire: WatchWire,
    request: ReceivedRequest,
    answer: WatchAnswer,
    follower: WatchFollower,
  ): WatchSession {
    return this.#begin(request, answer, { wire, framing: LIVE_FRAMING, follower });
  }

  /** Has a watch that is shown elsewhere ended with the others. @returns forgets it. */
  add(watch: OpenWatch): () => void {
    this.#open.add(watch);
    return () => this.#open.delete(watch);
  }

  endAll(): void {
    this.#cancelBookmarks();
    for (const session of this.#open) session.end();
  }

  /** Ends that many, those that are open longest. */
  endSome(count: number): void {
    let left = count;
    for (const session of this.#open) {
      if (left <= 0) return;
      left -= 1;
      session.end();
    }
  }

  /** Whether a watch is open of what lies there in this control plane. */
  hasAny(applied: AppliedVersion, resource: string): boolean {
    for (const session of this.#open) {
      if (session.applied === applied && session.resource === resource) return true;
    }
    return false;
  }

  /**
   * Ends the watches of one control plane, which is going to be closed.
   *
   * @param resource only those of the objects that lie there.
   */
  endOf(applied: AppliedVersion, resource?: string): void {
    for (const session of this.#open) {
      if (session.applied !== applied) continue;
      if (resource === undefined || session.resource === resource) session.end();
    }
  }

  #begin(
    request: ReceivedRequest,
    { served, plan }: WatchAnswer,
    { wire, framing, follower }: Shown,
  ): WatchSession {
    const media = request.accepted ?? JSON_MEDIA;
    const shape = new WatchEncoder(this.#formOf(served, media, framing), plan);
    const session = new WatchSession({
      plan,
      shape,
      wire,
      context: this.#contextOf(served),
      request: new AnsweredRequest(this.#ends, request),
      follower,
    });
    this.#open.add(session);
    session.start();
    return session;
  }

  #formOf(served: ServedResource, media: AcceptedMedia, framing: Framing): EncoderForm {
    let ofMedia = this.#forms.get(media);
    if (ofMedia === undefined) {
      ofMedia = new WeakMap();
      this.#forms.set(media, ofMedia);
    }
    const forms = ofMedia.get(served) ?? [];
    let form = forms.find((one) => one.framing === framing);
    if (form === undefined) {
      const { clock, failed } = this.#parts;
      form = new EncoderForm({ served, media, framing, clock, failed });
      ofMedia.set(served, [...forms, form]);
    }
    return form;
  }

  #contextOf(served: ServedResource): SessionContext {
    let context = this.#contexts.get(served);
    if (context === undefined) {
      const { clock, failed, meters } = this.#parts;
      context = { clock, failed, meter: meters?.of(served.facts) };
      this.#contexts.set(served, context);
    }
    return context;
  }

  #scheduleBookmarks(): () => void {
    return this.#parts.clock.after(BOOKMARK_EVERY_MS, () => {
      for (const watch of this.#open) watch.endIfOver?.();
      for (const watch of new Set([...this.#open].map((one) => one.view))) watch.announceProgress();
      this.#cancelBookmarks = this.#scheduleBookmarks();
    });
  }
}

interface SessionEnds extends Pick<WatchSessionsParts, 'clock' | 'meters'> {
  readonly open: Set<OpenWatch>;
}

/** Tells the request of a watch, and the meters, how far that has come. */
class AnsweredRequest implements WatchRequest {
  readonly #parts: SessionEnds;
  readonly #request: ReceivedRequest;

  constructor(parts: SessionEnds, request: ReceivedRequest) {
    this.#parts = parts;
    this.#request = request;
  }

  initialized({ shape, sendsInitialEvents }: WatchSession): void {
    const { clock, meters } = this.#parts;
    const request = this.#request;
    request.waits();
    if (!sendsInitialEvents) return;
    meters?.listed(shape.facts, shape.selection, clock.now() - request.receivedAt);
  }

  ended(session: WatchSession): void {
    this.#parts.open.delete(session);
    this.#request.finish({ code: 200, sizeBytes: 0 });
  }
}
