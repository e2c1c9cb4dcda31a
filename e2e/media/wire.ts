/** A client that says nothing but what it is told to: no header of its own, and bytes as they come. */
import { Agent, request } from 'node:https';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** A server and how it knows the client: by a token or a certificate. */
export interface Wire {
  readonly url: string;
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly token?: string;
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer | undefined;
  /** Whether the first bytes of a 200 are enough, since the answer has no end. */
  readonly isWatch?: boolean;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface WireClient {
  send(asked: WireRequest): Promise<WireAnswer>;
  close(): void;
}

export function wireClient({ url, token, ...access }: Wire): WireClient {
  // A peer signs its certificate itself and shows it to no client beforehand.
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 8,
    rejectUnauthorized: access.ca !== undefined,
  });
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    send: ({ method, path, headers = {}, body, isWatch = false }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
        const outgoing = request(url + path, {
          ...access,
          method,
          agent,
          headers: { ...authorization, ...length, ...headers },
        });
        outgoing.once('error', reject);
        outgoing.once('response', (incoming) => {
          const chunks: Buffer[] = [];
          const { statusCode: status = 0, headers: told } = incoming;
          const end = (): void => {
            resolve({ status, headers: told, body: Buffer.concat(chunks) });
          };
          incoming.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            if (!isWatch || status !== 200) return;
            end();
            outgoing.destroy();
          });
          incoming.once('end', end);
          incoming.once('error', reject);
        });
        outgoing.end(body);
      }),
    close: () => {
      agent.destroy();
    },
  };
}
