/** The program of `AggregatedServers`: answers every request with one object, in HTTP/2 and HTTP/1.1 as Go's servers do. */
import { once } from 'node:events';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';

import type { AggregatedReply, AggregatedWish, Numbered } from './aggregated-servers.ts';

/** What all of them answer. */
let text = '{}';
const servers = new Map<number, AggregatedServer>();

class AggregatedServer {
  isHanging = false;
  holds = 0;
  readonly #held: Http2ServerResponse[] = [];
  readonly #sockets = new Set<Socket & { alpnProtocol?: string | false }>();
  readonly #listening: Http2SecureServer;

  constructor(tls: { readonly cert: string; readonly key: string; readonly ca: string }) {
    const options = { ...tls, requestCert: true, allowHTTP1: true };
    this.#listening = createSecureServer(options, (request, response) => {
      this.#handle(request, response);
    });
    this.#listening.on('secureConnection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  async listen(): Promise<number> {
    this.#listening.listen(0, '127.0.0.1');
    await once(this.#listening, 'listening');
    return (this.#listening.address() as AddressInfo).port; // It listens on TCP.
  }

  connections(): AggregatedReply {
    const http2 = [...this.#sockets].filter(({ alpnProtocol }) => alpnProtocol === 'h2').length;
    return { http2, http1: this.#sockets.size - http2 };
  }

  #handle(request: Http2ServerRequest, response: Http2ServerResponse): void {
    if (this.isHanging) return;
    response.setHeader('content-type', 'application/json');
    response.setHeader('cache-control', 'no-cache, private');
    response.setHeader('content-length', Buffer.byteLength(text));
    if (!request.url.includes('held')) return void response.end(text);
    this.#held.push(response);
    if (this.#held.length < this.holds) return;
    for (const one of this.#held.splice(0)) one.end(text);
  }
}

async function done(wish: AggregatedWish): Promise<AggregatedReply> {
  if (wish.does === 'answer') {
    ({ text } = wish);
    return {};
  }
  if (wish.does === 'listen') {
    const made = new AggregatedServer(wish);
    const port = await made.listen();
    servers.set(port, made);
    return { port };
  }
  const server = servers.get(wish.port);
  if (server === undefined) throw new Error(`nothing listens at ${String(wish.port)}`);
  if (wish.does === 'count') return server.connections();
  if (wish.does === 'hang') server.isHanging = wish.is;
  else server.holds = wish.count;
  return {};
}

process.on('message', (message) => {
  const { nth, of } = message as Numbered<AggregatedWish>; // As `AggregatedServers` sends them.
  void done(of).then((reply) => process.send?.({ nth, of: reply }));
});
process.once('disconnect', () => process.exit());
