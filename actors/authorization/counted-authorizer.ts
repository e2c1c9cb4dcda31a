/**
 * An authorizer whose decisions are counted; no opinion is none.
 *
 * In Kubernetes: instrumentedAuthorizer, apiserver/pkg/authorization/metrics.
 */
import type { DecisionCounts } from './authorization-meters.ts';
import type { Authorizer, Decision } from './authorizer.ts';
import type { RuleResolver } from './rule-resolver.ts';

export function countedAuthorizer(
  member: Authorizer & RuleResolver,
  counts: DecisionCounts,
): Authorizer & RuleResolver {
  const counted = (decision: Decision): Decision => {
    if (decision.verdict === 'allow') counts.allowed += 1;
    else if (decision.verdict === 'deny') counts.denied += 1;
    return decision;
  };
  return {
    authorize(attributes) {
      const answer = member.authorize(attributes);
      return answer instanceof Promise ? answer.then(counted) : counted(answer);
    },
    rulesFor: (user, namespace) => member.rulesFor(user, namespace),
  };
}
