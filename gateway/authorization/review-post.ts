/**
 * Posts reviews of access to where a kubeconfig file points, over connections that are kept. No
 * redirect is followed, and an answer has a largest size.
 *
 * In Kubernetes: GenericWebhook, apiserver/pkg/util/webhook.
 */
import type { ReviewAnswer, ReviewClient } from '../../actors/request/webhook-review.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { goProblem, serverProblem } from '../outbound/go-http-problem.ts';
import type { KubeconfigEndpoint } from '../outbound/kubeconfig-endpoint.ts';
import { countCall } from '../outbound/rest-calls.ts';
import { type PreparedPost, webhookRequests } from '../outbound/webhook-requests.ts';
import { wholeAnswer, type WholeAnswer } from '../outbound/whole-answer.ts';

const LIMIT = { bytesMax: 1024 * 1024, tooLarge: 'the answer is too large' };
/** It may answer when it is asked again. In Kubernetes: DefaultShouldRetry. */
const GATEWAY_TIMEOUT = 504;
const PASSING: ReadonlySet<number> = new Set([429, 500, 501, 502, 504]);

/** Posts reviews to the webhook of a kubeconfig file. */
export function reviewClient(access: KubeconfigEndpoint, clock: Clock): ReviewClient {
  const prepare = webhookRequests(access, clock);
  return {
    async post(body, timeoutMs) {
      const url = `${access.server}?timeout=${String(Math.ceil(timeoutMs / 1_000))}s`;
      let prepared: PreparedPost;
      try {
        prepared = await prepare();
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { ok: false, message: `Post "${url}": ${why}`, mayRetry: false };
      }
      return posted({ url, prepared, clock, timeoutMs }, body);
    },
  };
}

interface Post {
  readonly url: string;
  readonly prepared: PreparedPost;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

async function posted(
  { url, prepared, clock, timeoutMs }: Post,
  body: Buffer,
): Promise<ReviewAnswer> {
  const sent = prepared.open(url, headersOf(body));
  countCall(sent, { host: new URL(url).host, bodyBytes: body.length, clock });
  const deadline = new AbortController();
  const cancel = clock.after(timeoutMs, () => {
    deadline.abort();
    sent.destroy(new Error('context deadline exceeded'));
  });
  try {
    const answer = await wholeAnswer(sent, { body, ...LIMIT });
    prepared.answered(answer.code);
    return reviewAnswer(answer);
  } catch (error) {
    const problem = error as NodeJS.ErrnoException; // Node's own, or the one above.
    const failed = { ok: false, message: `Post "${url}": ${goProblem(problem)}` } as const;
    const mayRetry = problem.code === 'ECONNRESET';
    return deadline.signal.aborted
      ? { ...failed, mayRetry, isTimeout: true }
      : { ...failed, mayRetry };
  } finally {
    cancel();
  }
}

function headersOf(body: Buffer) {
  return {
    'content-type': 'application/json',
    accept: 'application/json, */*',
    'content-length': body.length,
  };
}

function reviewAnswer({ code, bytes }: WholeAnswer): ReviewAnswer {
  if (code >= 200 && code < 300) return { ok: true, body: bytes };
  const message = serverProblem(code, bytes);
  return { ok: false, message, mayRetry: PASSING.has(code), isTimeout: code === GATEWAY_TIMEOUT };
}
