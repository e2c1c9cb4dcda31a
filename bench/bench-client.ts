/** Asks a server of the bench, over connections that stay open. */
import { Agent, request } from 'node:https';

export interface BenchAnswer {
  readonly status: number;
  readonly text: string;
}

export class BenchClient {
  readonly #url: string;
  readonly #token: string;
  readonly #agent: Agent;

  /** @param connections at most so many; none: as many as there are requests at once. */
  constructor(url: string, token: string, connections = Number.POSITIVE_INFINITY) {
    this.#url = url;
    this.#token = token;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: connections,
      rejectUnauthorized: false,
    });
  }

  /** Resolves with the answer, whatever its status. */
  ask(method: string, path: string, body?: unknown): Promise<BenchAnswer> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      'content-type': 'application/json',
    };
    return new Promise((resolve, reject) => {
      request(this.#url + path, { agent: this.#agent, headers, method }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        });
      })
        .on('error', reject)
        .end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** The same for many requests, so many at once. @throws Error an answer is not a 2xx. */
  async askMany(
    count: number,
    inFlight: number,
    what: (nth: number) => readonly [method: string, path: string, body?: unknown],
  ): Promise<void> {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < count) {
        const [method, path, body] = what(next++);
        const { status, text } = await this.ask(method, path, body);
        if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
  }

  /** Microseconds that each filter has worked since the start, where the server measures that. */
  async filterMicroseconds(): Promise<ReadonlyMap<string, number>> {
    const { text } = await this.ask('GET', '/metrics');
    const lines = text.matchAll(/^everwatch_filter_seconds_total\{filter="([^"]+)"\} (\S+)$/gm);
    return new Map([...lines].map(([, filter = '', seconds]) => [filter, Number(seconds) * 1e6]));
  }

  close(): void {
    this.#agent.destroy();
  }
}
