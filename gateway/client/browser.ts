/** `everwatch/client` in browsers, on the WebSocket that they have. */
import type { ConnectionOptions } from './live-connection.ts';
import { liveClient, type LiveClient } from './live-client.ts';
import type { OpenSocket } from './live-socket.ts';

export { LiveError } from './live-error.ts';
export type { ConnectionOptions, ConnectionState } from './live-connection.ts';
export type { Change, HistoryOf, LiveClient, LogLine, RowsOptions } from './live-client.ts';
export type { WatchOptions } from './live-frames.ts';
export type { Row, Rows } from './live-rows.ts';
export type { ObjectAt } from './typed-path.ts';

/** What of the WebSocket of browsers is used; the types of Node do not know it. */
interface BrowserSocket {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onopen: (() => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  send(text: string): void;
  close(): void;
}

type SocketClass = new (url: string, protocols: readonly string[]) => BrowserSocket;

const openSocket: OpenSocket = ({ url, protocols }, events) => {
  const { WebSocket } = globalThis as typeof globalThis & { readonly WebSocket: SocketClass };
  const socket = new WebSocket(url, protocols);
  socket.onopen = events.opened;
  socket.onmessage = ({ data }) => {
    events.message(String(data));
  };
  socket.onclose = ({ code, reason }) => {
    events.closed(code, reason);
  };
  return socket;
};

/** @param url `https://host:port`. */
export function connect(
  url: string,
  options: Partial<Omit<ConnectionOptions, 'url'>> = {},
): LiveClient {
  return liveClient({ open: openSocket, ...options, url });
}
