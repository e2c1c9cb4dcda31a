/**
 * What service accounts are called as users, and which groups they are in.
 *
 * In Kubernetes: apiserver/pkg/authentication/serviceaccount.
 */
import { isDns1123Label, isDns1123Subdomain } from '../../api/meta/names.ts';

const USERNAME_PREFIX = 'system:serviceaccount:';
const ALL_ACCOUNTS = 'system:serviceaccounts';

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** `system:serviceaccount:shop:till` */
export function serviceAccountUsername({ namespace, name }: ServiceAccountName): string {
  return `${USERNAME_PREFIX}${namespace}:${name}`;
}

/** The groups that each account of the namespace is in, beside `system:authenticated`. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return [ALL_ACCOUNTS, `${ALL_ACCOUNTS}:${namespace}`];
}

/** undefined: the user is no service account. */
export function serviceAccountOf(username: string): ServiceAccountName | undefined {
  if (!username.startsWith(USERNAME_PREFIX)) return undefined;
  const [namespace = '', name = '', ...more] = username.slice(USERNAME_PREFIX.length).split(':');
  if (more.length > 0 || !isDns1123Label(namespace) || !isDns1123Subdomain(name)) return undefined;
  return { namespace, name };
}

const NODE_PREFIX = 'system:node:';

/** The name of the node whose kubelet the user is; undefined where it is none. */
export function nodeOf(username: string): string | undefined {
  if (!username.startsWith(NODE_PREFIX)) return undefined;
  const name = username.slice(NODE_PREFIX.length);
  return isDns1123Subdomain(name) ? name : undefined;
}
