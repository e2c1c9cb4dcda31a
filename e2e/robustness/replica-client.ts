/**
 * One client's way to one replica: requests that end in time, whatever the replica does, and that
 * tell "it never arrived" from "nobody knows".
 */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';

import { type JsonValue, parseJson } from '../support/json.ts';
import type { ClusterAccess } from '../support/kubeconfig.ts';

export interface Sending {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonValue;
  readonly headers?: OutgoingHttpHeaders;
}

export type Told =
  | { readonly kind: 'answer'; readonly status: number; readonly body: JsonValue }
  /** `isSent` false: no connection came about, so nothing can have happened. */
  | { readonly kind: 'none'; readonly isSent: boolean; readonly why: string };

export class ReplicaClient {
  readonly #access: ClusterAccess;
  readonly #timeoutMs: number;
  readonly #agent: Agent;

  constructor(access: ClusterAccess, timeoutMs: number) {
    this.#access = access;
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 4 });
  }

  async send(sending: Sending): Promise<Told> {
    const ending = new AbortController();
    const timer = setTimeout(() => {
      ending.abort();
    }, this.#timeoutMs);
    try {
      const incoming = await this.#opened(sending, ending.signal);
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding is set.
      const text = Buffer.concat(chunks).toString('utf8');
      return { kind: 'answer', status: incoming.statusCode ?? 0, body: parsed(text) };
    } catch (error) {
      const isRefused = codeOf(error) === 'ECONNREFUSED';
      return { kind: 'none', isSent: !isRefused, why: String(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  /** The head of the answer has arrived. @throws when none comes, or `signal` aborts. */
  open(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    return this.#opened({ method: 'GET', path }, signal);
  }

  close(): void {
    this.#agent.destroy();
  }

  #opened({ method, path, body, headers }: Sending, signal: AbortSignal): Promise<IncomingMessage> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const all: OutgoingHttpHeaders = { accept: 'application/json', ...headers };
    if (payload !== undefined) {
      all['content-type'] ??= 'application/json';
      all['content-length'] = Buffer.byteLength(payload);
    }
    const { url, ca, cert, key } = this.#access;
    const options = { method, headers: all, agent: this.#agent, ca, cert, key, signal };
    return new Promise((resolve, reject) => {
      request(url + path, options)
        .once('response', resolve)
        .on('error', reject)
        .end(payload);
    });
  }
}

/** What is no JSON is given as it came: then it is a failure, and people want to read it. */
function parsed(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
