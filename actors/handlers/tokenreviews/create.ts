/**
 * TokenReview: whom a bearer token belongs to. The token goes through the authenticator of the
 * server itself, as if somebody had come with it and with nothing else.
 *
 * A token is good for some audiences. Who asks for none asks for this server.
 *
 * In Kubernetes: registry/authentication/tokenreview.
 */
import { objectAt, stringAt, type JsonObject } from '../../../api/json/json.ts';
import { badRequest, internalError } from '../../../api/meta/status.ts';
import {
  refused,
  type Authentication,
  type Authenticator,
} from '../../authentication/authenticator.ts';
import { statusAnswer, type Answer } from '../../request/answer.ts';
import { receivedRequest, type Door, type RoutedRequest } from '../../request/request.ts';
import { resolveRequestInfo } from '../../request/request-info.ts';
import { virtualAnswer, type PostAnswerer, type Posted } from '../../registry/paths/post.ts';
import { stringsAt } from '../../../api/kinds/rules/value-validation.ts';
import { shownUser } from '../user-info.ts';

/** Nobody waits at it: such a request is never answered and has no body. */
const NO_DOOR: Door = {
  readBody() {
    throw new Error('a request that only carries a token has no body');
  },
  answer() {
    throw new Error('a request that only carries a token is not answered');
  },
};

/** @param own the audiences of this server, asked for where the review names none. */
export function reviewToken(authenticator: Authenticator, own: readonly string[]): PostAnswerer {
  return (posted) => {
    const spec = objectAt(posted.object, 'spec');
    const token = stringAt(spec, 'token');
    if (token === '') {
      return statusAnswer(badRequest('token is required for TokenReview in authentication'));
    }
    const named = stringsAt(spec, 'audiences');
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
  { served, object }: Posted,
  answer: Authentication,
  asked: readonly string[],
): Answer {
  if (answer.verdict === 'identified' && asked.length > 0) {
    // Whoever does not say for whom a token is cannot be believed that it is for those.
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
