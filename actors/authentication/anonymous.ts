/**
 * Takes everybody for `system:anonymous`. It stands last, for those who showed no credential;
 * those who showed a wrong one never get here.
 *
 * In Kubernetes: apiserver/pkg/authentication/request/anonymous.
 */
import { ANONYMOUS_USER, UNAUTHENTICATED_GROUP } from './authenticated-group.ts';
import { identified, type Authenticator } from './authenticator.ts';

const ANONYMOUS = identified({
  name: ANONYMOUS_USER,
  uid: '',
  groups: [UNAUTHENTICATED_GROUP],
  extra: {},
});

export const anonymous: Authenticator = { authenticate: () => ANONYMOUS };
