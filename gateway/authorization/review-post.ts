/**
 * Posts reviews of access to where a kubeconfig file points, over connections that are kept. No
 * redirect is followed, and an answer has a largest size.
 *
 * In Kubernetes: GenericWebhook, apiserver/pkg/util/webhook.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { ReviewAnswer, ReviewClient } from '../../actors/request/webhook-review.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { goProblem, serverProblem } from '../outbound/go-http-problem.ts';
import {
  EndpointRequests,
  type KubeconfigEndpoint,
  type PreparedRequest,
} from '../outbound/kubeconfig-endpoint.ts';
import { countCall } from '../outbound/rest-calls.ts';
import { secureRequest } from '../outbound/trusting-agent.ts';

const BODY_BYTES_MAX = 1024 * 1024;
/** It may answer when it is asked again. In Kubernetes: DefaultShouldRetry. */
const GATEWAY_TIMEOUT = 504;
const PASSING: ReadonlySet<number> = new Set([429, 500, 501, 502, 504]);

/** Posts reviews to the webhook of a kubeconfig file. */
export function reviewClient(access: KubeconfigEndpoint, clock: Clock): ReviewClient {
  const { server } = access;
  const requests = new EndpointRequests(access, { clock });
  return {
    async post(body, timeoutMs) {
      const url = `${server}?timeout=${String(Math.ceil(timeoutMs / 1_000))}s`;
      let prepared: PreparedRequest;
      try {
        prepared = await requests.prepare();
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { ok: false, message: `Post "${url}": ${why}`, mayRetry: false };
      }
      const { agent } = prepared;
      return new Promise((resolve) => {
        const headers = {
          ...prepared.headers,
          'content-type': 'application/json',
          accept: 'application/json, */*',
          'content-length': body.length,
        };
        const sent = secureRequest({ method: 'POST', agent, headers }, url);
        countCall(sent, { host: new URL(server).host, bodyBytes: body.length, clock });
        let isLate = false;
        const cancel = clock.after(timeoutMs, () => {
          isLate = true;
          sent.destroy(new Error('context deadline exceeded'));
        });
        exchange({ sent, url, prepared }, body, (answer) => {
          cancel();
          resolve(answer.ok || !isLate ? answer : { ...answer, isTimeout: true });
        });
      });
    },
  };
}

interface Sent {
  readonly sent: ClientRequest;
  readonly url: string;
  readonly prepared: PreparedRequest;
}

function exchange(
  { sent, url, prepared }: Sent,
  body: Buffer,
  done: (answer: ReviewAnswer) => void,
): void {
  const fail = (error: NodeJS.ErrnoException): void => {
    const message = `Post "${url}": ${goProblem(error)}`;
    done({ ok: false, message, mayRetry: error.code === 'ECONNRESET' });
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
      prepared.answered(statusCode);
      const whole = Buffer.concat(chunks);
      if (statusCode >= 200 && statusCode < 300) done({ ok: true, body: whole });
      else {
        const message = serverProblem(statusCode, whole);
        const isTimeout = statusCode === GATEWAY_TIMEOUT;
        done({ ok: false, message, mayRetry: PASSING.has(statusCode), isTimeout });
      }
    });
  });
  sent.end(body);
}
