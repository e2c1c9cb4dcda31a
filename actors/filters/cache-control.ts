/**
 * Keeps answers out of shared caches, since all of them depend on the user. An answer that
 * may be cached (OpenAPI by hash) says so in its own headers, which win.
 *
 * In Kubernetes: WithCacheControl, apiserver/pkg/endpoints/filters.
 */
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { RoutedRequest } from '../request/request.ts';

export function cacheControl(
  { faults }: { readonly faults: Faults },
  next: Ref<RoutedRequest>,
): Behavior<RoutedRequest> {
  return {
    name: 'cache-control',

    receive(request) {
      request.responseHeaders['Cache-Control'] ??= 'no-cache, private';
      passOn(next, request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}
