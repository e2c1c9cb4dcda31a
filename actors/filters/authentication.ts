/**
 * Authentication: which user asks?
 *
 * A request of a known user walks on to `next`; any other is answered here, with 401, and
 * the reason stays in the log. An authenticator that has to ask a webhook decides later, and
 * its verdict comes back to this actor as a message.
 *
 * In Kubernetes: WithAuthentication, apiserver/pkg/endpoints/filters.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { unauthorized } from '../../api/meta/status.ts';
import { type Behavior, passOn, type Ref, wait } from '../request/actor.ts';
import type { Audit } from '../audit/audit.ts';
import type { RequestAuthenticationMeters } from '../authentication/authentication-meters.ts';
import {
  refused,
  type Authentication,
  type Authenticator,
  type Identified,
} from '../authentication/authenticator.ts';
import type { Faults } from '../request/faults.ts';
import { isHttp2 } from '../request/header-values.ts';
import type { Logger } from '../request/logger.ts';
import { statusAnswer } from '../request/answer.ts';
import { isPageRead } from '../request/page-paths.ts';
import type { AuthenticatedRequest, RoutedRequest } from '../request/request.ts';

interface AuthenticationDecided {
  readonly type: 'authenticationDecided';
  readonly request: RoutedRequest;
  readonly authentication: Authentication;
  readonly durationMs: number;
}

export type AuthenticationMessage = RoutedRequest | AuthenticationDecided;

export interface AuthenticationDependencies {
  readonly authenticator: Authenticator;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  readonly faults: Faults;
  /** Hears of requests that are not let in; undefined: nothing is audited. */
  readonly audit?: Pick<Audit, 'refusedEarly'> | undefined;
  /** Whether an unknown user gets more than one answer of a connection of HTTP/2. */
  readonly limitsUnknown?: boolean | undefined;
  readonly authenticationMeters?: RequestAuthenticationMeters | undefined;
}

export function authentication(
  dependencies: AuthenticationDependencies,
  next: Ref<AuthenticatedRequest>,
): Behavior<AuthenticationMessage> {
  const { authenticator, logger, faults, audit, clock } = dependencies;
  const { limitsUnknown = false, authenticationMeters: meters } = dependencies;

  function settle(request: RoutedRequest, decided: Authentication, durationMs: number): void {
    const username = decided.verdict === 'identified' ? decided.user.name : '';
    request.took('authentication', durationMs);
    meters?.authenticated(RESULTS[decided.verdict], username, durationMs);
    if (isUnknown(decided) && limitsUnknown) limitConnection(request);
    if (decided.verdict === 'identified') return passOn(next, admitted(request, decided));
    if (decided.verdict === 'refused') {
      const { path, auditID } = request;
      logger.warn({ reason: decided.reason, path, auditID }, 'unable to authenticate the request');
      annotate(request, decided.annotations);
    }
    audit?.refusedEarly(request);
    return request.reply(statusAnswer(unauthorized()));
  }

  return {
    name: 'authentication',

    receive(message, self) {
      if (message.type !== 'request') {
        settle(message.request, message.authentication, message.durationMs);
        return;
      }
      const answer = authenticator.authenticate(message);
      // What is decided at once takes less than the shortest time that is told apart.
      if (!(answer instanceof Promise)) {
        settle(message, answer, 0);
        return;
      }
      const startedAt = clock.now();
      const decided = (authentication: Authentication): AuthenticationDecided => {
        const durationMs = clock.now() - startedAt;
        return { type: 'authenticationDecided', request: message, authentication, durationMs };
      };
      wait(self, answer.catch(refused).then(decided));
    },

    fault(message, error) {
      faults.answer(message.type === 'request' ? message : message.request, error);
    },
  };
}

/** The credential stays behind: nothing further on needs it, or could let it out. */
function admitted(request: RoutedRequest, decided: Identified): AuthenticatedRequest {
  const { user, annotations, warning } = decided;
  if (request.headers['authorization'] !== undefined) request.forgetHeader('authorization');
  annotate(request, annotations);
  if (warning !== undefined) request.warn(warning);
  return request.identifiedAs(user);
}

function annotate(request: RoutedRequest, annotations: Identified['annotations']): void {
  if (annotations === undefined) return;
  for (const [key, value] of Object.entries(annotations)) request.annotate(key, value);
}

function isUnknown(decided: Authentication): boolean {
  return decided.verdict !== 'identified' || decided.user.name === ANONYMOUS;
}

/**
 * HTTP/2 is cheap for a client that floods and dear for us (CVE-2023-44487): on it, one request each. Not of the
 * page, of which a browser loads several files at once: it gives up what was refused a third time.
 */
function limitConnection(request: RoutedRequest): void {
  if (!isHttp2(request) || isPageRead(request.info)) return;
  request.responseHeaders['Connection'] = 'close';
}

const RESULTS = { identified: 'success', unknown: 'failure', refused: 'error' } as const;

const ANONYMOUS = 'system:anonymous';
