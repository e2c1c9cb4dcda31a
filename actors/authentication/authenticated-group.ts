/**
 * Puts everybody who proved who they are into the group `system:authenticated`.
 *
 * In Kubernetes: AuthenticatedGroupAdder, apiserver/pkg/authentication/group.
 */
import type { RoutedRequest, UserInfo } from '../request/request.ts';
import type { Audiences, Authentication, Authenticator, Identified } from './authenticator.ts';

export const ANONYMOUS_USER = 'system:anonymous';
export const AUTHENTICATED_GROUP = 'system:authenticated';
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';

export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  // Authenticators give the same user object for the same credential, so this is made once each.
  const known = new WeakMap<UserInfo, Identified>();

  function add(answer: Authentication): Authentication {
    if (answer.verdict !== 'identified') return answer;
    let added = known.get(answer.user);
    if (added === undefined) {
      added = { verdict: 'identified', user: memberOf(answer.user) };
      known.set(answer.user, added);
    }
    return isPlain(answer) ? added : { ...answer, user: added.user };
  }

  return {
    authenticate(request: RoutedRequest, audiences?: Audiences) {
      const answer = authenticator.authenticate(request, audiences);
      return answer instanceof Promise ? answer.then(add) : add(answer);
    },
  };
}

function isPlain({ audiences, annotations, warning }: Identified): boolean {
  return audiences === undefined && annotations === undefined && warning === undefined;
}

function memberOf(user: UserInfo): UserInfo {
  const { name, groups } = user;
  if (name === ANONYMOUS_USER) return user;
  if (groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...groups, AUTHENTICATED_GROUP] };
}
