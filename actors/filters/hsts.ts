/**
 * Tells browsers to come by HTTPS only. In the chain only when the operator has said so.
 *
 * In Kubernetes: WithHSTS, apiserver/pkg/server/filters.
 */
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { RoutedRequest } from '../request/request.ts';

export interface HstsDependencies {
  /** For example `max-age=31536000` and `includeSubDomains`. */
  readonly directives: readonly string[];
  readonly faults: Faults;
}

export function hsts(
  { directives, faults }: HstsDependencies,
  next: Ref<RoutedRequest>,
): Behavior<RoutedRequest> {
  const value = directives.join('; ');
  return {
    name: 'hsts',

    receive(request) {
      request.responseHeaders['Strict-Transport-Security'] ??= value;
      passOn(next, request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}
