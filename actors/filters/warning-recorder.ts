/**
 * Records which warnings clients were given, so that an operator learns which clients still use what
 * will go away. The request itself carries the warnings and the answer writer sends them.
 *
 * In Kubernetes: WithWarningRecorder, apiserver/pkg/endpoints/filters.
 */
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { Logger } from '../request/logger.ts';
import type { Note, RoutedRequest } from '../request/request.ts';

export interface WarningRecorderDependencies {
  readonly logger: Logger;
  readonly faults: Faults;
}

export function warningRecorder(
  { logger, faults }: WarningRecorderDependencies,
  next: Ref<RoutedRequest>,
): Behavior<RoutedRequest> {
  const record: Note = ({ warnings, path, headers, user, auditID }) => {
    if (warnings.length === 0) return;
    const userAgent = headers['user-agent'] ?? '';
    const fields = { warnings, path, user: user?.name ?? '', userAgent, auditID };
    logger.info(fields, 'a client was warned');
  };
  return {
    name: 'warning-recorder',

    receive(request) {
      request.atTheEnd(record);
      passOn(next, request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}
