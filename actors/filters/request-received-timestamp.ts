/**
 * Notes when the request came in; deadlines and latencies are counted from here.
 *
 * In Kubernetes: WithRequestReceivedTimestamp, apiserver/pkg/endpoints/filters.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { ReceivedRequest } from '../request/request.ts';

export function requestReceivedTimestamp(
  { clock, faults }: { readonly clock: Clock; readonly faults: Faults },
  next: Ref<ReceivedRequest>,
): Behavior<ReceivedRequest> {
  return {
    name: 'request-received-timestamp',

    receive(request) {
      request.received(clock.now());
      passOn(next, request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}
