/**
 * A webhook that notes what it is asked. It allows everything but the image of an intruder, and sends
 * whoever asks at `/redirect` on to `/private`.
 */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { at, type JsonObject, parseJson, textAt } from '../support/json.ts';
import { testAuthority } from '../support/test-authority.ts';

export const INTRUDER = 'registry.example/intruder:1';

export interface SpyingWebhook {
  /** `https://127.0.0.1:port`. */
  readonly origin: string;
  /** As a webhook configuration has it. */
  readonly caBundle: string;
  /** A kubeconfig file that leads to `/images`. */
  readonly kubeconfig: string;
  /** The paths that were asked for, and the reviews that were posted, since `forget`. */
  readonly paths: string[];
  readonly reviews: JsonObject[];
  forget(): void;
  close(): void;
}

export async function spyingWebhook(): Promise<SpyingWebhook> {
  const paths: string[] = [];
  const reviews: JsonObject[] = [];
  const authority = await testAuthority('authority of webhooks');
  const { certificate, key } = await authority.issue('webhooks', ['127.0.0.1']);
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    paths.push(path);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (path === '/redirect') {
        response.writeHead(302, { Location: `https://${String(request.headers.host)}/private` });
        response.end();
        return;
      }
      const text = Buffer.concat(chunks).toString();
      const review = (text === '' ? {} : parseJson(text)) as JsonObject; // A review, or nothing.
      reviews.push(review);
      response.end(JSON.stringify(answerTo(review)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  return {
    origin,
    caBundle,
    kubeconfig: kubeconfigOf(`${origin}/images`, caBundle),
    paths,
    reviews,
    forget() {
      paths.length = 0;
      reviews.length = 0;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answerTo(review: JsonObject): JsonObject {
  const { kind = '', apiVersion = '' } = review;
  if (kind === 'ImageReview') {
    const allowed = !JSON.stringify(at(review, 'spec')).includes(INTRUDER);
    return { kind, apiVersion, status: { allowed } };
  }
  return { kind, apiVersion, response: { uid: textAt(review, 'request', 'uid'), allowed: true } };
}

function kubeconfigOf(server: string, authority: string): string {
  return JSON.stringify({
    kind: 'Config',
    apiVersion: 'v1',
    clusters: [{ name: 'w', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'w', user: {} }],
    contexts: [{ name: 'w', context: { cluster: 'w', user: 'w' } }],
    'current-context': 'w',
  });
}
