/**
 * `everwatch/client` in Node, on the WebSocket of the package ws, which can show a client certificate and
 * take an authority of its own.
 */
import type { IncomingMessage } from 'node:http';
import { type ClientOptions, WebSocket } from 'ws';
import type { ConnectionOptions } from './live-connection.ts';
import { liveClient, type LiveClient } from './live-client.ts';
import type { HandshakeRefusal, LiveSocket, OpenSocket, SocketEvents } from './live-socket.ts';

export { LiveError } from './live-error.ts';
export type { ConnectionOptions, ConnectionState } from './live-connection.ts';
export type { Change, HistoryOf, LiveClient, LogLine, RowsOptions } from './live-client.ts';
export type { WatchOptions } from './live-frames.ts';
export type { Row, Rows } from './live-rows.ts';
export type { ObjectAt } from './typed-path.ts';

/** As PEM: what a kubeconfig file names. */
export interface TlsFiles {
  /** The authority of the server; that of Node unless said. */
  readonly ca?: string;
  /** The client certificate. */
  readonly cert?: string;
  /** The key of that certificate. */
  readonly key?: string;
}

/** What one handshake is made with. */
export interface PreparedHandshake {
  /** Makes the connection, and judges the server. */
  readonly agent?: ClientOptions['agent'];
  /** As `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Told the code of an answer that refuses the handshake, and 401 when the credentials hold no longer. */
  readonly answered?: (code: number) => void;
}

/** How a connection is made in Node, where the token is not all. */
export interface NodeOptions {
  readonly tls?: TlsFiles;
  /** Asked before each handshake, for credentials that change. Where it throws, it is asked again later. */
  readonly prepare?: () => Promise<PreparedHandshake>;
}

const ABNORMAL = 1_006;
const CLOSED_UNAUTHENTICATED = 4_401;
const UNAUTHORIZED = 401;
const REFUSAL_BYTES_MAX = 64 * 1024;

function openSocket({ tls = {}, prepare }: NodeOptions): OpenSocket {
  return ({ url, protocols }, events) => {
    const begin = (prepared: PreparedHandshake): WebSocket => {
      const { agent, headers = {} } = prepared;
      const socket = new WebSocket(url, [...protocols], {
        ...tls,
        ...(agent === undefined ? {} : { agent }),
        headers,
        perMessageDeflate: false,
      });
      listen(socket, prepared, events);
      return socket;
    };
    return prepare === undefined ? opened(begin({})) : openedLater(prepare, begin, events);
  };
}

function opened(socket: WebSocket): LiveSocket {
  return {
    send: (text) => {
      socket.send(text);
    },
    close: () => {
      socket.terminate();
    },
  };
}

function openedLater(
  prepare: () => Promise<PreparedHandshake>,
  begin: (prepared: PreparedHandshake) => WebSocket,
  events: SocketEvents,
): LiveSocket {
  let socket: LiveSocket | undefined;
  let isClosed = false;
  prepare().then(
    (prepared) => {
      if (!isClosed) socket = opened(begin(prepared));
    },
    (error: unknown) => {
      events.closed(ABNORMAL, error instanceof Error ? error.message : String(error));
    },
  );
  return {
    send: (text) => socket?.send(text),
    close: () => {
      isClosed = true;
      socket?.close();
    },
  };
}

function listen(socket: WebSocket, prepared: PreparedHandshake, events: SocketEvents): void {
  let why = '';
  let refusal: HandshakeRefusal | undefined;
  socket.on('open', events.opened);
  socket.on('message', (data: Buffer) => {
    events.message(data.toString());
  });
  socket.on('error', (error) => {
    if (refusal === undefined) why = error.message;
  });
  socket.on('unexpected-response', (_request, response) => {
    const code = response.statusCode ?? 0;
    const retryAfterSeconds = Number(response.headers['retry-after'] ?? 0) || 0;
    refusal = { code, retryAfterSeconds };
    why = String(code);
    prepared.answered?.(code);
    sentenceOf(response, (sentence) => {
      why = sentence === '' ? why : sentence;
      socket.terminate();
    });
  });
  socket.on('close', (code, reason) => {
    const { answered } = prepared;
    const isRenewed = code === CLOSED_UNAUTHENTICATED && answered !== undefined;
    // The next handshake is made with other credentials, and says whether those hold.
    if (isRenewed) answered(UNAUTHORIZED);
    const text = reason.length > 0 ? reason.toString() : why;
    events.closed(isRenewed ? ABNORMAL : code, text, refusal);
  });
}

/** The message of the Status in the answer, or the beginning of whatever else it is. */
function sentenceOf(response: IncomingMessage, then: (sentence: string) => void): void {
  let text = '';
  const tell = (): void => {
    then(messageIn(text));
  };
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.length > REFUSAL_BYTES_MAX) response.destroy();
  });
  response.once('close', tell);
}

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // It is none of a Kubernetes API server.
  }
  return text.trim().slice(0, 200);
}

/** @param url `https://host:port`. */
export function connect(
  url: string,
  { tls, prepare, ...options }: Partial<Omit<ConnectionOptions, 'url'>> & NodeOptions = {},
): LiveClient {
  const open = openSocket({
    ...(tls === undefined ? {} : { tls }),
    ...(prepare === undefined ? {} : { prepare }),
  });
  return liveClient({ open, ...options, url });
}
