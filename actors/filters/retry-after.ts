/**
 * Sends new requests elsewhere while the server shuts down: 429, come again, and not on this
 * connection. In the chain only where the operator has said so: then the doors stay open for it.
 *
 * In Kubernetes: WithRetryAfter, apiserver/pkg/server/filters.
 */
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import { isAnsweredToTheEnd } from '../lifecycle/health-checks.ts';
import type { Signal } from '../lifecycle/lifecycle-signals.ts';
import type { Answer } from '../request/answer.ts';
import type { RoutedRequest } from '../request/request.ts';

export interface RetryAfterDependencies {
  /** Given when new requests are turned away. */
  readonly notAccepting: Signal;
  readonly faults: Faults;
}

const ANSWER: Answer = {
  kind: 'Document',
  code: 429,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  body: Buffer.from('The apiserver is shutting down, please try again later.\n'),
};

export function retryAfter(
  { notAccepting, faults }: RetryAfterDependencies,
  next: Ref<RoutedRequest>,
): Behavior<RoutedRequest> {
  return {
    name: 'retry-after',

    receive(request) {
      if (!notAccepting.isGiven || isExempt(request)) {
        passOn(next, request);
        return;
      }
      request.responseHeaders['Connection'] = 'close';
      request.responseHeaders['Retry-After'] = '5';
      request.reply(ANSWER);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}

/** Servers speak to servers until the last moment. */
function isExempt({ path, headers }: RoutedRequest): boolean {
  const agent = headers['user-agent'];
  return isAnsweredToTheEnd(path) || (typeof agent === 'string' && agent.startsWith(SERVER_AGENT));
}

const SERVER_AGENT = 'kube-apiserver/';
