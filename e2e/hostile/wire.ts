/**
 * Bytes on the wire, for tests that send what no client library would send: TLS by hand, HTTP/1.1 as
 * text, HTTP/2 frame by frame. Everything with the admin's certificate.
 */
import { type EventEmitter, once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, type Settings } from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';

import { readKubeconfig } from '../support/kubeconfig.ts';
import type { RunningServer } from '../support/server.ts';

export const CRLF = '\r\n';

export interface Identity {
  readonly cert?: string;
  readonly key?: string;
}

/** An open TLS connection. Its errors are part of the attack, and swallowed. */
export async function tlsTo(
  server: RunningServer,
  protocol: 'http/1.1' | 'h2',
  identity?: Identity,
): Promise<TLSSocket> {
  const { url, ca, cert, key } = readKubeconfig(server.kubeconfig);
  const { hostname, port } = new URL(url);
  const own = identity ?? { cert, key };
  const socket = connectTls({
    host: hostname,
    port: Number(port),
    ca,
    ...own,
    ALPNProtocols: [protocol],
  });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

/** Sends the text and gives everything that comes back until the server closes. */
export async function conversation(server: RunningServer, text: string): Promise<string> {
  const socket = await tlsTo(server, 'http/1.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = untilClosed(socket);
  socket.write(text);
  await closed;
  return Buffer.concat(chunks).toString('latin1');
}

/** A request as text; `Connection: close` makes the server end the conversation. */
export function requestText(line: string, headers: string[] = [], body = ''): string {
  const all = [`${line} HTTP/1.1`, 'Host: everwatch', 'Connection: close', ...headers];
  return `${all.join(CRLF)}${CRLF}${CRLF}${body}`;
}

export async function http2To(
  server: RunningServer,
  settings: Settings = {},
): Promise<ClientHttp2Session> {
  const { url, ca, cert, key } = readKubeconfig(server.kubeconfig);
  const session = connectHttp2(url, { ca, cert, key, settings });
  session.on('error', () => undefined);
  await once(session, 'remoteSettings');
  return session;
}

export interface FrameHead {
  readonly type: number;
  readonly flags?: number;
  readonly stream?: number;
}

export const FRAME = { data: 0, headers: 1, settings: 4, ping: 6, continuation: 9 } as const;

export const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame({ type: FRAME.settings }),
]);

/** RFC 9113, section 4.1. */
export function frame({ type, flags = 0, stream = 0 }: FrameHead, payload = Buffer.alloc(0)) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Writes until everything is written or the server has had enough and closed. */
export async function flood(socket: TLSSocket, chunk: Buffer, times: number): Promise<void> {
  const closed = untilClosed(socket);
  for (let time = 0; time < times && !socket.destroyed; time += 1) {
    if (socket.write(chunk)) continue;
    await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
  }
}

/** Resolves when it is closed, however that came about. */
export function untilClosed(one: EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    one.once('close', () => {
      resolve();
    });
  });
}
