/**
 * TokenReview: whom a bearer token belongs to. The token goes through the authenticator of the
 * server itself, as if a client had come with it and with nothing else.
 *
 * A token is good for some audiences. A review that asks for none asks for this server.
 *
 * In Kubernetes: registry/authentication/tokenreview.
 */
import type { TokenReview } from '../../../api/generated/kinds/authentication-v1.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { badRequest, internalError } from '../../../api/meta/status.ts';
import {
  type Authentication,
  type Authenticator,
  refused,
} from '../../authentication/authenticator.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import { type Door, type RoutedRequest, receivedRequest } from '../../request/request.ts';
import { resolveRequestInfo } from '../../request/request-info.ts';
import { type PostAnswerer, type Posted, virtualAnswer } from '../../registry/paths/post.ts';
import { shownUser } from '../user-info.ts';

/** No client waits at it: such a request is never answered and has no body. */
const NO_DOOR: Door = {
  readBody() {
    throw new Error('a request that only carries a token has no body');
  },
  answer() {
    throw new Error('a request that only carries a token is not answered');
  },
};

/** @param own the audiences of this server, asked for where the review names none. */
export function reviewToken(
  authenticator: Authenticator,
  own: readonly string[],
): PostAnswerer<TokenReview> {
  return (posted) => {
    const { token = '', audiences: named = [] } = posted.object.spec;
    if (token === '') {
      return statusAnswer(badRequest('token is required for TokenReview in authentication'));
    }
    const audiences = named.length === 0 ? own : named;
    const answer = authenticator.authenticate(
      bearing(token),
      audiences.length === 0 ? undefined : audiences,
    );
    const finish = (settled: Authentication): Answer => reviewed(posted, settled, audiences);
    return answer instanceof Promise ? answer.catch(refused).then(finish) : finish(answer);
  };
}

function reviewed(
  { served, object }: Posted<TokenReview>,
  answer: Authentication,
  asked: readonly string[],
): Answer {
  if (answer.verdict === 'identified' && asked.length > 0) {
    // An authenticator that does not say for which audiences a token is cannot be believed that it is for those.
    const isMeant = answer.audiences?.some((one) => asked.includes(one)) ?? false;
    if (!isMeant) return statusAnswer(internalError('unable to validate audience for token'));
  }
  return virtualAnswer(served, 201, { ...object, status: statusOf(answer) });
}

function statusOf(answer: Authentication): JsonObject {
  if (answer.verdict === 'identified') {
    const { user, audiences = [] } = answer;
    return { authenticated: true, user: shownUser(user), audiences: [...audiences] };
  }
  return answer.verdict === 'refused' ? { error: answer.reason } : {};
}

function bearing(token: string): RoutedRequest {
  const request = receivedRequest(
    {
      method: 'POST',
      path: '/',
      query: '',
      headers: { authorization: `Bearer ${token}` },
      connection: { remoteAddress: '', clientCertificate: () => undefined },
      accepted: undefined,
      isWebSocket: false,
    },
    NO_DOOR,
  );
  return request.routedAs(resolveRequestInfo('POST', '/', ''));
}
