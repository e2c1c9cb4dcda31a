/**
 * Where there is no fairness: so many reads and so many writes at once, and a client that comes then
 * is told to come again, in plain text, as kube-apiserver has it. Long-running requests are not
 * counted, and system:masters is always let in.
 *
 * In Kubernetes: WithMaxInFlightLimit, apiserver/pkg/server/filters.
 */
import type { Answer } from '../request/answer.ts';
import type { AuthenticatedRequest, Note, ReceivedRequest } from '../request/request.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import { isLongRunning, type RequestMetrics } from '../request/request-labels.ts';

const BODY = Buffer.from('Too many requests, please try again later.\n');
const HEADERS = {
  'Content-Type': 'text/plain; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
};

/** @param retryAfterSeconds when it should come again. */
export function tooManyRequestsAnswer(request: ReceivedRequest, retryAfterSeconds: number): Answer {
  request.responseHeaders['Retry-After'] = String(retryAfterSeconds);
  return { kind: 'Document', code: 429, headers: HEADERS, body: BODY };
}

interface MaxInFlightDependencies {
  /** 0: no limit. */
  readonly readsMax: number;
  /** 0: no limit. */
  readonly writesMax: number;
  readonly faults: Faults;
  readonly metrics?: Pick<RequestMetrics, 'terminated'> | undefined;
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const PRIVILEGED = 'system:masters';
const RETRY_AFTER_SECONDS = 1;
const TOO_MANY = 429;

export function maxInFlight(
  { readsMax, writesMax, faults, metrics }: MaxInFlightDependencies,
  next: Ref<AuthenticatedRequest>,
): Behavior<AuthenticatedRequest> {
  const reads = new Limit(readsMax);
  const writes = new Limit(writesMax);
  return {
    name: 'priority-and-fairness',

    receive(request) {
      if (isLongRunning(request.info)) {
        passOn(next, request);
        return;
      }
      const limit = READS.has(request.info.verb) ? reads : writes;
      if (limit.enter(request)) {
        passOn(next, request);
        return;
      }
      if (request.user.groups.includes(PRIVILEGED)) {
        passOn(next, request);
        return;
      }
      metrics?.terminated(request, TOO_MANY);
      request.reply(tooManyRequestsAnswer(request, RETRY_AFTER_SECONDS));
    },

    fault: (request, error) => faults.answer(request, error),
  };
}

class Limit {
  readonly #max: number;
  #inside = 0;
  readonly #leave: Note = () => {
    this.#inside -= 1;
  };

  constructor(max: number) {
    this.#max = max;
  }

  enter(request: AuthenticatedRequest): boolean {
    if (this.#max === 0) return true;
    if (this.#inside >= this.#max) return false;
    this.#inside += 1;
    request.atTheEnd(this.#leave);
    return true;
  }
}
