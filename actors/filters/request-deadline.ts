/**
 * Says until when the request may take: the server's own limit, or less if the client asks
 * for less with `?timeout=`. Long-running requests have no deadline.
 *
 * In Kubernetes: WithRequestDeadline, apiserver/pkg/endpoints/filters.
 */
import { parseGoDuration } from '../../api/meta/go-duration.ts';
import { badRequest } from '../../api/meta/status.ts';
import { queryValue } from '../../api/meta/web-addresses.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Audit } from '../audit/audit.ts';
import type { Faults } from '../request/faults.ts';
import { isLongRunning } from '../request/request-labels.ts';
import { statusAnswer } from '../request/answer.ts';
import type { RoutedRequest } from '../request/request.ts';

export interface RequestDeadlineDependencies {
  readonly requestTimeoutMs: number;
  readonly faults: Faults;
  /** Hears of requests that make no sense; undefined: nothing is audited. */
  readonly audit?: Pick<Audit, 'refusedEarly'> | undefined;
}

export function requestDeadline(
  { requestTimeoutMs, faults, audit }: RequestDeadlineDependencies,
  next: Ref<RoutedRequest>,
): Behavior<RoutedRequest> {
  return {
    name: 'request-deadline',

    receive(request) {
      if (isLongRunning(request.info)) {
        passOn(next, request);
        return;
      }
      const asked = askedTimeout(request.query);
      let timeoutMs = requestTimeoutMs;
      if (asked !== '') {
        const parsed = parseGoDuration(asked);
        if (!parsed.ok) {
          const message = `invalid timeout specified in the request URL - ${parsed.problem}`;
          audit?.refusedEarly(request);
          request.reply(statusAnswer(badRequest(message)));
          return;
        }
        // Zero and less mean that the client has no wish of its own.
        // What is shorter than the clock can tell is over when it begins.
        if (parsed.ms > 0 && parsed.ms < requestTimeoutMs) timeoutMs = Math.floor(parsed.ms);
      }
      request.until(request.receivedAt + timeoutMs);
      passOn(next, request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}

function askedTimeout(query: string): string {
  return query === '' ? '' : (queryValue(query, 'timeout') ?? '');
}
