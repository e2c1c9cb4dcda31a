/**
 * Where there is no fairness: so many reads and so many writes at once, and whoever comes then is
 * told to come again. Long-running requests are not counted, and system:masters is always let in.
 *
 * In Kubernetes: WithMaxInFlightLimit, apiserver/pkg/server/filters.
 */
import { passOn, type Behavior, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import { tooManyRequestsAnswer } from './too-many-requests.ts';
import { isLongRunning } from '../request/long-running.ts';
import type { RequestMetrics } from '../request/request-metrics.ts';
import type { AuthenticatedRequest, Note } from '../request/request.ts';

export interface MaxInFlightDependencies {
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
