/**
 * The request that a subscription stands for: a GET with the credentials of its socket, which crosses all
 * filters as any other. So what a subscription may see is decided where it is decided for every request, and
 * audit and fairness know of it.
 */
import type { Ref } from '../../actors/request/actor.ts';
import { tokenOffered } from '../../actors/authentication/bearer-token.ts';
import type { Answer } from '../../actors/request/answer.ts';
import type { Connection, IncomingHeaders } from '../../actors/request/request-line.ts';
import type { AuthenticatedRequest, Door, ReceivedRequest } from '../../actors/request/request.ts';
import { receivedRequest } from '../../actors/request/server-request.ts';
import { lineOf, type Target } from '../inbound/request-reader.ts';

/** What a socket was opened with. */
export interface Opening {
  readonly headers: IncomingHeaders;
  /** Names and values by turns. */
  readonly rawHeaders: readonly string[];
  readonly connection: Connection;
}

/** As it was sent: the filters have taken the credential away. */
export function openingOf(request: AuthenticatedRequest): Opening {
  const { headers, rawHeaders = [], connection } = request;
  return { headers, rawHeaders, connection };
}

/** Where a subscription takes its answer. It is the door of the request itself, as it is held as long as that is open. */
export abstract class Asking implements Door {
  /** Called once. */
  abstract answer(request: ReceivedRequest, answer: Answer): void;
  /** Has it called back when the subscription has ended. */
  abstract whenGone(callback: () => void): void;

  readBody() {
    return NO_BODY;
  }
}

/** Has an answer taken by functions, where it is not one of thousands. */
export class AskingOnce extends Asking {
  readonly #answered: (request: ReceivedRequest, answer: Answer) => void;
  readonly #whenGone: (callback: () => void) => void;

  constructor(answered: Asking['answer'], whenGone: Asking['whenGone']) {
    super();
    this.#answered = answered;
    this.#whenGone = whenGone;
  }

  answer(request: ReceivedRequest, answer: Answer): void {
    this.#answered(request, answer);
  }

  whenGone(callback: () => void): void {
    this.#whenGone(callback);
  }
}

const NO_BODY = { ok: true, bytes: Buffer.alloc(0) } as const;

/** Of the connection, of the body or of this one request. */
const OWN_HEADERS =
  /^(?:connection|upgrade|keep-alive|te|trailer|transfer-encoding|accept|accept-encoding|content-[a-z-]+|sec-websocket-[a-z-]+|last-event-id|audit-id|traceparent|tracestate)$/;
const IN_JSON = ['Accept', 'application/json'] as const;

/** Makes requests with the credentials of one socket. */
export class LiveRequests {
  readonly #chain: Ref<ReceivedRequest>;
  readonly #connection: Connection;
  readonly #headers: IncomingHeaders;
  readonly #rawHeaders: readonly string[];

  constructor(chain: Ref<ReceivedRequest>, opening: Opening) {
    this.#chain = chain;
    this.#connection = opening.connection;
    this.#rawHeaders = carriedHeaders(opening);
    this.#headers = joined(this.#rawHeaders);
  }

  ask(target: Target, asking: Asking): void {
    this.#chain.send(this.made(target, asking));
  }

  /** The request, which is not sent. */
  made(target: Target, asking: Asking): ReceivedRequest {
    const line = lineOf(target, {
      method: 'GET',
      // A filter may take headers away.
      headers: { ...this.#headers },
      rawHeaders: this.#rawHeaders,
      connection: this.#connection,
      isWebSocket: false,
    });
    return receivedRequest(line, asking);
  }
}

/** What a browser offers as a subprotocol becomes the header that it could not set. */
function carriedHeaders(opening: Opening): readonly string[] {
  const { rawHeaders } = opening;
  const carried: string[] = [];
  let hasCredential = false;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    const lower = name.toLowerCase();
    if (lower.startsWith(':') || OWN_HEADERS.test(lower)) continue;
    if (lower === 'authorization') {
      if (!isBearer(value)) continue;
      hasCredential = true;
    }
    carried.push(name, value);
  }
  const token = hasCredential ? undefined : tokenOffered(opening);
  if (token !== undefined) carried.push('Authorization', `Bearer ${token}`);
  carried.push(...IN_JSON);
  return carried;
}

/** Any other says nothing to the filters either. */
function isBearer(value: string): boolean {
  const credential = value.trim();
  return credential.length > BEARER.length && credential.toLowerCase().startsWith(BEARER);
}

const BEARER = 'bearer ';

/** As Node does it for most names. */
function joined(rawHeaders: readonly string[]): IncomingHeaders {
  const headers = Object.create(null) as Record<string, string>; // Names are the client's.
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return { ...headers };
}
