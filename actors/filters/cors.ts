/**
 * Lets web pages of the origins the operator named call the API; in the chain only where there are some. A preflight is answered here,
 * before the user is asked for: browsers send it without credentials.
 *
 * In Kubernetes: WithCORS, apiserver/pkg/server/filters.
 */
import type { RegularExpression } from '../../api/meta/regular-expression.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { Answer } from '../request/answer.ts';
import type { RoutedRequest } from '../request/request.ts';

export interface CorsDependencies {
  /** An origin that matches one of them is allowed. */
  readonly allowedOrigins: readonly RegularExpression[];
  readonly faults: Faults;
}

const ALLOWED_METHODS = 'POST, GET, OPTIONS, PUT, DELETE, PATCH';
const ALLOWED_HEADERS =
  'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, ' +
  'X-Requested-With, If-Modified-Since';

const PREFLIGHT_ANSWER: Answer = {
  kind: 'Document',
  code: 204,
  headers: {},
  body: new Uint8Array(0),
};

export function cors(
  { allowedOrigins, faults }: CorsDependencies,
  next: Ref<RoutedRequest>,
): Behavior<RoutedRequest> {
  return {
    name: 'cors',

    receive(request) {
      const origin = request.headers['origin'];
      if (typeof origin !== 'string' || !isAllowed(origin, allowedOrigins)) {
        passOn(next, request);
        return;
      }
      const headers = request.responseHeaders;
      headers['Access-Control-Allow-Origin'] = origin;
      headers['Access-Control-Allow-Methods'] = ALLOWED_METHODS;
      headers['Access-Control-Allow-Headers'] = ALLOWED_HEADERS;
      headers['Access-Control-Expose-Headers'] = 'Date';
      headers['Access-Control-Allow-Credentials'] = 'true';
      if (request.method === 'OPTIONS') {
        request.reply(PREFLIGHT_ANSWER);
        return;
      }
      passOn(next, request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}

function isAllowed(origin: string, allowed: readonly RegularExpression[]): boolean {
  return origin !== '' && allowed.some((pattern) => pattern.test(origin));
}
