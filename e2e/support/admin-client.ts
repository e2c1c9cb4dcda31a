/**
 * The smallest client that can say everything: JSON over HTTPS with the admin's certificate.
 *
 * A request has an answer, whatever its status; only a broken connection throws. That matters
 * to tests that kill the server: a throw means "outcome unknown".
 */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';

import { type JsonObject, type JsonValue, parseJson } from './json.ts';
import { type ClusterAccess, readKubeconfig } from './kubeconfig.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Parsed where the answer says it is JSON, else the text as it came. */
  readonly body: JsonValue;
}

export type PatchType = 'json-patch' | 'merge-patch' | 'strategic-merge-patch' | 'apply-patch';

/** What is sent: an object goes as JSON, a string and bytes as they are. */
export interface Sending {
  readonly body?: JsonObject | JsonValue[] | string | Buffer;
  readonly headers?: OutgoingHttpHeaders;
}

/** Anything with a kubeconfig, so the client also reaches servers a test did not start. */
export interface Reachable {
  readonly kubeconfig: string;
}

export interface AdminClient {
  get(path: string, headers?: OutgoingHttpHeaders): Promise<ApiAnswer>;
  post(path: string, body: JsonObject, headers?: OutgoingHttpHeaders): Promise<ApiAnswer>;
  put(path: string, body: JsonObject, headers?: OutgoingHttpHeaders): Promise<ApiAnswer>;
  /** Default type: merge-patch. */
  patch(path: string, body: JsonObject | JsonValue[], type?: PatchType): Promise<ApiAnswer>;
  delete(path: string, body?: JsonObject): Promise<ApiAnswer>;
  send(method: string, path: string, sending?: Sending): Promise<ApiAnswer>;
  /** The answer's head has arrived, its body has not: for watches and other long answers. */
  open(path: string, headers?: OutgoingHttpHeaders): Promise<IncomingMessage>;
  /** Drops idle connections. */
  close(): void;
}

/** @throws when the kubeconfig cannot be read. */
export function adminClient(server: Reachable): AdminClient {
  const agent = new Agent({ keepAlive: true });
  const access = readKubeconfig(server.kubeconfig);
  const send = async (method: string, path: string, sending: Sending = {}): Promise<ApiAnswer> =>
    answerOf(await opened(access, agent, { method, path, ...sending }));
  return {
    get: (path, headers) => send('GET', path, { headers: headers ?? {} }),
    post: (path, body, headers) => send('POST', path, { body, headers: headers ?? {} }),
    put: (path, body, headers) => send('PUT', path, { body, headers: headers ?? {} }),
    patch: (path, body, type = 'merge-patch') =>
      send('PATCH', path, { body, headers: { 'content-type': `application/${type}+json` } }),
    delete: (path, body) => send('DELETE', path, body === undefined ? {} : { body }),
    send,
    open: (path, headers) => opened(access, agent, { method: 'GET', path, headers: headers ?? {} }),
    close: () => agent.destroy(),
  };
}

interface Outgoing extends Sending {
  readonly method: string;
  readonly path: string;
}

function opened(access: ClusterAccess, agent: Agent, outgoing: Outgoing): Promise<IncomingMessage> {
  const { body } = outgoing;
  const isReady = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
  const payload = isReady ? body : JSON.stringify(body);
  const headers: OutgoingHttpHeaders = { accept: 'application/json', ...outgoing.headers };
  if (payload !== undefined) {
    headers['content-type'] ??= 'application/json';
    headers['content-length'] = Buffer.byteLength(payload);
  }
  const { url, ca, cert, key } = access;
  const { method, path } = outgoing;
  return new Promise((resolve, reject) => {
    request(url + path, { method, headers, agent, ca, cert, key })
      .once('response', resolve)
      // A connection can fail more than once: the second time, too, has to be heard.
      .on('error', reject)
      .end(payload);
  });
}

async function answerOf(incoming: IncomingMessage): Promise<ApiAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding is set.
  const text = Buffer.concat(chunks).toString('utf8');
  const isJson = /^application\/json\b/.test(incoming.headers['content-type'] ?? '');
  const body = isJson && text !== '' ? parseJson(text) : text;
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body };
}
