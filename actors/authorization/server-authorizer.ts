/**
 * The authorizers the operator chose with `--authorization-mode`, behind the one that always
 * lets administrators in. RBAC and the others join the table when they are written.
 *
 * In Kubernetes: Config.New, kubernetes/pkg/kubeapiserver/authorizer.
 */
import { alwaysAllow } from './always-allow.ts';
import { alwaysDeny } from './always-deny.ts';
import type { Authorizer } from './authorizer.ts';
import { MASTERS_GROUP, privilegedGroups } from './privileged-groups.ts';
import { unionAuthorizer } from './union-authorizer.ts';

export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny';

const AUTHORIZERS: Readonly<Record<AuthorizationMode, Authorizer>> = {
  AlwaysAllow: alwaysAllow,
  AlwaysDeny: alwaysDeny,
};

export function isAuthorizationMode(text: string): text is AuthorizationMode {
  return Object.hasOwn(AUTHORIZERS, text);
}

export function serverAuthorizer(modes: readonly AuthorizationMode[]): Authorizer {
  const chosen = modes.map((mode) => AUTHORIZERS[mode]);
  return unionAuthorizer([privilegedGroups([MASTERS_GROUP]), ...chosen]);
}
