/** Says yes to everybody. In Kubernetes: `--authorization-mode=AlwaysAllow`. */
import { ALLOW, type Authorizer } from './authorizer.ts';
import { ALL_RULES, type RuleResolver } from './rule-resolver.ts';

export const alwaysAllow: Authorizer & RuleResolver = {
  authorize: () => ALLOW,
  rulesFor: () => ALL_RULES,
};
