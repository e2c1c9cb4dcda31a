/**
 * A client that may update may not always create.
 *
 * In Kubernetes: withAuthorization, apiserver/pkg/endpoints/handlers/update.go.
 */
import { forbidden, internalError } from '../../../api/meta/status.ts';
import { statusAnswer, type Answer } from '../../request/answer.ts';
import { refusalText } from '../../authorization/attributes.ts';
import type { Decision } from '../../authorization/authorizer.ts';
import { noted, type Stage } from '../stage.ts';
import type { HasGeneratedName, Received } from '../write.ts';

/** A PUT, or an apply, that finds nothing makes the object under the name of the URL. */
export const authorizeCreate: Stage<Received, Received & HasGeneratedName> = {
  name: 'authorize create',
  run(write, { authorizer }) {
    const { user, info } = write.request;
    const asked = { user, request: { ...info, verb: 'create' } };
    const go = (decision: Decision): (Received & HasGeneratedName) | Answer => {
      if (decision.verdict === 'allow') return noted(write, { generated: undefined });
      if (decision.error !== undefined) return statusAnswer(internalError(decision.error));
      const { apiGroup: group, resource, name } = info;
      return statusAnswer(
        forbidden({ group, resource }, name, refusalText(asked, decision.reason)),
      );
    };
    const decided = authorizer.authorize(asked);
    return decided instanceof Promise ? decided.then(go) : go(decided);
  },
};
