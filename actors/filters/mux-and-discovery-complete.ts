/**
 * Asks clients to come again that come before all paths are known: a 404 would be taken at its word,
 * by the garbage collector for one. Health checks and metrics are there from the beginning.
 *
 * In Kubernetes: WithMuxAndDiscoveryComplete, apiserver/pkg/endpoints/filters, and
 * apiserver/pkg/util/notfoundhandler, which answers only where nothing else did.
 */
import { serviceUnavailable } from '../../api/meta/status.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import { isAnsweredToTheEnd } from '../lifecycle/health-checks.ts';
import type { Signal } from '../lifecycle/lifecycle-signals.ts';
import { statusAnswer } from '../request/answer.ts';
import type { ReceivedRequest } from '../request/request.ts';

export interface MuxAndDiscoveryCompleteDependencies {
  readonly complete: Signal;
  readonly faults: Faults;
}

const MESSAGE =
  'the request has been made before all known HTTP paths have been installed, please try again';
const RETRY_AFTER_SECONDS = 5;

export function muxAndDiscoveryComplete(
  { complete, faults }: MuxAndDiscoveryCompleteDependencies,
  next: Ref<ReceivedRequest>,
): Behavior<ReceivedRequest> {
  return {
    name: 'mux-and-discovery-complete',

    receive(request) {
      if (complete.isGiven || isAnsweredToTheEnd(request.path)) {
        passOn(next, request);
        return;
      }
      request.responseHeaders['Retry-After'] = String(RETRY_AFTER_SECONDS);
      request.reply(statusAnswer(serviceUnavailable(MESSAGE, RETRY_AFTER_SECONDS)));
    },

    fault: (request, error) => faults.answer(request, error),
  };
}
