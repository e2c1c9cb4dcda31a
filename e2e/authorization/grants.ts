/** Roles for single users, made as an administrator makes them. */
import { created } from '../api/objects.ts';
import type { AdminClient } from '../support/admin-client.ts';
import type { JsonObject } from '../support/json.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const API_GROUP = 'rbac.authorization.k8s.io';

/** Gives a user the rules: everywhere, or in a namespace. */
export async function grant(
  client: AdminClient,
  user: string,
  rules: readonly JsonObject[],
  namespace = '',
): Promise<void> {
  const prefix = namespace === '' ? 'Cluster' : '';
  const role = { ...headOf(`${prefix}Role`, user), rules: [...rules] };
  await created(client, `${rootOf(namespace)}/${prefix.toLowerCase()}roles`, role);
  await bind(client, { user, role: { kind: `${prefix}Role`, name: user }, namespace });
}

export interface Bound {
  readonly user: string;
  readonly role: { readonly kind: string; readonly name: string };
  /** '' for everywhere. */
  readonly namespace: string;
}

/** Gives a user a role that is there. */
export async function bind(client: AdminClient, { user, role, namespace }: Bound): Promise<void> {
  const prefix = namespace === '' ? 'Cluster' : '';
  await created(client, `${rootOf(namespace)}/${prefix.toLowerCase()}rolebindings`, {
    ...headOf(`${prefix}RoleBinding`, user),
    roleRef: { apiGroup: API_GROUP, ...role },
    subjects: [{ kind: 'User', apiGroup: API_GROUP, name: user }],
  });
}

function rootOf(namespace: string): string {
  return namespace === '' ? RBAC : `${RBAC}/namespaces/${namespace}`;
}

function headOf(kind: string, name: string): JsonObject {
  return { apiVersion: `${API_GROUP}/v1`, kind, metadata: { name } };
}
