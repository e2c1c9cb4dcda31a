/**
 * A watch over WebSocket with a bearer token in the subprotocol, as a browser has to do it.
 *
 * Like `HttpWatch` it never reconnects by itself.
 */
import { once } from 'node:events';
import { WebSocket } from 'ws';

import { eventually } from './eventually.ts';
import { summaryOf, type WatchEvent } from './http-watch.ts';
import { parseJson } from './json.ts';
import { readKubeconfig } from './kubeconfig.ts';
import type { RunningServer } from './server.ts';

/** The subprotocol beside the token; the server has to choose it. */
export const WATCH_PROTOCOL = 'watch.everwatch.test';

/** Of the answer to a handshake with the administrator's certificate; 101 where it opens, and is closed then. */
export async function handshakeStatus(
  server: Pick<RunningServer, 'kubeconfig'>,
  path: string,
  protocols: string[],
  origin?: string,
): Promise<number> {
  const { url, ca, cert, key } = readKubeconfig(server.kubeconfig);
  const from = origin === undefined ? {} : { origin };
  const options = { ca, cert, key, ...from };
  const socket = new WebSocket(url.replace(/^https/, 'wss') + path, protocols, options);
  socket.on('error', () => undefined);
  const status = await new Promise<number>((resolve) => {
    socket.on('unexpected-response', (_, { statusCode = 0 }) => {
      resolve(statusCode);
    });
    socket.on('open', () => {
      resolve(101);
    });
  });
  socket.terminate();
  return status;
}

export class WebSocketWatch {
  /** In the order received. */
  readonly received: WatchEvent[] = [];
  /** Of every frame received: text or not. */
  readonly textFrames: boolean[] = [];
  /** Resolves to the close code. */
  readonly ended: Promise<number>;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket, onEvent: (event: WatchEvent) => void) {
    this.#socket = socket;
    this.ended = new Promise((resolve) => socket.once('close', resolve));
    socket.on('message', (data, isBinary) => {
      this.textFrames.push(!isBinary);
      // Data is one Buffer as long as binaryType stays 'nodebuffer'.
      const event = parseJson((data as Buffer).toString('utf8')) as unknown as WatchEvent;
      this.received.push(event);
      onEvent(event);
    });
    // A killed server resets connections; `ended` says so.
    socket.on('error', () => undefined);
  }

  /** `path` without `watch=true`. @throws when the server refuses. */
  static async open(
    server: RunningServer,
    path: string,
    token: string,
    onEvent: (event: WatchEvent) => void = () => undefined,
  ): Promise<WebSocketWatch> {
    const socket = new WebSocket(
      `${server.url.replace(/^https/, 'wss')}${path}${path.includes('?') ? '&' : '?'}watch=true`,
      [bearerProtocol(token), WATCH_PROTOCOL],
      { ca: readKubeconfig(server.kubeconfig).ca, origin: 'https://dashboard.example' },
    );
    const watch = new WebSocketWatch(socket, onEvent);
    await once(socket, 'open');
    return watch;
  }

  /** The subprotocol that the server chose. */
  get protocol(): string {
    return this.#socket.protocol;
  }

  /** Waits until some event received, old or new, fits. @throws when none comes in time. */
  until(what: string, fits: (event: WatchEvent) => boolean): Promise<WatchEvent> {
    const wanted = () => `${what}; received ${summaryOf(this.received)}`;
    return eventually(wanted, () => this.received.find(fits));
  }

  close(): void {
    this.#socket.close();
  }
}

/** The token as upstream wants it: base64url without padding, behind a fixed prefix. */
export function bearerProtocol(token: string): string {
  return `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
}
