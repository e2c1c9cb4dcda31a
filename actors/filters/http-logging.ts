/**
 * One line per request in the log: always where the answer was our fault, at level debug for
 * the others. Nothing that a client sent as a secret is ever in it.
 *
 * In Kubernetes: WithHTTPLogging, apiserver/pkg/server/httplog.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { passOn, type Behavior, type Ref } from '../actor.ts';
import type { Faults } from '../faults.ts';
import type { LogFields, Logger } from '../logger.ts';
import type { Note, Outcome, ReceivedRequest, RoutedRequest } from '../request.ts';

export interface HttpLoggingDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly faults: Faults;
}

export function httpLogging(
  { clock, logger, faults }: HttpLoggingDependencies,
  next: Ref<RoutedRequest>,
): Behavior<RoutedRequest> {
  const log: Note = (request, outcome) => {
    if (outcome.code >= 500) logger.warn(fieldsOf(request, outcome, clock), 'HTTP');
    else if (logger.isLevelEnabled('debug')) {
      logger.debug(fieldsOf(request, outcome, clock), 'HTTP');
    }
  };
  return {
    name: 'http-logging',

    receive(request) {
      request.atTheEnd(log);
      return passOn(next, request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}

function fieldsOf(request: ReceivedRequest, outcome: Outcome, clock: Clock): LogFields {
  const { path, query } = request;
  return {
    verb: request.info?.verb ?? request.method,
    uri: query === '' ? path : `${path}?${query}`,
    code: outcome.code,
    sizeBytes: outcome.sizeBytes,
    durationMs: clock.now() - request.receivedAt,
    user: request.user?.name ?? '',
    userAgent: request.headers['user-agent'] ?? '',
    remoteAddress: request.connection.remoteAddress,
    auditID: request.auditID,
  };
}
