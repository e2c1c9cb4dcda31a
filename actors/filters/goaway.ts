/**
 * Now and then tells a client of HTTP/2 to connect anew, so that clients spread over the servers
 * behind a load balancer and do not all stay where they once came in. In the chain only where there is a chance.
 *
 * In Kubernetes: WithProbabilisticGoaway, apiserver/pkg/server/filters.
 */
import type { Random } from '../../api/meta/clock.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import { isHttp2 } from '../request/header-values.ts';
import type { RoutedRequest } from '../request/request.ts';

export interface GoawayDependencies {
  /** 0.001: for one request in a thousand. */
  readonly chance: number;
  readonly random: Random;
  readonly faults: Faults;
}

const PARTS = 1_000_000;

export function goaway(
  { chance, random, faults }: GoawayDependencies,
  next: Ref<RoutedRequest>,
): Behavior<RoutedRequest> {
  const limit = Math.round(chance * PARTS);
  return {
    name: 'goaway',

    receive(request) {
      if (isHttp2(request) && random.integer(PARTS) < limit) {
        // On HTTP/2 the door understands this as GOAWAY.
        request.responseHeaders['Connection'] = 'close';
      }
      passOn(next, request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}
