/**
 * Passes the requests of a browser on to a server, with the credentials of a kubeconfig, for the page that
 * knows the key of this proxy. Another user of the machine has no key. A page of another site has none
 * either, and is refused by its Origin; one whose name was made to lead here, by its Host.
 */
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { http1Problem, http1Server, refuseHead } from '../../listener/request-head.ts';
import type { EndpointRequests } from '../../outbound/kubeconfig-endpoint.ts';
import { secureRequest } from '../../outbound/trusting-agent.ts';
import type { PageKeys } from './page-keys.ts';

export interface LocalProxyParts {
  /** `https://host:port`, without a slash at its end. */
  readonly server: string;
  readonly requests: Pick<EndpointRequests, 'prepare'>;
  readonly keys: PageKeys;
  /** A code was used: the next one has to be shown. */
  readonly codeUsed: () => void;
}

const HOST = '127.0.0.1';
const SESSION_PATH = '/everwatch/session';
/** What every user may load of the server, and browsers do before the page has its key. */
const PAGE = /^\/everwatch\/(?:assets\/[\w.-]{1,100})?$/;
const CODE_BYTES_MAX = 256;
/** They are about one connection, or are this proxy's to say. */
const NOT_PASSED_ON = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'te', 'trailer'],
  ...['upgrade', 'host', 'authorization', 'cookie', 'origin', 'sec-websocket-protocol'],
]);

export class LocalProxy {
  readonly #parts: LocalProxyParts;
  readonly #server: Server;
  #port = 0;

  constructor(parts: LocalProxyParts) {
    this.#parts = parts;
    this.#server = http1Server({}, (incoming, response) => {
      const problem = http1Problem(incoming.rawHeaders);
      if (problem === undefined) void this.#receive(incoming, response);
      else refuseHead(response, problem);
    });
    this.#server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      void this.#upgrade(incoming, socket, head);
    });
  }

  /** @returns the port. @throws Error of the operating system. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, HOST, () => {
        // It listens on a port, so its address is no path.
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve(this.#port);
      });
    });
  }

  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  async #receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = incoming;
    if (!this.#isFromHere(incoming)) {
      answer(response, 403, 'this address is for the page that everwatch dashboard has opened\n');
      return;
    }
    if (url === SESSION_PATH && method === 'POST') {
      await this.#exchange(incoming, response);
      return;
    }
    const isPage = method === 'GET' && PAGE.test(url);
    if (!isPage && !this.#parts.keys.opens(headers.authorization ?? '')) {
      answer(response, 401, 'open the address that everwatch dashboard printed last\n');
      return;
    }
    try {
      const passed = await this.#passedOn(incoming);
      passed.on('response', (upstream) => {
        response.writeHead(upstream.statusCode ?? 502, passedHeaders(upstream.headers));
        upstream.pipe(response);
        upstream.on('error', () => response.destroy());
      });
      passed.on('error', (error) => {
        unreachable(response, error);
      });
      response.on('close', () => passed.destroy());
      incoming.pipe(passed);
    } catch (error) {
      unreachable(response, error);
    }
  }

  async #exchange(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = this.#parts.keys.exchange(await shortText(incoming));
    if (key === undefined) {
      answer(response, 403, 'this code was used, or another one was printed since\n');
      return;
    }
    answer(response, 200, key);
    this.#parts.codeUsed();
  }

  async #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const offered = incoming.headers['sec-websocket-protocol'] ?? '';
    const protocols = this.#parts.keys.protocolsBehind(offered);
    if (!this.#isFromHere(incoming) || protocols === undefined) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    try {
      const passed = await this.#passedOn(incoming, {
        connection: 'Upgrade',
        upgrade: 'websocket',
        ...(protocols.length === 0 ? {} : { 'sec-websocket-protocol': protocols.join(', ') }),
      });
      passed.on('upgrade', (upstream, other, first) => {
        join(upstream, { socket, head }, { socket: other, head: first });
      });
      passed.on('response', (upstream) => {
        const code = String(upstream.statusCode ?? 502);
        socket.end(`HTTP/1.1 ${code} Refused\r\nConnection: close\r\n\r\n`);
        upstream.resume();
      });
      passed.on('error', () => socket.destroy());
      socket.on('close', () => passed.destroy());
      passed.end();
    } catch {
      socket.destroy();
    }
  }

  /** Browsers say in Host where they believe to be, and in Origin which page asks. */
  #isFromHere({ headers: { host = '', origin } }: IncomingMessage): boolean {
    const names = [HOST, 'localhost'].map((name) => `${name}:${String(this.#port)}`);
    return names.includes(host) && (origin === undefined || origin === `http://${host}`);
  }

  async #passedOn(incoming: IncomingMessage, more: OutgoingHttpHeaders = {}) {
    const { method = 'GET', url = '/', headers } = incoming;
    const prepared = await this.#parts.requests.prepare();
    const passed = secureRequest(
      {
        method,
        agent: prepared.agent,
        headers: { ...passedHeaders(headers), ...prepared.headers, ...more },
      },
      this.#parts.server + url,
    );
    passed.on('response', ({ statusCode = 0 }) => {
      prepared.answered(statusCode);
    });
    return passed;
  }
}

interface Side {
  readonly socket: Duplex;
  /** What has come behind the head. */
  readonly head: Buffer;
}

function join(upstream: IncomingMessage, client: Side, server: Side): void {
  const lines = upstream.rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [`${name}: ${upstream.rawHeaders[at + 1] ?? ''}`] : [],
  );
  client.socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
  client.socket.write(server.head);
  server.socket.write(client.head);
  for (const [from, to] of [
    [client.socket, server.socket],
    [server.socket, client.socket],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
}

function passedHeaders(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name)));
}

function answer(response: ServerResponse, code: number, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(code, {
    'Cache-Control': 'no-store',
    'Content-Length': body.length,
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}

function unreachable(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else answer(response, 502, `the server cannot be reached: ${String(error)}\n`);
}

/** '' for what is too long to be a code. */
async function shortText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of incoming) {
    const bytes = chunk as Buffer; // No encoding is set.
    sizeBytes += bytes.length;
    if (sizeBytes <= CODE_BYTES_MAX) chunks.push(bytes);
  }
  return sizeBytes <= CODE_BYTES_MAX ? Buffer.concat(chunks).toString() : '';
}
