/**
 * RBAC: a user may do what a rule of one of its roles says; nothing is ever forbidden. Members of some
 * groups may do everything, whatever the rules say, so that administrators cannot be locked out.
 *
 * In Kubernetes: plugin/pkg/auth/authorizer/rbac; NewPrivilegedGroups, authorizerfactory. There
 * bindings are asked in no order, so which of several is named as the reason is left open; here it is
 * that of the user before those of groups.
 */
import { goQuote } from '../../../api/json/go-format.ts';
import type { UserInfo } from '../../request/request.ts';
import {
  aggregatedText,
  ALLOW,
  type Attributes,
  type Authorizer,
  type Decision,
  NO_OPINION,
} from '../authorizer.ts';
import { type PolicyRule, ruleQuestion } from './policy-rule.ts';
import { type Binding, describeBinding, type RbacIndex } from './rbac-index.ts';
import type { ResolvedRules, RuleResolver } from '../rule-resolver.ts';

/** @param index which follows the roles and bindings of one control plane. */
export function rbacAuthorizer(index: RbacIndex): Authorizer & RuleResolver {
  return new Rbac(index);
}

class Rbac implements Authorizer, RuleResolver {
  readonly #index: RbacIndex;

  constructor(index: RbacIndex) {
    this.#index = index;
  }

  authorize({ user, request }: Attributes): Decision {
    const index = this.#index;
    const question = ruleQuestion(request);
    const lost: Binding[] = [];
    const granting: Binding[] = [];
    index.visit(user, request.namespace, (binding) => {
      const role = index.roleOf(binding);
      if (role === undefined) lost.push(binding);
      if (role?.allows(question) !== true) return false;
      granting.push(binding);
      return true;
    });
    const [by] = granting;
    if (by !== undefined) {
      return { verdict: 'allow', reason: `RBAC: allowed by ${describeBinding(by, user)}` };
    }
    if (lost.length === 0) return NO_OPINION;
    const { problems } = heldRules(index, { user, namespace: request.namespace });
    return { verdict: 'noOpinion', reason: `RBAC: ${aggregatedText(problems)}` };
  }

  rulesFor(user: UserInfo, namespace: string): ResolvedRules {
    const { rules, problems } = heldRules(this.#index, { user, namespace });
    return {
      resourceRules: rules.filter(({ resources }) => resources.length > 0),
      pathRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0),
      isIncomplete: false,
      problem: problems.length === 0 ? '' : aggregatedText(problems),
    };
  }
}

interface HeldRules {
  readonly rules: readonly PolicyRule[];
  /** What was not there, in words. */
  readonly problems: readonly string[];
}

interface RoleHolder {
  readonly user: UserInfo;
  /** '' for what he may do everywhere. */
  readonly namespace: string;
}

type MissingRole = (role: Binding['role']) => string;

/** @param missing how a role that is not there is called. */
export function heldRules(
  index: RbacIndex,
  { user, namespace }: RoleHolder,
  missing: MissingRole = missingRole,
): HeldRules {
  const rules: PolicyRule[] = [];
  const problems: string[] = [];
  for (const binding of index.bindingsOf(user, namespace)) {
    const role = index.roleOf(binding);
    if (role === undefined) problems.push(missing(binding.role));
    else rules.push(...role.rules);
  }
  return { rules, problems };
}

/** As a lister of upstream's says it; a reader of the storage says it in the plural. */
function missingRole({ kind, name }: Binding['role']): string {
  if (kind !== 'Role' && kind !== 'ClusterRole') {
    return `unsupported role reference kind: ${goQuote(kind)}`;
  }
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${goQuote(name)} not found`;
}

/** Its members may do everything, even where no role is left. */
export const MASTERS_GROUP = 'system:masters';

/** Allows everything to members of these groups, and has no opinion of other users. */
export function privilegedGroups(groups: readonly string[]): Authorizer {
  const privileged: ReadonlySet<string> = new Set(groups);
  return {
    authorize({ user }) {
      return user.groups.some((group) => privileged.has(group)) ? ALLOW : NO_OPINION;
    },
  };
}
