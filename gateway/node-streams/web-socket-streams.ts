/**
 * WebSockets of clients whose nodes do not understand them: what they offer, and port-forwards whose clients
 * speak SPDY inside of WebSocket messages, which is taken out of them.
 *
 * In Kubernetes: TunnelingHandler, apiserver/pkg/util/proxy; wsstream, k8s.io/streaming.
 */
import type { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { UpgradedClient } from '../../actors/request/answer.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { MessageBytes, tookHandshake } from './message-bytes.ts';
import type { UpgradedBackend } from './upgraded-connection.ts';

const TUNNEL_PREFIX = 'SPDY/3.1+';
const KUBERNETES_SUFFIX = 'k8s.io';

/** A longer message ends the connection. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
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
  if (!tookHandshake(client, inside === '' ? '' : `${TUNNEL_PREFIX}${inside}`)) {
    backend.socket.destroy();
    return false;
  }
  join({ socket: new MessageBytes(client), head: EMPTY }, backend);
  return true;
}
