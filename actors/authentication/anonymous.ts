/**
 * Takes everybody for `system:anonymous`. It stands last, for those who showed no credential;
 * those who showed a wrong one never get here.
 *
 * In Kubernetes: apiserver/pkg/authentication/request/anonymous.
 */
import { ANONYMOUS_USER, UNAUTHENTICATED_GROUP } from './authenticated-group.ts';
import { identified, UNKNOWN, type Authenticator } from './authenticator.ts';

const ANONYMOUS = identified({
  name: ANONYMOUS_USER,
  uid: '',
  groups: [UNAUTHENTICATED_GROUP],
  extra: {},
});

/** @param paths for which alone, as they are sent; none: for all. */
export function anonymous(paths: readonly string[] = []): Authenticator {
  if (paths.length === 0) return { authenticate: () => ANONYMOUS };
  const open: ReadonlySet<string> = new Set(paths);
  return { authenticate: ({ path }) => (open.has(path) ? ANONYMOUS : UNKNOWN) };
}
