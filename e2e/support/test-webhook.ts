/** A webhook of a test, over TLS: a server that is posted reviews and answers them. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { JsonObject } from './json.ts';
import { testAuthority } from './test-authority.ts';

export interface TestWebhook {
  /** `https://127.0.0.1:port`. */
  readonly origin: string;
  /** The certificate of its authority, PEM. */
  readonly authority: string;
  /** The same in base64, as webhook configurations have it. */
  readonly caBundle: string;
  /**
   * The text of a kubeconfig file that leads to a path of it, with a bearer token.
   *
   * @param authorityFile where the authority's certificate lies; without it, it stands in the text.
   */
  kubeconfig(path: string, token: string, authorityFile?: string): string;
  close(): void;
}

/** @param answer is called with each request when all of its body is there, and ends the response. */
export async function testWebhook(
  answer: (body: string, request: IncomingMessage, response: ServerResponse) => void,
): Promise<TestWebhook> {
  const authority = await testAuthority('authority of webhooks');
  const { certificate, key } = await authority.issue('webhook', ['127.0.0.1']);
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      answer(Buffer.concat(chunks).toString(), request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // It listens on TCP.
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  return {
    origin,
    authority: authority.certificate,
    caBundle,
    kubeconfig(path, token, authorityFile) {
      const trust =
        authorityFile === undefined
          ? { 'certificate-authority-data': caBundle }
          : { 'certificate-authority': authorityFile };
      return kubeconfigOf({ server: `${origin}${path}`, ...trust }, token);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function kubeconfigOf(cluster: JsonObject, token: string): string {
  return JSON.stringify({
    kind: 'Config',
    apiVersion: 'v1',
    clusters: [{ name: 'it', cluster }],
    users: [{ name: 'us', user: { token } }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'us' } }],
    'current-context': 'it',
  });
}
