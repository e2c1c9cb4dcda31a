/**
 * `everwatch/client` in Node, on the WebSocket of the package ws, which can show a client certificate and
 * take an authority of its own.
 */
import { WebSocket } from 'ws';
import type { ConnectionOptions } from './live-connection.ts';
import { liveClient, type LiveClient } from './live-client.ts';
import type { OpenSocket } from './live-socket.ts';

export { LiveError } from './live-error.ts';
export type { ConnectionOptions, ConnectionState } from './live-connection.ts';
export type {
  Change,
  HistoryOf,
  LiveClient,
  LogLine,
  RowsOptions,
  WatchOptions,
} from './live-client.ts';
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

function openSocket(tls: TlsFiles): OpenSocket {
  return ({ url, protocols }, events) => {
    const socket = new WebSocket(url, [...protocols], { ...tls, perMessageDeflate: false });
    let why = '';
    socket.on('open', events.opened);
    socket.on('message', (data: Buffer) => {
      events.message(data.toString());
    });
    socket.on('error', (error) => {
      why = error.message;
    });
    socket.on('close', (code, reason) => {
      events.closed(code, reason.length > 0 ? reason.toString() : why);
    });
    return {
      send: (text) => {
        socket.send(text);
      },
      close: () => {
        socket.terminate();
      },
    };
  };
}

/** @param url `https://host:port`. */
export function connect(
  url: string,
  {
    tls = {},
    ...options
  }: Partial<Omit<ConnectionOptions, 'url'>> & { readonly tls?: TlsFiles } = {},
): LiveClient {
  return liveClient({ open: openSocket(tls), ...options, url });
}
