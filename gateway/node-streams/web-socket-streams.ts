/**
 * WebSockets of clients whose nodes do not understand them. A command over `v5.channel.k8s.io` is turned into
 * SPDY; a port-forward whose client speaks SPDY inside of WebSocket messages is taken out of them.
 *
 * The surprise: a command's WebSocket is opened before the node is called, so whatever goes wrong there is
 * told on the channel of errors, and not as an HTTP answer.
 *
 * In Kubernetes: StreamTranslatorHandler and TunnelingHandler, apiserver/pkg/util/proxy; wsstream,
 * k8s.io/streaming.
 */
import type { IncomingMessage } from 'node:http';
import { createWebSocketStream, type RawData, type WebSocket, WebSocketServer } from 'ws';
import { isJsonObject } from '../../api/json/json.ts';
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { internalError, type Status } from '../../api/meta/status.ts';
import type { StreamWish } from '../../actors/connect/node-connections.ts';
import type { UpgradedClient } from '../../actors/request/answer.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { NodeCommand, type CommandStatus } from './node-command.ts';
import type { Upgraded, UpgradedBackend } from './upgraded-connection.ts';
import { textOf } from './plain-proxy.ts';

/** What a client offers that wants a command's streams with an end of their input. */
export const COMMAND_PROTOCOL = 'v5.channel.k8s.io';
const TUNNEL_PREFIX = 'SPDY/3.1+';
const KUBERNETES_SUFFIX = 'k8s.io';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
const CLOSE = 255;

/** A longer message ends the connection. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
const NORMAL_CLOSURE = 1_000;
const EMPTY = Buffer.alloc(0);

/** What a WebSocket client offers, in its order; none where it is no such client. */
export function offeredProtocols({ headers, isWebSocket }: ReceivedRequest): readonly string[] {
  const upgrade = String(headers['upgrade'] ?? '').toLowerCase();
  if (!isWebSocket || upgrade !== 'websocket') return [];
  const offered = String(headers['sec-websocket-protocol'] ?? '');
  return offered.split(',').map((one) => one.trim());
}

/** The protocols inside of the tunnels that the client offers. */
export function tunnelledProtocols(offered: readonly string[]): readonly string[] {
  return offered
    .filter((one) => one.startsWith(TUNNEL_PREFIX) && one.endsWith(KUBERNETES_SUFFIX))
    .map((one) => one.slice(TUNNEL_PREFIX.length));
}

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MESSAGE_BYTES_MAX,
  handleProtocols: (_offered, { headers }) => String(headers[CHOSEN] ?? '') || false,
});
/** Under which the choice is handed to `ws`; no client can send it. */
const CHOSEN = ':everwatch-chosen-protocol';

/** Answers the handshake of the client, with this protocol; '': with none. */
export function opened(
  client: UpgradedClient,
  protocol: string,
  then: (webSocket: WebSocket) => void,
): void {
  const incoming = client.incoming as IncomingMessage; // The door hands over what it got.
  incoming.headers[CHOSEN] = protocol;
  server.handleUpgrade(incoming, client.socket, client.head, then);
}

/** The client's end of a tunnel, as the bytes that are in its messages. @returns whether it is there. */
export function openTunnel(
  client: UpgradedClient,
  backend: UpgradedBackend,
  join: (near: Pick<UpgradedClient, 'socket' | 'head'>, far: UpgradedBackend) => void,
): boolean {
  const inside = String(backend.response.headers['x-stream-protocol-version'] ?? '').trim();
  opened(client, inside === '' ? '' : `${TUNNEL_PREFIX}${inside}`, (webSocket) => {
    join({ socket: createWebSocketStream(webSocket), head: EMPTY }, backend);
  });
  // A handshake that `ws` has refused has ended the socket.
  const isRefused = client.socket.destroyed || client.socket.writableEnded;
  if (isRefused) backend.socket.destroy();
  return !isRefused;
}

/** How a command reaches its node, and what becomes of it. */
export interface CommandParts {
  readonly clock: Clock;
  /** Calls the node, once. */
  readonly call: () => Promise<Upgraded | Status>;
  /** Called once. @param code as an answer would have it. */
  readonly ended: (code: number) => void;
}

/** Opens the WebSocket of a command, then calls the node, and joins the two. */
export function openCommand(client: UpgradedClient, wish: StreamWish, parts: CommandParts): void {
  opened(client, COMMAND_PROTOCOL, (webSocket) => {
    new TranslatedCommand(webSocket, client, { ...parts, wish }).run();
  });
  if (client.socket.writableEnded) parts.ended(BAD_REQUEST);
}

const BAD_REQUEST = 400;
const OK = 200;
/** Over which nothing has passed for so long is ended. */
const IDLE_MS = 4 * 60 * 60 * 1_000;

class TranslatedCommand {
  readonly #webSocket: WebSocket;
  readonly #client: UpgradedClient;
  readonly #parts: CommandParts & { readonly wish: StreamWish };
  #command: NodeCommand | undefined;
  #passedAt: number;
  #cancelIdle: () => void = () => undefined;

  constructor(
    webSocket: WebSocket,
    client: UpgradedClient,
    parts: CommandParts & { readonly wish: StreamWish },
  ) {
    this.#webSocket = webSocket;
    this.#client = client;
    this.#parts = parts;
    this.#passedAt = parts.clock.now();
  }

  run(): void {
    const { wish, call } = this.#parts;
    const { stdout, stderr } = wish;
    this.#webSocket.on('error', () => {
      this.#webSocket.terminate();
    });
    this.#webSocket.on('message', (data) => {
      this.#receive(bytesOf(data));
    });
    this.#webSocket.once('close', () => {
      this.#cancelIdle();
      this.#command?.destroy();
    });
    this.#endWhenIdle(IDLE_MS);
    // Nothing is read before the node is there to take it.
    this.#webSocket.pause();
    this.#send(stdout ? STDOUT : stderr ? STDERR : ERROR, EMPTY);
    call()
      .then((called) => this.#begin(called))
      .catch((error: unknown) => {
        this.#end(internalError(error));
      });
  }

  async #begin(called: Upgraded | Status): Promise<void> {
    if (called.kind !== 'upgraded') {
      this.#end(await statusOfRefusal(called));
      return;
    }
    const { socket, head } = called.backend;
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) {
      socket.destroy();
      return;
    }
    const { wish, clock } = this.#parts;
    const command = new NodeCommand(socket, {
      clock,
      output: (from, bytes) => this.#send(from === 'stdout' ? STDOUT : STDERR, bytes),
      ended: (status) => {
        this.#end(status);
      },
    });
    this.#command = command;
    this.#client.socket.on('drain', () => {
      command.resume();
    });
    command.onDrain(() => {
      this.#webSocket.resume();
    });
    command.start(wish, head);
    this.#webSocket.resume();
  }

  #endWhenIdle(afterMs: number): void {
    const { clock } = this.#parts;
    this.#cancelIdle = clock.after(afterMs, () => {
      const leftMs = this.#passedAt + IDLE_MS - clock.now();
      if (leftMs > 0) this.#endWhenIdle(leftMs);
      else this.#webSocket.terminate();
    });
  }

  #receive(message: Buffer): void {
    this.#passedAt = this.#parts.clock.now();
    const channel = message[0];
    const bytes = message.subarray(1);
    let isFree = true;
    if (channel === STDIN) isFree = this.#command?.input('stdin', bytes) ?? true;
    else if (channel === RESIZE) isFree = this.#command?.input('resize', bytes) ?? true;
    else if (channel === CLOSE && bytes[0] === STDIN) this.#command?.endInput();
    if (!isFree) this.#webSocket.pause();
  }

  /** @returns whether the client takes more. */
  #send(channel: number, bytes: Buffer): boolean {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return true;
    this.#passedAt = this.#parts.clock.now();
    this.#webSocket.send(Buffer.concat([Buffer.from([channel]), bytes]), { binary: true });
    return !this.#client.socket.writableNeedDrain;
  }

  #end(status: CommandStatus): void {
    this.#parts.ended(status.code ?? OK);
    this.#send(ERROR, Buffer.from(formatJson(status)));
    this.#webSocket.resume();
    this.#webSocket.close(NORMAL_CLOSURE);
  }
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

/** What the channel of errors tells of a node that has not come along. */
async function statusOfRefusal(
  called: Exclude<Upgraded, { kind: 'upgraded' }> | Status,
): Promise<Status> {
  if (called.kind === 'Status') return called;
  if (called.kind === 'unreached') return internalError(called.error);
  const body = await textOf(called.response);
  return statusIn(body) ?? internalError(`unable to upgrade connection: ${body.toString()}`);
}

function statusIn(body: Buffer): Status | undefined {
  try {
    const value = parseJson(body.toString());
    return isJsonObject(value) && value['kind'] === 'Status' ? (value as Status) : undefined;
  } catch {
    return undefined;
  }
}
