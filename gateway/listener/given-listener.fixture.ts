/** A listener on a port of its own, and clients of both protocols. */
import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { request as requestHttps, type RequestOptions } from 'node:https';
import type { Clock } from '../../api/meta/clock.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import type { Answer } from '../../actors/request/answer.ts';
import type { Outcome, ReceivedRequest } from '../../actors/request/request.ts';
import { AnswerWriter } from '../responses/answer-writer.ts';
import type { Exchange } from '../responses/exchange.ts';
import { makeAuthority, makeLeaf } from './tls/certificate-maker.ts';
import { Listener, type UpgradeHandler } from './listener.ts';
import type { ServingOptions } from './tls/tls-servers.ts';

export const HOST = '127.0.0.1';
const validity = { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 3_600_000 };

export const authority = await makeAuthority('test', validity);
export const serving = await makeLeaf(authority, {
  commonName: 'server',
  organizations: [],
  use: 'server',
  names: [{ type: 'ip', value: HOST }],
  validity,
});
export const closers: (() => void)[] = [];

/** For after each test: what it has left open must not keep the process. */
export function closeAll(): void {
  for (const close of closers.splice(0)) close();
}

interface Served {
  readonly listener: Listener;
  readonly requests: ReceivedRequest[];
  /** How requests ended, in the order in which they did. */
  readonly outcomes: Outcome[];
  readonly faults: unknown[];
  readonly upgrades: string[];
  readonly failedHandshakes: { count: number };
}

/** A listener whose filter chain is one function. A Watch is answered by `openWatch`. */
export async function listening(
  answer: (request: ReceivedRequest) => void,
  openWatch: (exchange: Exchange, request: ReceivedRequest) => void = () => undefined,
  clock: Clock = new ManualClock(),
  more: ServingOptions = {},
  host = HOST,
): Promise<Served> {
  const served: Omit<Served, 'listener'> = {
    ...{ requests: [], outcomes: [], faults: [], upgrades: [] },
    failedHandshakes: { count: 0 },
  };
  const upgrade: UpgradeHandler = (incoming, socket) => {
    served.upgrades.push(String(incoming.url));
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  };
  const listener = new Listener({
    handshakeFailed: () => (served.failedHandshakes.count += 1),
    tls: { cert: serving.certificate, key: serving.key, ...more },
    clock,
    filterChain: {
      send(request) {
        served.requests.push(request);
        request.atTheEnd((_request, outcome) => served.outcomes.push(outcome));
        answer(request);
      },
    },
    writer: new AnswerWriter(new ManualClock(), openWatch),
    writeFailed: (error) => served.faults.push(error),
    upgrade,
  });
  await listener.listen(0, host);
  closers.push(() => listener.stopAccepting());
  return { listener, ...served };
}

export function text(body: string, code = 200): Answer {
  const headers = { 'Content-Type': 'text/plain' };
  return { kind: 'Document', code, headers, body: Buffer.from(body) };
}

export const watchAnswer = { kind: 'Watch' } as Answer; // Only the opener of the watch looks into it.

interface Got {
  readonly code: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface Ask {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

export function http2Session({ port }: Listener): ClientHttp2Session {
  const session = connectHttp2(`https://${HOST}:${String(port)}`, { ca: authority.certificate });
  session.on('error', () => undefined);
  closers.push(() => session.destroy());
  return session;
}

export async function overHttp2(session: ClientHttp2Session, ask: Ask = {}): Promise<Got> {
  const { path = '/', method = 'GET', headers = {}, body } = ask;
  const hasBody = body !== undefined;
  const stream = session.request(
    { ':path': path, ':method': method, ...headers },
    { endStream: !hasBody },
  );
  if (hasBody) stream.end(body);
  const [answered] = (await once(stream, 'response')) as [Record<string, unknown>];
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return {
    code: Number(answered[':status']),
    headers: answered,
    body: Buffer.concat(chunks).toString(),
  };
}

export function overHttp1(
  { port }: Listener,
  ask: Ask = {},
  more: RequestOptions = {},
): Promise<Got> {
  const { path = '/', method = 'GET', headers = {}, body } = ask;
  return new Promise((resolve, reject) => {
    const options = { host: HOST, port, path, method, headers, ca: authority.certificate, ...more };
    const request = requestHttps(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { statusCode = 0, headers: answered } = incoming;
        resolve({ code: statusCode, headers: answered, body: Buffer.concat(chunks).toString() });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
