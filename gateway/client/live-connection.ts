/**
 * One socket of the live protocol, kept open: what is subscribed stays subscribed when the connection is
 * lost, and goes on behind the last revision that was seen, on whichever replica answers then. A seek
 * moves all of it at once: what comes between a seek and its `moved` is handed on together.
 */
import {
  asyncScheduler,
  BehaviorSubject,
  type SchedulerLike,
  Subject,
  type Subscription,
} from 'rxjs';
import type { ClientMessage, SeekMessage, ServerMessage } from '../../api/live/live-messages.ts';
import { backOffMs, chance, isPassing } from './back-off.ts';
import { LiveError, type LiveStatus } from './live-error.ts';
import type { HandshakeRefusal, LiveSocket, OpenSocket } from './live-socket.ts';
import { RefusedSubscriptions } from './refused-subscriptions.ts';

type Welcome = Extract<ServerMessage, { type: 'welcome' }>;
type Moved = Extract<ServerMessage, { type: 'moved' }>;
/** What one subscription hears. */
export type HeardMessage = Extract<
  ServerMessage,
  { type: 'next' | 'caughtUp' | 'rows' | 'complete' }
>;

/** How the connection is. */
export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open'; readonly user: string }
  /** How often in a row it has failed, and how long it waits for the next attempt. */
  | {
      readonly kind: 'waiting';
      readonly failures: number;
      readonly waitsMs: number;
      /** Why the last one failed, in English; '' where the socket does not tell. */
      readonly reason: string;
    }
  /** It will not come back: it was closed, the credentials do not hold, or the server refuses the user. */
  | { readonly kind: 'closed'; readonly error?: LiveError };

/** Where to, and by which means. */
export interface ConnectionOptions {
  /** `https://host:port`, or a path of this server; `/everwatch/v1/live` is put behind. */
  readonly url: string;
  /** Asked at each connect; '' for none, as with client certificates. */
  readonly token?: string | (() => string);
  /** In Node that of the package ws, in browsers their own. */
  readonly open: OpenSocket;
  /** Reads a message; JSON.parse unless said, in which numbers beyond 2^53 are not exact. */
  readonly parse?: (text: string) => unknown;
  /** What timers are of; rxjs's own unless said. */
  readonly scheduler?: SchedulerLike;
}

/** A subscription as the connection knows it. */
export interface Subscriber {
  /** What to send now; asked at each connect, so it goes on from where it is. */
  readonly request: () => Omit<Extract<ClientMessage, { type: 'subscribe' }>, 'type' | 'id'>;
  /** In the order in which it was sent. */
  readonly hear: (message: HeardMessage) => void;
  /** Its end by the server, or of the connection. */
  readonly fail: (error: LiveError) => void;
  /** The moment of the socket has changed: what it has seen is no place to go on from. */
  readonly forget: () => void;
}

const PATH = '/everwatch/v1/live';
const PROTOCOL: Welcome['protocol'] = 'everwatch.watch.v1';
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';
const CLOSED_UNAUTHENTICATED = 4_401;
const UNAUTHORIZED = 401;
const MS = 1_000;
/** Without a message for so long, the server is asked whether it is there. */
const QUIET_MS = 15_000;

export class LiveConnection {
  /** How it is, from now on. */
  readonly state$ = new BehaviorSubject<ConnectionState>({ kind: 'connecting' });
  /** Each moment that the server has moved to, when all that belongs to it was handed on. */
  readonly moved$ = new Subject<Moved>();
  /** What the server found wrong with a message that is of no subscription, as a moment that is none. */
  readonly problem$ = new Subject<LiveError>();
  readonly #options: ConnectionOptions;
  readonly #scheduler: SchedulerLike;
  readonly #subscribers = new Map<string, Subscriber>();
  readonly #postponed: RefusedSubscriptions;
  #socket: LiveSocket | undefined;
  #isOpen = false;
  #failures = 0;
  #lastId = 0;
  #timer: Subscription | undefined;
  #quiet: Subscription | undefined;
  /** Where the socket shall be; undefined: now, as at the beginning. */
  #moment: Omit<SeekMessage, 'type'> | undefined;
  /** While a seek is under way: what has come, and whether another one shall follow. */
  #seeking: { readonly held: ServerMessage[]; again: boolean } | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#scheduler = options.scheduler ?? asyncScheduler;
    this.#postponed = new RefusedSubscriptions(this.#scheduler);
    this.#connect();
  }

  /** @returns what ends it; the subscriber hears nothing afterwards. */
  subscribe(subscriber: Subscriber): { readonly id: string; readonly end: () => void } {
    this.#lastId += 1;
    const id = `s${String(this.#lastId)}`;
    this.#subscribers.set(id, subscriber);
    if (this.#isOpen) this.send({ type: 'subscribe', id, ...subscriber.request() });
    return {
      id,
      end: () => {
        this.#postponed.forget(id);
        if (this.#subscribers.delete(id)) this.send({ type: 'unsubscribe', id });
      },
    };
  }

  /** Does nothing while there is no connection: the next one begins with what holds then. */
  send(message: ClientMessage): void {
    if (this.#isOpen) this.#socket?.send(JSON.stringify(message));
  }

  /**
   * Moves every subscription without a moment of its own; `{}` back to now. Of several that are asked for
   * while one is under way, only the last is sent.
   */
  seek(moment: Omit<SeekMessage, 'type'>): void {
    this.#moment = moment.at === undefined ? undefined : moment;
    for (const subscriber of this.#subscribers.values()) subscriber.forget();
    if (!this.#isOpen) return;
    if (this.#seeking !== undefined) {
      this.#seeking.again = true;
      return;
    }
    this.#seeking = { held: [], again: false };
    this.send({ type: 'seek', ...moment });
  }

  /** Ends all; nothing can be subscribed any more. */
  close(): void {
    this.#end(undefined);
  }

  #connect(): void {
    const { url, open } = this.#options;
    const own = { of: undefined as LiveSocket | undefined, isOver: false };
    const isCurrent = (): boolean => !own.isOver && this.state$.value.kind !== 'closed';
    own.of = open(
      { url: socketUrl(url), protocols: this.#protocols() },
      {
        opened: () => undefined,
        message: (text) => {
          if (isCurrent()) this.#heard(text);
        },
        closed: (code, reason, refusal) => {
          if (!isCurrent()) return;
          own.isOver = true;
          this.#lost(code, reason, refusal);
        },
      },
    );
    this.#socket = own.of;
    this.#listen();
  }

  #protocols(): string[] {
    const { token = '' } = this.#options;
    const text = typeof token === 'string' ? token : token();
    return text === '' ? [PROTOCOL] : [PROTOCOL, TOKEN_PROTOCOL + base64Url(text)];
  }

  #heard(text: string): void {
    const { parse = JSON.parse as (text: string) => unknown } = this.#options;
    // The server says in its first message that it speaks this protocol.
    const message = parse(text) as ServerMessage;
    this.#listen();
    if (message.type === 'welcome') {
      this.#begin(message);
      return;
    }
    if (message.type === 'moved') {
      this.#arrived(message);
      return;
    }
    if (message.type === 'error' && message.id === undefined) {
      this.#refused(new LiveError(message.status));
      return;
    }
    if (this.#seeking === undefined) this.#dispatch(message);
    else this.#seeking.held.push(message);
  }

  #begin({ user }: Welcome): void {
    this.#isOpen = true;
    this.#failures = 0;
    this.#seeking = undefined;
    if (this.#moment !== undefined) this.seek(this.#moment);
    this.#postponed.forgetAll();
    for (const [id, subscriber] of this.#subscribers) {
      this.send({ type: 'subscribe', id, ...subscriber.request() });
    }
    this.state$.next({ kind: 'open', user });
  }

  #arrived(moved: Moved): void {
    const { held = [], again = false } = this.#seeking ?? {};
    this.#seeking = undefined;
    // Time that ran has come to now.
    if (moved.at === undefined && !again) this.#moment = undefined;
    // Nothing of a moment that was left behind is shown, but the ends of subscriptions.
    for (const message of held) {
      if (!again || message.type === 'error' || message.type === 'complete')
        this.#dispatch(message);
    }
    if (again) this.seek(this.#moment ?? {});
    else this.moved$.next(moved);
  }

  /** A seek that makes no sense is not answered by `moved`. */
  #refused(error: LiveError): void {
    const { held = [], again = false } = this.#seeking ?? {};
    this.#seeking = undefined;
    for (const message of held) this.#dispatch(message);
    this.problem$.next(error);
    if (again) this.seek(this.#moment ?? {});
  }

  #dispatch(message: ServerMessage): void {
    if (message.type === 'pong' || message.type === 'welcome' || message.type === 'moved') return;
    const subscriber = message.id === undefined ? undefined : this.#subscribers.get(message.id);
    if (subscriber === undefined || message.id === undefined) return;
    const { id } = message;
    if (message.type === 'error' && this.#isAskedAgain(id, message.status)) return;
    this.#postponed.forget(id);
    if (message.type === 'error' || message.type === 'complete') this.#subscribers.delete(id);
    if (message.type === 'error') subscriber.fail(new LiveError(message.status));
    else subscriber.hear(message);
  }

  /** Where the server refuses for now only. */
  #isAskedAgain(id: string, status: LiveStatus): boolean {
    return this.#postponed.refused(id, status, () => {
      const subscriber = this.#subscribers.get(id);
      if (subscriber !== undefined) this.send({ type: 'subscribe', id, ...subscriber.request() });
    });
  }

  /** A server that is silent for long is asked, and given up when it stays silent. */
  #listen(): void {
    this.#quiet?.unsubscribe();
    this.#quiet = this.#scheduler.schedule(() => {
      this.send({ type: 'ping' });
      this.#quiet = this.#scheduler.schedule(() => {
        this.#socket?.close();
        this.#lost(0, 'the server does not answer');
      }, QUIET_MS);
    }, QUIET_MS);
  }

  #lost(code: number, reason: string, refusal?: HandshakeRefusal): void {
    this.#isOpen = false;
    this.#seeking = undefined;
    this.#quiet?.unsubscribe();
    this.#postponed.forgetAll();
    const status = refusal?.code ?? (code === CLOSED_UNAUTHENTICATED ? UNAUTHORIZED : 0);
    if (status !== 0 && !isPassing(status)) {
      const why = status === UNAUTHORIZED ? 'Unauthorized' : '';
      this.#end(new LiveError({ code: status, reason: why, message: reason }));
      return;
    }
    this.#failures += 1;
    const asked = (refusal?.retryAfterSeconds ?? 0) * MS;
    const waitsMs = Math.max(backOffMs(this.#failures, chance()), asked);
    this.state$.next({ kind: 'waiting', failures: this.#failures, waitsMs, reason });
    this.#timer = this.#scheduler.schedule(() => {
      this.#connect();
    }, waitsMs);
  }

  #end(error: LiveError | undefined): void {
    if (this.state$.value.kind === 'closed') return;
    this.#isOpen = false;
    this.#timer?.unsubscribe();
    this.#quiet?.unsubscribe();
    this.#postponed.forgetAll();
    this.#socket?.close();
    this.state$.next({ kind: 'closed', ...(error === undefined ? {} : { error }) });
    const ended =
      error ?? new LiveError({ reason: 'Closed', message: 'the connection was closed' });
    const subscribers = [...this.#subscribers.values()];
    this.#subscribers.clear();
    for (const subscriber of subscribers) subscriber.fail(ended);
  }
}

/** `https` becomes `wss`; what stands in front, as of a proxy or a fork, stays. */
function socketUrl(url: string): string {
  return `${url.replace(/^http/, 'ws').replace(/\/$/, '')}${PATH}`;
}

function base64Url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const plain = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return plain.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
