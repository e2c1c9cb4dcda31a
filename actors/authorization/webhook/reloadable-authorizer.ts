/** An authorizer that can be exchanged while it is asked: the next question goes to the new one. */
import type { Authorizer } from '../authorizer.ts';
import type { RuleResolver } from '../rule-resolver.ts';

type Member = Authorizer & RuleResolver;

export interface ReloadableAuthorizer extends Authorizer, RuleResolver {
  replace(by: Member): void;
}

export function reloadableAuthorizer(first: Member): ReloadableAuthorizer {
  let current = first;
  return {
    authorize: (attributes) => current.authorize(attributes),
    rulesFor: (user, namespace) => current.rulesFor(user, namespace),
    replace(by) {
      current = by;
    },
  };
}
