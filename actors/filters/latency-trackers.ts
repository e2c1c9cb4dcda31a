/**
 * Measures each request from its first byte to the last byte of its answer.
 *
 * In Kubernetes: WithLatencyTrackers, apiserver/pkg/endpoints/filters, and MonitorRequest.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { RequestMetrics } from '../request/request-labels.ts';
import type { Note, RoutedRequest } from '../request/request.ts';

export interface LatencyTrackersDependencies {
  readonly clock: Clock;
  readonly metrics: Pick<RequestMetrics, 'begun' | 'ended'>;
  readonly faults: Faults;
}

export function latencyTrackers(
  { clock, metrics, faults }: LatencyTrackersDependencies,
  next: Ref<RoutedRequest>,
): Behavior<RoutedRequest> {
  const measure: Note = (request, outcome) => {
    const routed = request as RoutedRequest; // This note is only left on routed requests.
    metrics.ended(routed, outcome, clock.now() - request.receivedAt);
  };
  return {
    name: 'latency-trackers',

    receive(request) {
      metrics.begun(request);
      request.atTheEnd(measure);
      passOn(next, request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}
