/**
 * The authorizers that the operator chose, one behind the other, behind those that always let
 * administrators in, and every user to the files of the page: the first that allows or denies decides. Each may be counted, or exchanged while
 * the server runs.
 *
 * In Kubernetes: Config.New, kubernetes/pkg/kubeapiserver/authorizer; apiserver/pkg/authorization/union
 * and metrics; `--authorization-mode=AlwaysAllow` and `AlwaysDeny`.
 */
import {
  ALLOW,
  NO_OPINION,
  type Attributes,
  type Authorizer,
  type Decision,
  undecided,
} from './authorizer.ts';
import { isPageRead } from '../request/page-paths.ts';
import { MASTERS_GROUP, privilegedGroups } from './rbac/rbac.ts';
import { ALL_RULES, NO_RULES, type RuleResolver, unionRules } from './rule-resolver.ts';
import type { DecisionCounts } from './authorization-meters.ts';

/** @param chosen in the order in which they are asked. */
export function serverAuthorizer(
  chosen: readonly (Authorizer & RuleResolver)[],
): Authorizer & RuleResolver {
  const union = unionAuthorizer([privilegedGroups([MASTERS_GROUP]), pageFiles, ...chosen]);
  const rules = unionRules(chosen);
  return {
    authorize: (attributes) => union.authorize(attributes),
    rulesFor: (user, namespace) => rules.rulesFor(user, namespace),
  };
}

/** In Kubernetes: NewAuthorizer, apiserver/pkg/authorization/path, for paths that are always allowed. */
const pageFiles: Authorizer = {
  authorize: ({ request }) => (isPageRead(request) ? ALLOW : NO_OPINION),
};

export function unionAuthorizer(members: readonly Authorizer[]): Authorizer {
  return new Union(members);
}

/** What the members without an opinion had to say so far. */
interface Heard {
  readonly reason: string;
  readonly error: Error | undefined;
}

const NOTHING: Heard = { reason: '', error: undefined };

class Union implements Authorizer {
  readonly #members: readonly Authorizer[];

  constructor(members: readonly Authorizer[]) {
    this.#members = members;
  }

  authorize(attributes: Attributes): Decision | Promise<Decision> {
    return this.#from(0, attributes, NOTHING);
  }

  #from(first: number, attributes: Attributes, before: Heard): Decision | Promise<Decision> {
    let heard = before;
    for (let at = first; at < this.#members.length; at += 1) {
      const answer = this.#members[at]?.authorize(attributes);
      if (answer === undefined) continue;
      if (answer instanceof Promise) {
        const soFar = heard;
        return answer
          .catch(undecided)
          .then((decision) =>
            decision.verdict === 'noOpinion'
              ? this.#from(at + 1, attributes, alsoHeard(soFar, decision))
              : decision,
          );
      }
      if (answer.verdict !== 'noOpinion') return answer;
      heard = alsoHeard(heard, answer);
    }
    const { reason, error } = heard;
    return { verdict: 'noOpinion', reason, ...(error === undefined ? {} : { error }) };
  }
}

function alsoHeard(heard: Heard, decision: Decision): Heard {
  const error = decision.verdict === 'allow' ? undefined : decision.error;
  if (decision.reason === '' && error === undefined) return heard;
  const reasons = [heard.reason, decision.reason].filter((reason) => reason !== '');
  return { reason: reasons.join('\n'), error: joined(heard.error, error) };
}

function joined(first: Error | undefined, second: Error | undefined): Error | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return new Error(`[${first.message}, ${second.message}]`, { cause: [first, second] });
}

/**
 * Counts what the member decides into `counts`, which metrics read; the member's answers are passed
 * on.
 */
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

/** `--authorization-mode=AlwaysAllow`. */
export const alwaysAllow: Authorizer & RuleResolver = {
  authorize: () => ALLOW,
  rulesFor: () => ALL_RULES,
};

const REFUSED: Decision = { verdict: 'noOpinion', reason: 'Everything is forbidden.' };

/**
 * `--authorization-mode=AlwaysDeny`: no opinion, so the request is refused where it is the last
 * one.
 */
export const alwaysDeny: Authorizer & RuleResolver = {
  authorize: () => REFUSED,
  rulesFor: () => NO_RULES,
};

type Member = Authorizer & RuleResolver;

interface ReloadableAuthorizer extends Authorizer, RuleResolver {
  replace(by: Member): void;
}

/**
 * Asks the member of the moment, beginning with `first`; decisions under way end with the one that
 * they asked.
 */
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
