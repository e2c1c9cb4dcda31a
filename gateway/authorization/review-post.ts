/**
 * Posts reviews of access to where a kubeconfig file points, over connections that are kept. No
 * redirect is followed, and an answer has a largest size.
 *
 * In Kubernetes: GenericWebhook, apiserver/pkg/util/webhook.
 */
import { request } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { ReviewAnswer, ReviewClient } from '../../actors/authorization/webhook-authorizer.ts';
import type { Clock } from '../../api/meta/clock.ts';
import {
  agentFor,
  credentialsOf,
  type KubeconfigEndpoint,
} from '../outbound/kubeconfig-endpoint.ts';

const BODY_BYTES_MAX = 1024 * 1024;
/** It may answer when it is asked again. */
const PASSING: ReadonlySet<number> = new Set([429, 500]);

export function reviewClient(access: KubeconfigEndpoint, clock: Clock): ReviewClient {
  const { server } = access;
  const agent = agentFor(access);
  const credentials = credentialsOf(access);
  return {
    post: (body, timeoutMs) =>
      new Promise((resolve) => {
        const sent = request(`${server}?timeout=${String(Math.ceil(timeoutMs / 1_000))}s`, {
          method: 'POST',
          agent,
          headers: {
            ...credentials,
            'content-type': 'application/json',
            accept: 'application/json, */*',
            'content-length': body.length,
          },
        });
        const cancel = clock.after(timeoutMs, () => {
          sent.destroy(new Error('context deadline exceeded'));
        });
        exchange(sent, body, (answer) => {
          cancel();
          resolve(
            answer.ok ? answer : { ...answer, message: `Post "${server}": ${answer.message}` },
          );
        });
      }),
  };
}

function exchange(sent: ClientRequest, body: Buffer, done: (answer: ReviewAnswer) => void): void {
  const fail = (error: NodeJS.ErrnoException): void => {
    done({ ok: false, message: error.message, mayRetry: error.code === 'ECONNRESET' });
  };
  sent.on('error', fail);
  sent.on('response', (response: IncomingMessage) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    response.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= BODY_BYTES_MAX) chunks.push(chunk);
      else response.destroy(new Error('the answer is too large'));
    });
    response.on('error', fail);
    response.on('end', () => {
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) {
        done({ ok: true, body: Buffer.concat(chunks) });
        return;
      }
      const message = `it answered ${String(statusCode)}`;
      done({ ok: false, message, mayRetry: PASSING.has(statusCode) });
    });
  });
  sent.end(body);
}
