/**
 * The authorizers that the operator chose, behind the one that always lets administrators in.
 *
 * In Kubernetes: Config.New, kubernetes/pkg/kubeapiserver/authorizer.
 */
import type { Authorizer } from './authorizer.ts';
import { MASTERS_GROUP, privilegedGroups } from './rbac/privileged-groups.ts';
import { unionRules, type RuleResolver } from './rule-resolver.ts';
import { unionAuthorizer } from './union-authorizer.ts';

/** @param chosen in the order in which they are asked. */
export function serverAuthorizer(
  chosen: readonly (Authorizer & RuleResolver)[],
): Authorizer & RuleResolver {
  const union = unionAuthorizer([privilegedGroups([MASTERS_GROUP]), ...chosen]);
  const rules = unionRules(chosen);
  return {
    authorize: (attributes) => union.authorize(attributes),
    rulesFor: (user, namespace) => rules.rulesFor(user, namespace),
  };
}
