/**
 * A client that may update may not always create.
 *
 * In Kubernetes: withAuthorization, apiserver/pkg/endpoints/handlers/update.go.
 */
import { forbidden, internalError } from '../../../api/meta/status.ts';
import { statusAnswer } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { refusalText } from '../../authorization/attributes.ts';
import type { Attributes, Decision } from '../../authorization/authorizer.ts';
import { noted, waitingStage } from '../stage.ts';
import type { HasGeneratedName, Received } from '../write.ts';

/** A PUT, or an apply, that finds nothing makes the object under the name of the URL. */
export const authorizeCreate = waitingStage<Received, Received & HasGeneratedName, Decision>(
  'authorize create',
  {
    find: ({ request }, { authorizer }) => authorizer.authorize(creationBy(request)),
    take(write, decision) {
      if (decision.verdict === 'allow') return noted(write, { generated: undefined });
      if (decision.error !== undefined) return statusAnswer(internalError(decision.error));
      const { apiGroup: group, resource, name } = write.request.info;
      const why = refusalText(creationBy(write.request), decision.reason);
      return statusAnswer(forbidden({ group, resource }, name, why));
    },
  },
);

function creationBy({ user, info }: AuthenticatedRequest): Attributes {
  return { user, request: { ...info, verb: 'create' } };
}
