/**
 * TokenReview: whom a bearer token belongs to. The token goes through the authenticator of the
 * server itself, as if somebody had come with it and with nothing else.
 *
 * No token here is meant for a named audience, so where audiences are asked for, none is good.
 *
 * In Kubernetes: registry/authentication/tokenreview.
 */
import { listAt, objectAt, stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import { badRequest } from '../../../../api/meta/status.ts';
import {
  refused,
  type Authentication,
  type Authenticator,
} from '../../../authentication/authenticator.ts';
import {
  receivedRequest,
  statusAnswer,
  type Answer,
  type Door,
  type RoutedRequest,
} from '../../../request.ts';
import { resolveRequestInfo } from '../../../request-info.ts';
import { virtualAnswer, type PostAnswerer, type Posted } from '../../../registry/virtual-create.ts';
import { shownUser } from '../user-info.ts';

const WRONG_TOKEN = refused('invalid bearer token');

/** Nobody waits at it: such a request is never answered and has no body. */
const NO_DOOR: Door = {
  readBody() {
    throw new Error('a request that only carries a token has no body');
  },
  answer() {
    throw new Error('a request that only carries a token is not answered');
  },
};

export function reviewToken(authenticator: Authenticator): PostAnswerer {
  return (posted) => {
    const spec = objectAt(posted.object, 'spec');
    const token = stringAt(spec, 'token');
    if (token === '') {
      return statusAnswer(badRequest('token is required for TokenReview in authentication'));
    }
    const answer = listAt(spec, 'audiences').length > 0 ? WRONG_TOKEN : ask(authenticator, token);
    if (!(answer instanceof Promise)) return reviewed(posted, answer);
    return answer.catch(refused).then((settled) => reviewed(posted, settled));
  };
}

function ask(authenticator: Authenticator, token: string) {
  return authenticator.authenticate(bearing(token));
}

function reviewed({ served, object }: Posted, answer: Authentication): Answer {
  return virtualAnswer(served, 201, { ...object, status: statusOf(answer) });
}

function statusOf(answer: Authentication): JsonObject {
  if (answer.verdict === 'identified') {
    return { authenticated: true, user: shownUser(answer.user) };
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
