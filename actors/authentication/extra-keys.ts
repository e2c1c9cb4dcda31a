/**
 * What the server says of users beside their names and groups, by the keys of `extra`.
 *
 * In Kubernetes: apiserver/pkg/authentication/{user,serviceaccount}.
 */

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
 * The key in a header's name, where `%2F` stands for `/`; what is no good escape stays as it is.
 *
 * In Kubernetes: unescapeExtraKey, apiserver/pkg/endpoints/filters.
 */
export function extraKeyOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded; // Decoding is the only way to learn that it cannot be decoded.
  }
}
