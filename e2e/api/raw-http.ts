/** HTTP below the level of the other helpers: bytes, other certificates, and broken requests. */
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';

import type { ClusterAccess } from '../support/kubeconfig.ts';

/** The server, the authority to trust, and the client's certificate; anonymous without one. */
export type Access = Pick<ClusterAccess, 'url' | 'ca'> & Partial<ClusterAccess>;

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer | string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** On a connection of its own. */
export async function sendBytes(
  { url, ca, cert, key }: Access,
  { method, path, headers = {}, body }: RawRequest,
): Promise<RawAnswer> {
  const options = { method, headers, ca, cert, key, agent: false };
  const outgoing = request(url + path, options);
  outgoing.end(body);
  return answerOf(
    await once(outgoing, 'response').then(([incoming]) => incoming as IncomingMessage),
  );
}

/** A POST whose body comes to its end only when it is told to. */
export interface HalfSent {
  /** Resolves when the server has read the head and wants the body. */
  readonly isWanted: Promise<unknown>;
  finish(): void;
  abort(): void;
  readonly answer: Promise<RawAnswer>;
}

export function halfSent({ url, ca, cert, key }: Access, path: string, body: string): HalfSent {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    expect: '100-continue',
  };
  const half = Math.floor(body.length / 2);
  const options = { method: 'POST', headers, ca, cert, key, agent: false };
  const outgoing = request(url + path, options);
  // By the event's name; and an abort is what some tests are about.
  const answer = once(outgoing, 'response').then(([incoming]) =>
    answerOf(incoming as IncomingMessage),
  );
  answer.catch(() => undefined);
  outgoing.on('error', () => undefined);
  const isWanted = once(outgoing, 'continue').then(() => outgoing.write(body.slice(0, half)));
  outgoing.flushHeaders();
  return {
    isWanted,
    finish: () => {
      outgoing.end(body.slice(half));
    },
    abort: () => {
      outgoing.destroy();
    },
    answer,
  };
}

/** A TLS connection on which anything can be said. */
export async function rawConnection({ url, ca, cert, key }: Access): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    ca,
    cert,
    key,
    ALPNProtocols: ['http/1.1'],
  });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

async function answerOf(incoming: IncomingMessage): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding is set.
  const { statusCode: status = 0, headers } = incoming;
  return { status, headers, body: Buffer.concat(chunks) };
}
