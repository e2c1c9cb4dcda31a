/**
 * Answers 504 for every request whose deadline passes before it is answered. An answer that comes
 * after the deadline becomes the same 504, even of a write that took effect: upstream's client is
 * told so too, and a webhook that the deadline cut off must not look like a webhook that failed.
 *
 * There is no timer per request: one sweep looks through all that are under way, ten times
 * a second and only while there are any. So an answer may come a sweep later than asked for.
 *
 * In Kubernetes: WithTimeoutForNonLongRunningRequests, apiserver/pkg/server/filters.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import { isLongRunning, type RequestMetrics } from '../request/request-labels.ts';
import type { Answer } from '../request/answer.ts';
import { UnderWay } from '../request/under-way.ts';
import type { ReceivedRequest, RoutedRequest } from '../request/request.ts';

export const SWEEP_MS = 100;
const TOO_LATE = 504;
/** Upstream writes it past all that knows of kinds and media types. */
const TOO_LATE_ANSWER: Answer = {
  kind: 'Document',
  code: TOO_LATE,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body: Buffer.from(
    '{"metadata":{},"status":"Failure",' +
      '"message":"Timeout: request did not complete within the allotted timeout",' +
      '"reason":"Timeout","details":{},"code":504}\n',
  ),
};

interface SweepDue {
  readonly type: 'sweepDue';
}

export type TimeoutMessage = RoutedRequest | SweepDue;

export interface TimeoutDependencies {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly metrics?: Pick<RequestMetrics, 'terminated'> | undefined;
}

export function timeout(
  { clock, faults, metrics }: TimeoutDependencies,
  next: Ref<RoutedRequest>,
): Behavior<TimeoutMessage> {
  const underWay = new UnderWay<RoutedRequest>();
  let isSweepDue = false;
  function sweepLater(self: Ref<TimeoutMessage>): void {
    if (isSweepDue) return;
    isSweepDue = true;
    clock.after(SWEEP_MS, () => {
      self.send({ type: 'sweepDue' });
    });
  }

  function sweep(self: Ref<TimeoutMessage>): void {
    isSweepDue = false;
    const now = clock.now();
    for (const request of underWay) {
      if (request.answered || request.deadline > now) continue;
      answerTooLate(request, faults);
    }
    if (underWay.size > 0) sweepLater(self);
  }

  const inTime = (request: RoutedRequest, answer: Answer): Answer => {
    if (request.deadline > clock.now()) return answer;
    metrics?.terminated(request, TOO_LATE);
    return TOO_LATE_ANSWER;
  };

  return {
    name: 'timeout',

    receive(message, self) {
      if (message.type === 'sweepDue') {
        sweep(self);
        return;
      }
      if (isLongRunning(message.info)) {
        passOn(next, message);
        return;
      }
      message.guardedBy(inTime);
      if (message.deadline <= clock.now()) {
        message.reply(TOO_LATE_ANSWER);
        return;
      }
      const place = underWay.add(message);
      message.atTheEnd(() => {
        underWay.remove(place, message);
      });
      sweepLater(self);
      passOn(next, message);
    },

    fault(message, error) {
      if (message.type === 'sweepDue') {
        faults.record('sweeping for timeouts', error);
        return;
      }
      faults.answer(message, error);
    },
  };
}

/** One connection that throws must not keep the others in the sweep from their answers. */
function answerTooLate(request: ReceivedRequest, faults: Faults): void {
  try {
    request.reply(TOO_LATE_ANSWER);
  } catch (error) {
    faults.record('answering a timeout', error);
  }
}
