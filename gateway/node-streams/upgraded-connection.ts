/**
 * Connections whose two ends have agreed on another protocol than HTTP: bytes pass between the client and
 * the backend as they come. Nothing is kept: an end is read from as fast as the other one takes, and when
 * either is gone, so is the other.
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
import { AddressNotAllowedError, type BackendRequests } from './backend-requests.ts';
import { headersForBackend, headersForClient, type RawHeaders } from './passed-headers.ts';
import { textOf, unclassified } from './plain-proxy.ts';

/** What the backend has said to the wish for another protocol. */
export type Upgraded =
  | { readonly kind: 'upgraded'; readonly backend: UpgradedBackend }
  /** The client is answered this, and its connection ends. */
  | { readonly kind: 'refused'; readonly answer: Answer };

/** A connection to a backend that speaks the other protocol from here on. */
export interface UpgradedBackend {
  readonly response: IncomingMessage;
  readonly socket: Duplex;
  /** What has come already. */
  readonly head: Buffer;
}

/** Passes the upgrade on, and joins both ends. */
export async function proxyUpgrade(
  requests: BackendRequests,
  request: AuthenticatedRequest,
  to: Backend,
  open: (upgraded: UpgradedClient) => void,
): Promise<Answer> {
  const { method } = request;
  const headers = headersForBackend(request, true);
  const asked = await askUpgrade(requests, request, { to, method, headers });
  if (asked.kind === 'refused') return asked.answer;
  const { backend } = asked;
  return {
    kind: 'Upgrade',
    begin(client) {
      open(client);
      client.socket.write(headOf101(backend.response));
      splice(client, backend);
    },
  };
}

/** What is asked of a backend. */
export interface AskedUpgrade {
  readonly to: Backend;
  readonly method: string;
  /** With those that name the protocol. */
  readonly headers: RawHeaders;
}

/** Asks the backend for the protocol that the headers name. */
export async function askUpgrade(
  requests: BackendRequests,
  request: AuthenticatedRequest,
  { to, method, headers }: AskedUpgrade,
): Promise<Upgraded> {
  let sent: ClientRequest;
  try {
    sent = await requests.open(to, { method, headers });
  } catch (error) {
    return { kind: 'refused', answer: dialProblem(error) };
  }
  const coming = upgradeOf(sent, request);
  sent.end();
  return coming;
}

function upgradeOf(sent: ClientRequest, request: AuthenticatedRequest): Promise<Upgraded> {
  return new Promise((resolve) => {
    const refuse = (answer: Answer): void => {
      resolve({ kind: 'refused', answer });
    };
    sent.on('upgrade', (response, socket: Duplex, head) => {
      resolve({ kind: 'upgraded', backend: { response, socket, head } });
    });
    sent.on('response', (response) => {
      refusalOf(request, response).then(refuse, (error: unknown) => {
        refuse(unclassified(error));
      });
    });
    sent.on('error', (error) => {
      refuse(dialProblem(error));
    });
    request.whenGone(() => {
      sent.destroy(new Error('context canceled'));
    });
  });
}

function dialProblem(error: unknown): Answer {
  if (error instanceof AddressNotAllowedError) return statusAnswer(badRequest(error.message));
  return unclassified(error, 'error dialing backend: ');
}

const REFUSED_FROM = 400;
/** Of the body of a refusal, which is a message. */
const REFUSAL_BYTES_MAX = 1024 * 1024;

async function refusalOf(
  request: AuthenticatedRequest,
  response: IncomingMessage,
): Promise<Answer> {
  const { statusCode: code = 0 } = response;
  if (code < REFUSED_FROM) {
    response.destroy();
    const why = `invalid upgrade response: status code ${String(code)}`;
    return statusAnswer(unclassifiedFailure(why));
  }
  const body = await textOf(response, REFUSAL_BYTES_MAX);
  response.destroy();
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

/** Joins the two, until one of them ends. */
export function splice(
  client: Pick<UpgradedClient, 'socket' | 'head'>,
  backend: UpgradedBackend,
): void {
  const { socket: near } = client;
  const { socket: far } = backend;
  if (backend.head.length > 0) near.write(backend.head);
  if (client.head.length > 0) far.write(client.head);
  passBytes(near, far);
  passBytes(far, near);
}

/** What one end says goes to the other, as fast as that takes it; with one end the other goes. */
function passBytes(from: Duplex, to: Duplex): void {
  from.pipe(to, { end: false });
  from.once('end', () => {
    // What has been read of it still leaves.
    to.end(() => to.destroy());
    from.destroy();
  });
  from.once('close', () => {
    if (!to.writableEnded) to.destroy();
  });
  from.on('error', () => {
    to.destroy();
  });
}
