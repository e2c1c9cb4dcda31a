/**
 * Puts everybody who proved who they are into the group `system:authenticated`.
 *
 * In Kubernetes: AuthenticatedGroupAdder, apiserver/pkg/authentication/group.
 */
import type { RoutedRequest, UserInfo } from '../request.ts';
import { identified, type Authentication, type Authenticator } from './authenticator.ts';

export const ANONYMOUS_USER = 'system:anonymous';
export const AUTHENTICATED_GROUP = 'system:authenticated';
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';

export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  // Authenticators give the same user object for the same credential, so this is made once each.
  const known = new WeakMap<UserInfo, Authentication>();

  function add(answer: Authentication): Authentication {
    if (answer.verdict !== 'identified') return answer;
    let added = known.get(answer.user);
    if (added === undefined) {
      added = identified(memberOf(answer.user));
      known.set(answer.user, added);
    }
    return added;
  }

  return {
    authenticate(request: RoutedRequest) {
      const answer = authenticator.authenticate(request);
      return answer instanceof Promise ? answer.then(add) : add(answer);
    },
  };
}

function memberOf(user: UserInfo): UserInfo {
  const { name, groups } = user;
  if (name === ANONYMOUS_USER) return user;
  if (groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...groups, AUTHENTICATED_GROUP] };
}
