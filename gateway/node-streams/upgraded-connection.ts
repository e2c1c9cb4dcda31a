/**
 * Connections that go on in another protocol than HTTP: what the client wishes is asked of the backend, and
 * where it agrees both ends are joined.
 *
 * The surprise: an upgrade that the backend refuses closes the client's connection with the refusal. A
 * connection that stayed would be a tunnel for whatever the client sends next (CVE-2018-1002105).
 *
 * In Kubernetes: tryUpgrade, apimachinery/pkg/util/proxy.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Answer, statusAnswer, type UpgradedClient } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import type { Backend } from '../../actors/connect/node-connections.ts';
import { badRequest, unclassifiedFailure } from '../../api/meta/status.ts';
import { AddressNotAllowedError, type OpensRequests } from './backend-requests.ts';
import { headersForBackend, headersForClient, type RawHeaders } from './passed-headers.ts';
import { textOf, unclassified } from './plain-proxy.ts';

/** A connection to a backend that speaks the other protocol from here on. */
export interface UpgradedBackend {
  readonly response: IncomingMessage;
  readonly socket: Duplex;
  /** What has come already. */
  readonly head: Buffer;
}

/** What the backend has said to the wish for another protocol. */
export type Upgraded =
  | { readonly kind: 'upgraded'; readonly backend: UpgradedBackend }
  /** It goes on in HTTP. */
  | { readonly kind: 'refused'; readonly response: IncomingMessage }
  | { readonly kind: 'unreached'; readonly error: unknown };

/** Passes the upgrade on, and joins both ends. */
export async function proxyUpgrade(
  requests: OpensRequests,
  request: AuthenticatedRequest,
  to: Backend,
  join: JoinEnds,
): Promise<Answer> {
  const { method } = request;
  const headers = headersForBackend(request, true);
  const asked = await askUpgrade(requests, request, { to, method, headers });
  return asked.kind === 'upgraded' ? joined(asked.backend, join) : refusalOf(request, asked);
}

/** The answer that begins as the backend has begun it, and joins both ends. */
export function joined(backend: UpgradedBackend, join: JoinEnds): Answer {
  return {
    kind: 'Upgrade',
    begin(client) {
      client.socket.write(headOf101(backend.response));
      join(client, backend);
    },
  };
}

/** Joins both ends until one of them is gone. */
export type JoinEnds = (client: ClientEnd, backend: UpgradedBackend) => void;

/** The end of the client; what came of it is in front. */
export type ClientEnd = Pick<UpgradedClient, 'socket' | 'head'>;

/** What is asked of a backend. */
export interface AskedUpgrade {
  readonly to: Backend;
  readonly method: string;
  /** With those that name the protocol. */
  readonly headers: RawHeaders;
}

/** Asks the backend for the protocol that the headers name. Never rejects. */
export async function askUpgrade(
  requests: OpensRequests,
  request: Pick<AuthenticatedRequest, 'whenGone'>,
  { to, method, headers }: AskedUpgrade,
): Promise<Upgraded> {
  try {
    const sent = await requests.open(to, { method, headers });
    const coming = upgradeOf(sent, request);
    sent.end();
    return await coming;
  } catch (error) {
    return { kind: 'unreached', error };
  }
}

function upgradeOf(
  sent: ClientRequest,
  request: Pick<AuthenticatedRequest, 'whenGone'>,
): Promise<Upgraded> {
  return new Promise((resolve, reject) => {
    sent.on('upgrade', (response, socket: Duplex, head) => {
      // It may break before both ends are joined.
      socket.on('error', () => undefined);
      resolve({ kind: 'upgraded', backend: { response, socket, head } });
    });
    sent.on('response', (response) => {
      resolve({ kind: 'refused', response });
    });
    sent.on('error', reject);
    sent.on('close', () => {
      reject(new Error('EOF'));
    });
    request.whenGone(() => {
      sent.destroy(new Error('context canceled'));
    });
  });
}

/** Statuses of refusals. */
export const REFUSED_FROM = 400;
/** Of the body of a refusal, which is a message. */
const REFUSAL_BYTES_MAX = 1024 * 1024;

/** What the client is answered where there is no upgrade. */
export async function refusalOf(
  request: AuthenticatedRequest,
  asked: Exclude<Upgraded, { readonly kind: 'upgraded' }>,
): Promise<Answer> {
  if (asked.kind === 'unreached') {
    const { error } = asked;
    if (error instanceof AddressNotAllowedError) return statusAnswer(badRequest(error.message));
    return unclassified(error, 'error dialing backend: ');
  }
  const { response } = asked;
  const { statusCode: code = 0 } = response;
  if (code < REFUSED_FROM) {
    response.destroy();
    const why = `invalid upgrade response: status code ${String(code)}`;
    return statusAnswer(unclassifiedFailure(why));
  }
  const body = await textOf(response, REFUSAL_BYTES_MAX);
  const headers = headersForClient(request, response.rawHeaders);
  delete headers['content-length'];
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { kind: 'Document', code, headers: Object.fromEntries(texts), body };
}

/** As the backend has said it. */
function headOf101({ statusMessage = '', rawHeaders }: IncomingMessage): Buffer {
  const lines = [`HTTP/1.1 101 ${statusMessage}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    lines.push(`${rawHeaders[at] ?? ''}: ${rawHeaders[at + 1] ?? ''}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
