/**
 * SelfSubjectReview: the user for whom the server takes the client, as `kubectl auth whoami` asks. What the
 * client wrote into it does not matter.
 *
 * In Kubernetes: registry/authentication/selfsubjectreview.
 */
import { formatTime } from '../../../api/meta/clock.ts';
import type { Answer } from '../../request/answer.ts';
import { virtualAnswer, type Posted } from '../../registry/paths/post.ts';
import { shownUser } from '../user-info.ts';

/** Answers 201 with the user in `status.userInfo`; it needs no more than the request. */
export function reviewSelf({ context, request, served, object }: Posted): Answer {
  const { kind, apiVersion } = object;
  return virtualAnswer(served, 201, {
    kind,
    apiVersion,
    metadata: { creationTimestamp: formatTime(context.clock.now()) },
    status: { userInfo: shownUser(request.user) },
  });
}
