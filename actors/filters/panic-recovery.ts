/**
 * The net under all filters behind it. Each of them is an actor that catches its own throws and
 * hands them to the same `Faults`; what this filter adds is the net for a next one that is no
 * actor and throws straight back.
 *
 * In Kubernetes: WithPanicRecovery, apiserver/pkg/server/filters.
 */
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { ReceivedRequest } from '../request/request.ts';

export function panicRecovery(
  { faults }: { readonly faults: Faults },
  next: Ref<ReceivedRequest>,
): Behavior<ReceivedRequest> {
  return {
    name: 'panic-recovery',
    receive: (request) => passOn(next, request),
    fault: (request, error) => faults.answer(request, error),
  };
}
