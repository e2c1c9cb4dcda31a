/** Says yes to nobody. In Kubernetes: `--authorization-mode=AlwaysDeny`. */
import type { Authorizer, Decision } from './authorizer.ts';
import { NO_RULES, type RuleResolver } from './rule-resolver.ts';

const NOBODY: Decision = { verdict: 'noOpinion', reason: 'Everything is forbidden.' };

export const alwaysDeny: Authorizer & RuleResolver = {
  authorize: () => NOBODY,
  rulesFor: () => NO_RULES,
};
