/**
 * Headlamp's multiplexer: one WebSocket that carries the watches of the page, each in messages that name its cluster,
 * path, query and user. Here it is a live connection that speaks another language: each watch is a
 * subscription, a request of its own with the right of its own, and goes on where it is for as long as that holds.
 *
 * Its messages are those of Headlamp's backend, but that COMPLETE comes once, behind what was there, and that
 * watches of one path with different queries are different watches.
 */
import { type Answer, statusAnswer } from '../../actors/request/answer.ts';
import { HEADLAMP_PATH } from '../../actors/request/page-paths.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { ownValue } from '../../api/json/own-property.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { badRequest } from '../../api/meta/status.ts';
import { queryValue } from '../../api/meta/web-addresses.ts';
import type { LiveConnection } from '../live/live-connection.ts';
import type { HeadlampClusters } from '../flags/headlamp-clusters.ts';
import type { LateLiveHub } from '../live/live-hub.ts';
import { openingOf } from '../live/live-request.ts';
import { socketsFor, type SocketListener } from '../live/live-socket.ts';
import type { LiveWire, OutgoingMessage } from '../live/live-wire.ts';

const openSocket = socketsFor('headlamp.multiplexer.k8s.io');
const SELECTORS = ['labelSelector', 'fieldSelector'];
const FIELDS_CHARACTERS_MAX = 16_384;

interface MultiplexerParts {
  readonly clusters: HeadlampClusters;
  readonly live: LateLiveHub;
  readonly clock: Clock;
}

/** The answer to a handshake; a client may offer the subprotocol, or none. */
export function multiplexerAnswer(request: AuthenticatedRequest, parts: MultiplexerParts): Answer {
  if (!request.isWebSocket) return statusAnswer(badRequest('the multiplexer is a WebSocket'));
  return {
    kind: 'Upgrade',
    begin(client) {
      openSocket(client, parts.clock, (wire) => {
        const multiplexer = new Multiplexer(wire, parts.clusters);
        const opening = openingOf(request);
        multiplexer.use(parts.live.hub.open(multiplexer, opening, () => undefined));
        return multiplexer;
      });
    },
  };
}

/** What both sides say with each message about a watch, as the page wrote it. */
interface Routing {
  readonly clusterId: string;
  readonly path: string;
  readonly query: string;
  readonly userId: string;
}

interface Watch {
  readonly routing: Routing;
  /** Whether the page was told that it is connected. */
  isConnected: boolean;
  /** Whether what was there has been sent. */
  isComplete: boolean;
}

/** The live connection behind it. */
type Listening = Pick<LiveConnection, 'receive' | 'drained' | 'end' | 'closed'>;

/** The wire of a live connection, which it translates, and what listens to the page. */
export class Multiplexer implements LiveWire, SocketListener {
  readonly #wire: LiveWire;
  readonly #clusters: HeadlampClusters;
  readonly #watches = new Map<string, Watch>();
  readonly #ids = new Map<string, string>();
  #connection: Listening | undefined;
  #made = 0;

  constructor(wire: LiveWire, clusters: HeadlampClusters) {
    this.#wire = wire;
    this.#clusters = clusters;
  }

  use(connection: Listening): void {
    this.#connection = connection;
  }

  get isFull(): boolean {
    return this.#wire.isFull;
  }

  /** A message of the page; what names no watch is passed over, as there is nothing to answer under. */
  receive(text: string): void {
    const asked = askedIn(text);
    if (asked === undefined) return;
    const { type, routing } = asked;
    const key = watchKey(routing);
    const id = this.#ids.get(key);
    if (type === 'CLOSE') {
      if (id !== undefined) this.#tell({ type: 'unsubscribe', id });
    } else if (type !== 'REQUEST') {
      this.#refuse(routing, `unsupported message type: ${type}`);
    } else {
      const place = this.#clusters.get(routing.clusterId);
      const names = [...this.#clusters.keys()].join(', ');
      if (place === undefined) this.#refuse(routing, `the clusters are ${names}`);
      else if (id === undefined) this.#begin(routing, key, place);
    }
  }

  send(message: OutgoingMessage): void {
    const said = parseJson(Buffer.concat(message.parts).toString()) as JsonObject; // One of our own.
    const id = ownValue(said, 'id');
    const watch = typeof id === 'string' ? this.#watches.get(id) : undefined;
    if (watch === undefined || typeof id !== 'string') return;
    switch (message.type) {
      case 'next':
        this.#showEvents(id, watch, said);
        break;
      case 'caughtUp':
        this.#connected(watch);
        if (!watch.isComplete) this.#say(watch.routing, 'COMPLETE');
        watch.isComplete = true;
        break;
      case 'error':
        this.#forget(id, watch);
        this.#refuse(watch.routing, messageOf(said));
        break;
      case 'complete':
        this.#forget(id, watch);
        this.#state(watch, 'closed');
        break;
      default:
    }
  }

  flush(): void {
    this.#wire.flush();
  }

  close(code: number, reason: string): void {
    this.#wire.close(code, reason);
  }

  drained(): void {
    this.#connection?.drained();
  }

  end(code: number, reason: string): void {
    this.#connection?.end(code, reason);
  }

  closed(): void {
    this.#connection?.closed();
  }

  #begin(routing: Routing, key: string, place: string): void {
    this.#made += 1;
    const id = String(this.#made);
    this.#ids.set(key, id);
    this.#watches.set(id, { routing, isConnected: false, isComplete: false });
    const { path, query } = routing;
    const version = queryValue(query, 'resourceVersion') ?? '';
    const selectors = SELECTORS.flatMap((name) => {
      const value = queryValue(query, name) ?? '';
      return value === '' ? [] : [`${name}=${encodeURIComponent(value)}`];
    });
    const from = version === '' || version === '0' ? {} : { from: version };
    const asked = { path: place + pathInApi(path), query: selectors.join('&'), ...from };
    this.#tell({ type: 'subscribe', id, ...asked });
  }

  #tell(message: JsonObject): void {
    this.#connection?.receive(formatJson(message));
  }

  #showEvents(id: string, watch: Watch, said: JsonObject): void {
    // What was shown is void, for which this language has no word: the page is to list again.
    if (ownValue(said, 'reset') === true && watch.isComplete) {
      this.#forget(id, watch);
      this.#refuse(watch.routing, 'too old resource version');
      this.#tell({ type: 'unsubscribe', id });
      return;
    }
    this.#connected(watch);
    const events = ownValue(said, 'events');
    if (!Array.isArray(events)) return;
    for (const event of events) this.#say(watch.routing, 'DATA', event);
  }

  #connected(watch: Watch): void {
    if (!watch.isConnected) this.#state(watch, 'connected');
    watch.isConnected = true;
  }

  /** Without the query, by which the page would take it for an event. */
  #state({ routing: { clusterId, path } }: Watch, state: string): void {
    this.#say({ clusterId, path, query: '', userId: '' }, 'STATUS', { state, error: '' });
  }

  #refuse(routing: Routing, error: string): void {
    this.#say(routing, 'ERROR', { error });
    this.#wire.flush();
  }

  #say(routing: Routing, type: string, data?: JsonValue): void {
    const body = data === undefined ? {} : { data: formatJson(data) };
    const text = formatJson({ ...routing, ...body, type });
    this.#wire.send({ type: 'next', parts: [Buffer.from(text)] });
  }

  #forget(id: string, { routing }: Watch): void {
    this.#watches.delete(id);
    this.#ids.delete(watchKey(routing));
  }
}

/** The page puts together what it asks for as an address behind its own base. */
function pathInApi(path: string): string {
  return path.startsWith(HEADLAMP_PATH) ? path.slice(HEADLAMP_PATH.length - 1) : path;
}

/** No path has a line break, and no name of a cluster. */
function watchKey({ clusterId, path, query, userId }: Routing): string {
  return [clusterId, path, query, userId].join('\n');
}

/** undefined: it cannot be told which watch it is about. */
function askedIn(text: string): { readonly type: string; readonly routing: Routing } | undefined {
  let message;
  try {
    message = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(message)) return undefined;
  const said = message;
  const field = (name: string): string => {
    const value = ownValue(said, name);
    return typeof value === 'string' ? value : '';
  };
  const routing = {
    ...{ clusterId: field('clusterId'), path: field('path') },
    ...{ query: field('query'), userId: field('userId') },
  };
  const { clusterId, path, userId } = routing;
  const type = field('type');
  if ([clusterId, path, userId, type].includes('')) return undefined;
  if (Object.values(routing).join('').length > FIELDS_CHARACTERS_MAX) return undefined;
  return { type, routing };
}

function messageOf(said: JsonObject): string {
  const status = ownValue(said, 'status');
  const message = isJsonObject(status) ? ownValue(status, 'message') : undefined;
  return typeof message === 'string' ? message : 'the watch has failed';
}
