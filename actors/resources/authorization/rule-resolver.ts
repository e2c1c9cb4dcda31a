/**
 * What a user may do in a namespace, as rules: for people who want to see it listed. Nothing is
 * decided by it, for an authorizer may know more than rules can say.
 *
 * The group that may do everything is not among them: it has no rule.
 *
 * In Kubernetes: RuleResolver, apiserver/pkg/authorization/authorizer, of the chosen modes.
 */
import type { AuthorizationMode } from '../../authorization/server-authorizer.ts';
import type { UserInfo } from '../../request.ts';

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty: all of them. */
  readonly resourceNames: readonly string[];
}

export interface PathRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface ResolvedRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly pathRules: readonly PathRule[];
  /** There may be more that could not be listed. */
  readonly isIncomplete: boolean;
  /** What went wrong; '' when nothing did. */
  readonly problem: string;
}

export interface RuleResolver {
  rulesFor(user: UserInfo, namespace: string): ResolvedRules | Promise<ResolvedRules>;
}

const NOTHING: ResolvedRules = {
  resourceRules: [],
  pathRules: [],
  isIncomplete: false,
  problem: '',
};

const EVERYTHING: ResolvedRules = {
  ...NOTHING,
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
  pathRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

const RULES: Readonly<Record<AuthorizationMode, ResolvedRules>> = {
  AlwaysAllow: EVERYTHING,
  AlwaysDeny: NOTHING,
};

/** The rules of all modes that the operator chose, one behind the other. */
export function ruleResolver(modes: readonly AuthorizationMode[]): RuleResolver {
  const all = modes.map((mode) => RULES[mode]);
  const rules: ResolvedRules = {
    ...NOTHING,
    resourceRules: all.flatMap(({ resourceRules }) => resourceRules),
    pathRules: all.flatMap(({ pathRules }) => pathRules),
  };
  return { rulesFor: () => rules };
}
