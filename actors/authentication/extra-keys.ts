/**
 * What the server says of users beside their names and groups, by the keys of `extra`.
 *
 * In Kubernetes: apiserver/pkg/authentication/{user,serviceaccount}.
 */

import { forEachValue, type WithHeaders } from '../request/header-values.ts';
import type { UserInfo } from '../request/request.ts';

/** Which credential it was, so that what was done with it can be found in the audit log. */
export const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** In `extra` of service accounts whose token is bound to a pod: the pod's name. */
export const POD_NAME = 'authentication.kubernetes.io/pod-name';

/** In `extra` of service accounts whose token is bound to a pod: the pod's uid. */
export const POD_UID = 'authentication.kubernetes.io/pod-uid';

/**
 * In `extra` of service accounts whose token is bound to a node, or to a pod on one: the node's
 * name.
 */
export const NODE_NAME = 'authentication.kubernetes.io/node-name';

/**
 * In `extra` of service accounts whose token is bound to a node, or to a pod on one: the node's
 * uid.
 */
export const NODE_UID = 'authentication.kubernetes.io/node-uid';

/**
 * What a request says of `extra`, in headers whose names are the prefix and the key.
 *
 * @param prefixes in lower case.
 */
export function extraOf(request: WithHeaders, prefixes: readonly string[]): UserInfo['extra'] {
  // Without a prototype: keys are the client's, and thousands of them are put into a table at once.
  const extra = Object.create(null) as Record<string, string[]>;
  for (const prefix of prefixes) {
    forEachValue(request, prefix, (name, value) => {
      const key = extraKeyOf(name.slice(prefix.length));
      const known = extra[key];
      if (known === undefined) extra[key] = [value];
      else known.push(value);
    });
  }
  return extra;
}

/**
 * The key in a header's name, where `%2F` stands for `/`; what is no good escape stays as it is.
 *
 * In Kubernetes: unescapeExtraKey, apiserver/pkg/endpoints/filters.
 */
function extraKeyOf(encoded: string): string {
  if (!encoded.includes('%')) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded; // Decoding is the only way to learn that it cannot be decoded.
  }
}
