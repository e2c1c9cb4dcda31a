/**
 * A WebSocket as the library needs it, so that it runs on the one that browsers have and on that of the
 * package ws in Node.
 */

/** The answer of a server that refused the handshake; browsers do not tell it. */
export interface HandshakeRefusal {
  /** As of an HTTP answer: 503. */
  readonly code: number;
  /** Of the header Retry-After; 0: there was none. */
  readonly retryAfterSeconds: number;
}

/** What the library is told of a socket; after `closed` it is told nothing more. */
export interface SocketEvents {
  /** Messages may be sent. */
  readonly opened: () => void;
  /** A whole message of text. */
  readonly message: (text: string) => void;
  /** It has ended, or never came to be. @param reason in English, '' for none. */
  readonly closed: (code: number, reason: string, refusal?: HandshakeRefusal) => void;
}

export interface LiveSocket {
  /** Only once it is open. */
  send(text: string): void;
  /** `closed` may come later, or never. */
  close(): void;
}

/** What a socket is opened by. */
export interface SocketRequest {
  /** `wss://…`, with the path. */
  readonly url: string;
  /** In the order of preference. */
  readonly protocols: readonly string[];
}

/** Opens a socket; never throws, and tells of a failure by `closed`. */
export type OpenSocket = (request: SocketRequest, events: SocketEvents) => LiveSocket;
