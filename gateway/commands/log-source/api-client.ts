/** A small client of an API server: JSON answers, and answers that are lines without end. */
import type { IncomingMessage } from 'node:http';
import { parseJson } from '../../../api/json/json-text.ts';
import { isJsonObject, stringAt, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { EndpointRequests, type PreparedRequest } from '../../outbound/kubeconfig-endpoint.ts';
import { secureRequest, type SecureRequestOptions } from '../../outbound/trusting-agent.ts';
import type { PreparedHandshake } from '../../client/node.ts';
import { systemProblem } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';
import type { ClusterAccess } from '../../configuration/kubeconfig-access.ts';

/** The server answered, and not what was asked for. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** No answer came, or it broke off: nothing is known of the server, and it may be back soon. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly signal: AbortSignal | undefined;
}

export class ApiClient {
  readonly #access: ClusterAccess;
  readonly #requests: EndpointRequests;

  constructor(access: ClusterAccess) {
    this.#access = access;
    this.#requests = new EndpointRequests(access, { clock: systemClock });
  }

  /** `https://host:port`. */
  get server(): string {
    return this.#access.server;
  }

  /** @param path with its query. @throws {ApiError} @throws {ConnectionError} */
  getJson(path: string, signal?: AbortSignal): Promise<JsonObject> {
    return this.#json(path, { method: 'GET', signal });
  }

  /** Without a body. @param path with its query. @throws {ApiError} @throws {ConnectionError} */
  postJson(path: string): Promise<JsonObject> {
    return this.#json(path, { method: 'POST', signal: undefined });
  }

  async #json(path: string, asked: Asked): Promise<JsonObject> {
    const text = await textOf(await this.#open(path, asked), this.server);
    const value = parsed(text);
    if (isJsonObject(value)) return value;
    throw new ApiError(200, `${this.server}${path} did not answer with a JSON object`);
  }

  /**
   * The answer line by line, without line breaks, in the portions in which it arrives.
   *
   * @throws {ApiError} @throws {ConnectionError} it broke off.
   */
  async *getLines(path: string, signal: AbortSignal): AsyncGenerator<readonly Buffer[]> {
    const incoming = await this.#open(path, { method: 'GET', signal });
    let rest: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of incoming) {
        const bytes =
          rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
        const end = bytes.lastIndexOf(LINE_BREAK) + 1;
        if (end > 0) yield linesIn(bytes.subarray(0, end));
        rest = bytes.subarray(end);
      }
    } catch (error) {
      throw connectionError(this.server, error);
    } finally {
      incoming.destroy();
    }
    if (rest.length > 0) throw new ConnectionError(`${this.server}: the answer broke off`);
  }

  /** What a WebSocket to the server is opened with. @throws Error where a program prints no credentials. */
  async prepareHandshake(): Promise<PreparedHandshake> {
    const prepared = await this.#requests.prepare();
    return {
      agent: prepared.agent,
      headers: { 'user-agent': 'everwatch', ...prepared.headers },
      answered: (code) => {
        prepared.answered(code);
      },
    };
  }

  close(): void {
    this.#requests.destroy();
  }

  async #open(path: string, asked: Asked): Promise<IncomingMessage> {
    const incoming = await this.#send(path, asked);
    const code = incoming.statusCode ?? 0;
    if (code === 200) return incoming;
    const text = await textOf(incoming, this.server);
    throw new ApiError(code, `${this.server}${path}: ${String(code)} ${messageIn(text)}`);
  }

  async #send(path: string, { method, signal }: Asked): Promise<IncomingMessage> {
    const { server } = this.#access;
    const prepared = await this.#prepared();
    const options: SecureRequestOptions = {
      method,
      agent: prepared.agent,
      headers: {
        accept: 'application/json',
        'user-agent': 'everwatch',
        ...prepared.headers,
      },
      ...(signal === undefined ? {} : { signal }),
    };
    return new Promise((resolve, reject) => {
      secureRequest(options, server + path)
        .once('response', (incoming) => {
          prepared.answered(incoming.statusCode ?? 0);
          resolve(incoming);
        })
        .on('error', (error) => {
          reject(connectionError(server, error));
        })
        .end();
    });
  }

  async #prepared(): Promise<PreparedRequest> {
    try {
      return await this.#requests.prepare();
    } catch (error) {
      throw connectionError(this.server, error);
    }
  }
}

const LINE_BREAK = 0x0a;

function linesIn(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LINE_BREAK, start);
    if (end > start) lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

async function textOf(incoming: IncomingMessage, server: string): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding is set.
  } catch (error) {
    throw connectionError(server, error);
  }
  return Buffer.concat(chunks).toString();
}

/** The message of a Status, or the beginning of whatever else came. */
function messageIn(text: string): string {
  const value = parsed(text);
  const message = isJsonObject(value) ? stringAt(value, 'message') : '';
  return message === '' ? text.trim().slice(0, 200) : message;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function connectionError(server: string, error: unknown): Error {
  if (error instanceof Error && error.name === 'AbortError') return error;
  return new ConnectionError(`cannot reach ${server}: ${systemProblem(error)}`, { cause: error });
}
