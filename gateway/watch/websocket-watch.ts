/**
 * Watches over WebSocket, on the same URL: the request crosses all filters before the
 * handshake is answered, so a refusal is an ordinary HTTP answer.
 *
 * Frames are written to the socket as they were rendered, once for all watchers of the same
 * shape; `ws` does the handshake and everything that the client sends.
 *
 * In Kubernetes: HandleWS, apiserver/pkg/endpoints/handlers/watch.go.
 */
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { formatJson } from '../../api/json/json-text.ts';
import type { Ref } from '../../actors/request/actor.ts';
import { BEARER_PROTOCOL_PREFIX } from '../../actors/authentication/bearer-token.ts';
import { badRequest } from '../../api/meta/status.ts';
import type {
  Answer,
  DocumentAnswer,
  UpgradeAnswer,
  UpgradedClient,
} from '../../actors/request/answer.ts';
import type { Connection, RequestLine } from '../../actors/request/request-line.ts';
import type { Door, ReceivedRequest } from '../../actors/request/request.ts';
import { receivedRequest } from '../../actors/request/server-request.ts';
import { requestLine } from '../inbound/request-reader.ts';
import type { WatchSessions } from './watch-sessions.ts';
import type { WatchWire } from './watch-session.ts';

const SWITCHING_PROTOCOLS = 101;
const NORMAL_CLOSURE = 1_000;
const NO_CONTENT = 204;
const BAD_REQUEST = 400;

/** Clients have nothing to say on a watch. */
const CLIENT_MESSAGE_BYTES_MAX = 4_096;

/** Takes the upgrades of one server; each socket is closed when its watch has ended. */
export class WebSocketWatches {
  readonly #filterChain: Ref<ReceivedRequest>;
  readonly #sessions: Pick<WatchSessions, 'overWebSocket'>;
  readonly #meant: (line: RequestLine) => RequestLine;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: CLIENT_MESSAGE_BYTES_MAX,
    handleProtocols: (offered) =>
      [...offered].find((one) => !one.startsWith(BEARER_PROTOCOL_PREFIX)) ?? false,
  });

  /** @param meant the line by which the server goes on. */
  constructor(
    filterChain: Ref<ReceivedRequest>,
    sessions: Pick<WatchSessions, 'overWebSocket'>,
    meant: (line: RequestLine) => RequestLine = (line) => line,
  ) {
    this.#filterChain = filterChain;
    this.#sessions = sessions;
    this.#meant = meant;
  }

  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer, connection: Connection): void {
    socket.on('error', () => {
      socket.destroy();
    });
    const line = requestLine({
      method: incoming.method ?? 'GET',
      target: incoming.url ?? '/',
      headers: incoming.headers,
      rawHeaders: incoming.rawHeaders,
      connection: { ...connection, isUpgraded: true },
      isWebSocket: true,
    });
    const door: Door = {
      readBody: () => ({ ok: true, bytes: Buffer.alloc(0) }),
      whenGone(callback) {
        if (socket.destroyed) callback();
        else socket.once('close', callback);
      },
      answer: (request, answer) => {
        this.#answer(request, answer, { incoming, socket, head });
      },
    };
    this.#filterChain.send(receivedRequest(this.#meant(line), door));
  }

  #answer(
    request: ReceivedRequest,
    answer: Answer,
    { incoming, socket, head }: { incoming: IncomingMessage; socket: Duplex; head: Buffer },
  ): void {
    if (answer.kind === 'Upgrade') {
      beginUpgraded(request, answer, { incoming, socket, head });
      return;
    }
    if (answer.kind !== 'Watch') {
      answerPlainly(request, socket, plainAnswer(answer));
      return;
    }
    this.#server.handleUpgrade(incoming, socket, head, (webSocket) => {
      this.#sessions.overWebSocket(wireOf(webSocket, socket), request, answer);
    });
    // A handshake that `ws` refused has ended the socket, and with it the request.
    if (socket.destroyed || socket.writableEnded) request.finish({ code: 400, sizeBytes: 0 });
  }
}

function beginUpgraded(
  request: ReceivedRequest,
  answer: UpgradeAnswer,
  client: UpgradedClient,
): void {
  const ended = (): void => {
    request.finish({ code: SWITCHING_PROTOCOLS, sizeBytes: 0 });
  };
  const { socket } = client;
  if (socket.destroyed) {
    ended();
    return;
  }
  socket.once('close', ended);
  answer.begin(client);
}

function wireOf(webSocket: WebSocket, socket: Duplex): WatchWire {
  webSocket.on('error', () => {
    webSocket.terminate();
  });
  return {
    write: (chunk) =>
      socket.destroyed || webSocket.readyState !== webSocket.OPEN || socket.write(chunk),
    end() {
      webSocket.close(NORMAL_CLOSURE);
    },
    listen(listener) {
      socket.on('drain', () => {
        listener.drained();
      });
      if (socket.destroyed) listener.closed();
      else {
        socket.once('close', () => {
          listener.closed();
        });
      }
    },
  };
}

type PlainAnswer = Pick<DocumentAnswer, 'code' | 'headers' | 'body'>;

/** A Status, but where a document says already that there is nothing, as of an unknown path. */
function plainAnswer(answer: Answer): PlainAnswer {
  if (answer.kind === 'Document') {
    if (answer.code === NO_CONTENT || answer.code >= BAD_REQUEST) return answer;
  }
  const status =
    answer.kind === 'Status' ? answer.status : badRequest('only watches are served over WebSocket');
  const headers = { 'Content-Type': 'application/json' };
  return { code: status.code, headers, body: Buffer.from(formatJson(status)) };
}

/** An HTTP answer on a socket that has left the HTTP server's hands. */
function answerPlainly(
  request: ReceivedRequest,
  socket: Duplex,
  { code, headers: own, body }: PlainAnswer,
): void {
  const headers = {
    ...request.responseHeaders,
    ...own,
    'Content-Length': String(body.length),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${String(code)} ${STATUS_CODES[code] ?? ''}`, ...lines];
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
  // A client that keeps its half open must not keep ours.
  socket.end(bytes, () => {
    socket.destroy();
  });
  request.finish({ code, sizeBytes: body.length });
}
