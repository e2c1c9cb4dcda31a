/** Reaches a cluster over HTTPS, with what its kubeconfig says. */
import type { IncomingMessage } from 'node:http';
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { linesOf } from '../../streams/archive/archive-lines.ts';
import { EndpointRequests, type PreparedRequest } from '../outbound/kubeconfig-endpoint.ts';
import { secureRequest } from '../outbound/trusting-agent.ts';
import { systemProblem } from '../process/startup-error.ts';
import { systemClock } from '../process/system-clock.ts';
import type { ClusterAccess } from '../configuration/kubeconfig-access.ts';
import {
  ClusterUnreachableError,
  type ClusterAnswer,
  type ClusterClient,
  type ClusterWatch,
} from './cluster-client.ts';

/** A server that is there answers sooner; one that hangs must not hold us up for ever. */
const ANSWER_TIMEOUT_MS = 60_000;
/** A watch is silent for long; that its server is gone without a word only the kernel finds out. */
const KEEP_ALIVE_MS = 15_000;

interface Sending {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject | undefined;
  readonly signal: AbortSignal;
}

/** A client over HTTPS, with connections that are kept. */
export class HttpsClusterClient implements ClusterClient {
  readonly server: string;
  readonly #requests: EndpointRequests;

  constructor(access: ClusterAccess) {
    this.server = access.server;
    const more = { clock: systemClock, keepAliveMsecs: KEEP_ALIVE_MS };
    this.#requests = new EndpointRequests(access, more);
  }

  async send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    { body, signal }: { readonly body?: JsonObject; readonly signal: AbortSignal },
  ): Promise<ClusterAnswer> {
    return this.#answerOf(await this.#open({ method, path, body, signal }));
  }

  async watch(path: string, signal: AbortSignal): Promise<ClusterWatch> {
    const incoming = await this.#open({ method: 'GET', path, signal });
    if (incoming.statusCode !== 200) {
      return { ...(await this.#answerOf(incoming)), events: noEvents() };
    }
    // From here on silence means that nothing happens.
    incoming.setTimeout(0);
    return { status: 200, body: {}, events: this.#eventsOf(incoming) };
  }

  close(): Promise<void> {
    this.#requests.destroy();
    return Promise.resolve();
  }

  async *#eventsOf(incoming: IncomingMessage): AsyncGenerator<readonly JsonObject[], void> {
    try {
      for await (const lines of linesOf(incoming as AsyncIterable<Buffer>)) {
        yield lines.map((line) => parsed(line.toString())).filter(isJsonObject);
      }
    } catch (error) {
      throw this.#unreachable(error);
    } finally {
      incoming.destroy();
    }
  }

  async #answerOf(incoming: IncomingMessage): Promise<ClusterAnswer> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding is set.
    } catch (error) {
      throw this.#unreachable(error);
    }
    const text = Buffer.concat(chunks).toString();
    const value = parsed(text);
    const body = isJsonObject(value) ? value : { message: text.trim().slice(0, TEXT_SHOWN) };
    return { status: incoming.statusCode ?? 0, body };
  }

  async #open({ method, path, body, signal }: Sending): Promise<IncomingMessage> {
    const prepared = await this.#prepared();
    const payload = body === undefined ? undefined : Buffer.from(formatJson(body));
    const headers = {
      accept: 'application/json',
      'user-agent': 'everwatch',
      ...prepared.headers,
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': payload.length }),
    };
    const { agent } = prepared;
    const options = { method, headers, agent, signal, timeout: ANSWER_TIMEOUT_MS };
    return new Promise((resolve, reject) => {
      const outgoing = secureRequest(options, this.server + path)
        .once('response', (incoming) => {
          prepared.answered(incoming.statusCode ?? 0);
          resolve(incoming);
        })
        .once('timeout', () => {
          outgoing.destroy(new Error('it does not answer'));
        })
        .on('error', (error) => {
          reject(this.#unreachable(error));
        })
        .end(payload);
    });
  }

  async #prepared(): Promise<PreparedRequest> {
    try {
      return await this.#requests.prepare();
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  #unreachable(error: unknown): ClusterUnreachableError {
    const problem = systemProblem(error);
    return new ClusterUnreachableError(`cannot reach ${this.server}: ${problem}`, { cause: error });
  }
}

const TEXT_SHOWN = 200;

async function* noEvents(): AsyncGenerator<readonly JsonObject[], void> {
  // There are none.
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
