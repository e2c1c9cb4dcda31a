/**
 * Whether a user is a node, and which.
 *
 * In Kubernetes: defaultNodeIdentifier, kubernetes/pkg/auth/nodeidentifier.
 */
import type { UserInfo } from '../../request/request.ts';

export const NODES_GROUP = 'system:nodes';
const NODE_PREFIX = 'system:node:';

/** The node's name, which may be ''; undefined: he is no node. */
export function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  if (!name.startsWith(NODE_PREFIX) || !groups.includes(NODES_GROUP)) return undefined;
  return name.slice(NODE_PREFIX.length);
}
