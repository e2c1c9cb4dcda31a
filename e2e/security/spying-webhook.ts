/**
 * A webhook that notes what it is asked. It allows everything but the image of an intruder, and sends
 * requests for `/redirect` on to `/private`.
 */
import { at, type JsonObject, parseJson, textAt } from '../support/json.ts';
import { testWebhook } from '../support/test-webhook.ts';

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
  const webhook = await testWebhook((text, request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    paths.push(path);
    if (path === '/redirect') {
      response.writeHead(302, { Location: `https://${String(request.headers.host)}/private` });
      response.end();
      return;
    }
    const review = (text === '' ? {} : parseJson(text)) as JsonObject; // A review, or nothing.
    reviews.push(review);
    response.end(JSON.stringify(answerTo(review)));
  });
  return {
    origin: webhook.origin,
    caBundle: webhook.caBundle,
    kubeconfig: webhook.kubeconfig('/images', 'ours'),
    paths,
    reviews,
    forget() {
      paths.length = 0;
      reviews.length = 0;
    },
    close() {
      webhook.close();
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
