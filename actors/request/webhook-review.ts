/**
 * Asks a webhook by posting a review, and again a few times where it may just be busy.
 *
 * In Kubernetes: GenericWebhook and its default backoff, apiserver/pkg/util/webhook.
 */
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import type { Clock, Random } from '../../api/meta/clock.ts';
import {
  isJsonObject,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../api/json/json.ts';

/** The body of a 2xx answer, or why there is none, in the words of Go's HTTP client. */
export type ReviewAnswer =
  | { readonly ok: true; readonly body: Buffer }
  /** `mayRetry`: the webhook may answer when it is asked again. */
  | {
      readonly ok: false;
      readonly message: string;
      readonly mayRetry: boolean;
      /** Whether it took too long, by its own clock or by ours. */
      readonly isTimeout?: boolean;
    };

/** One webhook, at the address and with the credentials of its kubeconfig file. */
export interface ReviewClient {
  /** Posts JSON. Never rejects. */
  post(body: Buffer, timeoutMs: number): Promise<ReviewAnswer>;
}

/** The version of the review's API group that the webhook speaks. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** What asking needs; clock and chance are there for the pauses between attempts. */
export interface WebhookReviewParts {
  /** Posts the review and gives the answer's bytes. */
  readonly client: ReviewClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Before the second attempt; undefined: half a second. */
  readonly firstDelayMs?: number;
  /** Told of each attempt; undefined: none is told. */
  readonly attempted?: ((result: AttemptResult, durationMs: number) => void) | undefined;
}

/** `error`: it answered what is no answer, or not at all. */
export type AttemptResult = 'success' | 'timeout' | 'error';

const FIRST_DELAY_MS = 500;
const FACTOR = 1.5;
const JITTER = 0.2;
const ATTEMPTS = 5;

/**
 * @param review with its kind.
 * @param timeoutMs of one attempt.
 * @returns the status of the review, or what went wrong in all attempts.
 */
export async function askReview(
  { client, clock, random, firstDelayMs = FIRST_DELAY_MS, attempted }: WebhookReviewParts,
  review: JsonObject,
  timeoutMs: number,
): Promise<JsonObject | Error> {
  const body = Buffer.from(formatJson(review));
  let delayMs = firstDelayMs;
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = clock.now();
    const answer = await client.post(body, timeoutMs);
    const status = answer.ok ? statusOf(answer.body, stringAt(review, 'kind')) : undefined;
    attempted?.(attemptResult(answer, status), clock.now() - startedAt);
    if (answer.ok) return status ?? {};
    if (!answer.mayRetry || attempt >= ATTEMPTS) return new Error(answer.message);
    const pauseMs = delayMs * (1 + JITTER * (random.integer(1_000) / 1_000));
    await new Promise<void>((resolve) => {
      clock.after(pauseMs, resolve);
    });
    delayMs *= FACTOR;
  }
}

function attemptResult(
  answer: ReviewAnswer,
  status: JsonObject | Error | undefined,
): AttemptResult {
  if (!answer.ok) return answer.isTimeout === true ? 'timeout' : 'error';
  return status instanceof Error ? 'error' : 'success';
}

function statusOf(body: Buffer, kind: string): JsonObject | Error {
  let review: JsonValue;
  try {
    review = parseJson(body.toString()); // All that JSON can say.
  } catch (cause) {
    return new Error('the webhook answered what is no JSON', { cause });
  }
  if (!isJsonObject(review) || stringAt(review, 'kind') !== kind) {
    return new Error(`the webhook answered what is no ${kind}`);
  }
  return objectAt(review, 'status') ?? {};
}
