/**
 * Lets members of some groups do everything, whatever the rules say, so that nobody can lock
 * the administrators out.
 *
 * In Kubernetes: NewPrivilegedGroups, apiserver/pkg/authorization/authorizerfactory.
 */
import { ALLOW, NO_OPINION, type Authorizer } from '../authorizer.ts';

export const MASTERS_GROUP = 'system:masters';

export function privilegedGroups(groups: readonly string[]): Authorizer {
  const privileged: ReadonlySet<string> = new Set(groups);
  return {
    authorize({ user }) {
      return user.groups.some((group) => privileged.has(group)) ? ALLOW : NO_OPINION;
    },
  };
}
