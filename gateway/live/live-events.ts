/**
 * The twin of the WebSocket for Server-Sent Events: the same messages, one way. All that is subscribed to stands
 * in the query, and `Last-Event-ID` is the place from which all of it goes on.
 *
 * A place holds for all subscriptions at once. So it is told only behind what was sent in one go, in an
 * event of its own, and only while every one of them is live.
 */
import { type Answer, statusAnswer } from '../../actors/request/answer.ts';
import { headerValues } from '../../actors/request/header-values.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { parseJson } from '../../api/json/json-text.ts';
import { isJsonObject, type JsonObject } from '../../api/json/json.ts';
import { LIVE_EVENTS_PATH } from '../../api/live/live-limits.ts';
import { SUBSCRIBE, type SubscribeMessage } from '../../api/live/live-messages.ts';
import { problemOf } from '../../api/live/message-schema.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { badRequest, methodNotAllowed } from '../../api/meta/status.ts';
import { queryValues } from '../../api/meta/web-addresses.ts';
import type { Route } from '../routes/route.ts';
import type { LateLiveHub, LiveHub } from './live-hub.ts';
import { openingOf } from './live-request.ts';
import { liveRoute, welcome } from './live-route.ts';
import type { LiveWire, OutgoingMessage } from './live-wire.ts';

const UNSENT_BYTES_MAX = 1024 * 1024;
/** So often something is sent, so that no proxy takes the connection for dead. */
const COMMENT_MS = 15_000;
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/** Both ways to a live connection. @param live has its hub when a client comes, since the filters are put together behind the routes. */
export function liveRoutes(live: LateLiveHub, clock: Clock): readonly Route[] {
  const hub = () => live.hub;
  return [liveRoute(hub, clock), liveEventsRoute(hub, clock)];
}

function liveEventsRoute(hub: () => LiveHub, clock: Clock): Route {
  return (request) => {
    const { path, at, fork } = request.info;
    if (path !== LIVE_EVENTS_PATH || at !== '' || fork !== '') return undefined;
    if (request.method !== 'GET') return statusAnswer(methodNotAllowed());
    const asked = subscriptionsIn(request);
    if (typeof asked === 'string') return statusAnswer(badRequest(asked));
    return eventsAnswer(request, asked, { hub: hub(), clock });
  };
}

interface Here {
  readonly hub: LiveHub;
  readonly clock: Clock;
}

function eventsAnswer(
  request: AuthenticatedRequest,
  asked: readonly SubscribeMessage[],
  { hub, clock }: Here,
): Answer {
  async function* chunks(gone: AbortSignal): AsyncGenerator<Buffer> {
    const wire = new EventsWire();
    const connection = hub.open(wire, openingOf(request), () => undefined);
    gone.addEventListener('abort', () => {
      wire.close();
    });
    connection.send(welcome(request, clock));
    for (const message of asked) connection.subscribe(message);
    try {
      for (;;) {
        const chunk = await wire.next(clock);
        if (chunk === undefined) return;
        yield chunk;
        connection.drained();
      }
    } finally {
      connection.closed();
    }
  }
  return { kind: 'Stream', headers: HEADERS, chunks };
}

/** What is wrong with the request, or what it asks for. */
function subscriptionsIn(request: AuthenticatedRequest): SubscribeMessage[] | string {
  const texts = queryValues(request.query, 'subscribe');
  if (texts.length === 0) return 'subscribe must be given: a message as JSON';
  const [place = ''] = headerValues(request, 'last-event-id');
  if (!/^\d{0,16}$/.test(place)) return 'Last-Event-ID is none that was given out';
  const messages: SubscribeMessage[] = [];
  const ids = new Set<string>();
  for (const text of texts) {
    const message = messageIn(text, place);
    if (typeof message === 'string') return message;
    if (ids.has(message.id)) return `subscribe: the id ${JSON.stringify(message.id)} stands twice`;
    ids.add(message.id);
    messages.push(message);
  }
  return messages;
}

function messageIn(text: string, place: string): SubscribeMessage | string {
  let value;
  try {
    value = parseJson(text);
  } catch {
    return 'subscribe is not JSON';
  }
  if (!isJsonObject(value)) return 'subscribe is not an object';
  const message = { ...value, type: 'subscribe' };
  const problem = problemOf(SUBSCRIBE, message);
  if (problem !== undefined) return `subscribe: ${problem}`;
  const asked = message as JsonObject as SubscribeMessage; // By its schema.
  if (asked.credit !== undefined) return 'subscribe: credit is for the WebSocket';
  const isFollowing = asked.at === undefined && asked.window === undefined;
  const isOfObjects = !asked.path.startsWith('/everwatch/');
  return place !== '' && isFollowing && isOfObjects ? { ...asked, from: place } : asked;
}

/** Gathers what is sent until the client has taken what came before. */
class EventsWire implements LiveWire {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isClosed = false;
  #wake: () => void = () => undefined;

  get isFull(): boolean {
    return this.#bytes > UNSENT_BYTES_MAX;
  }

  send({ type, parts }: OutgoingMessage): void {
    this.#push(Buffer.from(`event: ${type}\ndata: `));
    for (const part of parts) this.#push(inOneLine(part));
    this.#push(END);
  }

  flush(): void {
    if (this.#bytes > 0) this.#wake();
  }

  reached(revision: string): void {
    this.#push(Buffer.from(`id: ${revision}\nevent: place\ndata: {}\n\n`));
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** What there is to send; undefined: nothing comes any more. */
  async next(clock: Clock): Promise<Buffer | undefined> {
    if (!this.#hasNews && (await this.#isQuiet(clock))) return COMMENT;
    const chunk = this.#bytes === 0 ? undefined : Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces = [];
    this.#bytes = 0;
    return chunk;
  }

  /** Whether nothing was sent for long. */
  #isQuiet(clock: Clock): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = clock.after(COMMENT_MS, () => {
        resolve(true);
      });
      this.#wake = () => {
        cancel();
        resolve(false);
      };
    });
  }

  get #hasNews(): boolean {
    return this.#bytes > 0 || this.#isClosed;
  }

  #push(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
  }
}

const END = Buffer.from('\n\n');
const COMMENT = Buffer.from(':\n\n');
const LINE_BREAK = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** In JSON a line break can stand between values only, where any white space may. */
function inOneLine(bytes: Buffer): Buffer {
  if (!bytes.includes(LINE_BREAK) && !bytes.includes(CARRIAGE_RETURN)) return bytes;
  return bytes.map((byte) =>
    byte === LINE_BREAK || byte === CARRIAGE_RETURN ? SPACE : byte,
  ) as Buffer;
}
