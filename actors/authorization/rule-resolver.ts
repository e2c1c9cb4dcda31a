/**
 * What a user may do in a namespace, as rules: to be listed. Nothing is
 * decided by it, for an authorizer may know more than rules can say.
 *
 * The group that may do everything is not among them: it has no rule.
 *
 * In Kubernetes: RuleResolver, apiserver/pkg/authorization/authorizer, and union's.
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { UserInfo } from '../request/request.ts';
import { aggregatedText } from './authorizer.ts';

/** As it is shown in a SelfSubjectRulesReview; `*` stands for everything. */
export interface ResourceRule {
  /** As in a rule of RBAC. */
  readonly verbs: readonly string[];
  /** '' is the group of the core. */
  readonly apiGroups: readonly string[];
  /** With a subresource behind a slash, where one is meant. */
  readonly resources: readonly string[];
  /** Empty: all of them. */
  readonly resourceNames: readonly string[];
}

/** Paths that are no resources; they may end with `*`. */
export interface PathRule {
  /** Methods in lower case. */
  readonly verbs: readonly string[];
  /** As in a rule of RBAC. */
  readonly nonResourceURLs: readonly string[];
}

/** What one authorizer, or all of them together, can list. */
export interface ResolvedRules {
  /** In the order of the authorizers; a rule may be there twice. */
  readonly resourceRules: readonly ResourceRule[];
  /** In the order of the authorizers; a rule may be there twice. */
  readonly pathRules: readonly PathRule[];
  /** There may be more that could not be listed. */
  readonly isIncomplete: boolean;
  /** What went wrong; '' when nothing did. */
  readonly problem: string;
}

export interface RuleResolver {
  /**
   * @param namespace in which the rules are to hold. Never rejects: trouble is told in `problem`.
   */
  rulesFor(user: UserInfo, namespace: string): MaybePromise<ResolvedRules>;
}

/** Of an authorizer that allows nothing, and knows that this is all. */
export const NO_RULES: ResolvedRules = {
  resourceRules: [],
  pathRules: [],
  isIncomplete: false,
  problem: '',
};

export const ALL_RULES: ResolvedRules = {
  ...NO_RULES,
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
  pathRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

/** The rules of all, one behind the other. */
export function unionRules(members: readonly RuleResolver[]): RuleResolver {
  return {
    async rulesFor(user, namespace) {
      const all: ResolvedRules[] = [];
      for (const member of members) all.push(await member.rulesFor(user, namespace));
      return joined(all);
    },
  };
}

function joined(all: readonly ResolvedRules[]): ResolvedRules {
  const problems = all.map(({ problem }) => problem).filter((problem) => problem !== '');
  return {
    resourceRules: all.flatMap(({ resourceRules }) => resourceRules),
    pathRules: all.flatMap(({ pathRules }) => pathRules),
    isIncomplete: all.some(({ isIncomplete }) => isIncomplete),
    problem: problems.length === 0 ? '' : aggregatedText(problems),
  };
}
