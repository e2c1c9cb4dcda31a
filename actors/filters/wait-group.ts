/**
 * Lets a shutdown wait for the requests under way, and turns those away that come after it
 * began. Health checks and metrics are let through to the end, for a client that asks should hear
 * the truth.
 *
 * In Kubernetes: WithWaitGroup, apiserver/pkg/server/filters.
 */
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import { isAnsweredToTheEnd } from '../lifecycle/health-checks.ts';
import { isLongRunning } from '../request/request-labels.ts';
import type { Note, RoutedRequest } from '../request/request.ts';
import { refuseForShutdown, type WaitGroup } from '../request/under-way.ts';

export interface WaitGroupDependencies {
  readonly group: WaitGroup;
  readonly faults: Faults;
}

/** A connection that goes on in another protocol ends with the server, which does not wait for it. */
function leaveWhenUpgraded(request: RoutedRequest, group: WaitGroup): void {
  let isIn = true;
  const leave = (): void => {
    if (isIn) group.leave();
    isIn = false;
  };
  request.atTheEnd(leave);
  request.guardedBy((_, answer) => {
    if (answer.kind === 'Upgrade') leave();
    return answer;
  });
}

/**
 * The filter; requests that may stay open (watches) are not counted here but by watch-termination.
 */
export function waitGroupFilter(
  { group, faults }: WaitGroupDependencies,
  next: Ref<RoutedRequest>,
): Behavior<RoutedRequest> {
  const leave: Note = () => {
    group.leave();
  };
  return {
    name: 'wait-group',

    receive(request) {
      if (isLongRunning(request.info)) {
        passOn(next, request);
        return;
      }
      if (group.enter()) {
        if (request.isWebSocket) leaveWhenUpgraded(request, group);
        else request.atTheEnd(leave);
        passOn(next, request);
        return;
      }
      if (isAnsweredToTheEnd(request.info.path)) {
        passOn(next, request);
        return;
      }
      refuseForShutdown(request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}
