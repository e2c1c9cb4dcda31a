/**
 * Counts the watches that a shutdown gives time to end, and turns those away that come after it
 * began. In the chain only where the operator grants that time.
 *
 * In Kubernetes: WithWatchTerminationDuringShutdown, apiserver/pkg/server/filters.
 */
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { Note, RoutedRequest } from '../request/request.ts';
import { refuseForShutdown, type WaitGroup } from '../request/under-way.ts';

export interface WatchTerminationDependencies {
  readonly group: WaitGroup;
  readonly faults: Faults;
}

export function watchTermination(
  { group, faults }: WatchTerminationDependencies,
  next: Ref<RoutedRequest>,
): Behavior<RoutedRequest> {
  const leave: Note = () => {
    group.leave();
  };
  return {
    name: 'watch-termination',

    receive(request) {
      if (request.info.verb !== 'watch') {
        passOn(next, request);
        return;
      }
      if (group.enter()) {
        request.atTheEnd(leave);
        passOn(next, request);
        return;
      }
      refuseForShutdown(request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}
