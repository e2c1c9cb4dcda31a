/** Speaks HTTP/1.1 to a server as the user of a token or a certificate. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';

import { type JsonObject, parseJson } from '../support/json.ts';
import type { RunningServer } from '../support/server.ts';

export interface Credentials {
  readonly token?: string;
  readonly identity?: {
    readonly certificate: string;
    readonly key: string;
    /** For a certificate that OpenSSL would not show else. */
    readonly ciphers?: string;
  };
}

export interface Answered {
  readonly status: number;
  readonly text: string;
  /** {} where it is no JSON. */
  readonly body: JsonObject;
}

type Headers = Readonly<Record<string, string | string[]>>;

export function callerOf(server: RunningServer, { token, identity }: Credentials) {
  const ca = readFileSync(join(server.dataDir, 'pki', 'ca.crt'));
  const { certificate: cert, ...rest } = identity ?? {};
  const own = identity === undefined ? {} : { cert, ...rest };
  const bearer = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const ask = (method: string, path: string, headers: Headers, body?: JsonObject) =>
    new Promise<Answered>((resolve, reject) => {
      const all = { ...bearer, 'Content-Type': 'application/json', ...headers };
      const options = { method, ca, ...own, headers: all, agent: false };
      const sent = request(`${server.url}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const parsed = text.startsWith('{') ? parseJson(text) : {};
          resolve({ status: response.statusCode ?? 0, text, body: parsed as JsonObject });
        });
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  /** The answer of a GET as it comes. */
  const open = (path: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const options = { ca, ...own, headers: bearer, agent: false };
      request(`${server.url}${path}`, options, resolve).on('error', reject).end();
    });
  return {
    open,
    get: (path: string, headers: Headers = {}) => ask('GET', path, headers),
    post: (path: string, body: JsonObject, headers: Headers = {}) =>
      ask('POST', path, headers, body),
  };
}
