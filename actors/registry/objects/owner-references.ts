/**
 * An owner that is named twice is one owner.
 *
 * In Kubernetes: dedupOwnerReferencesAndAddWarning, apiserver/pkg/endpoints/handlers/rest.go.
 */
import type { KubeObject, OwnerReference } from '../../../api/meta/object-meta.ts';
import { canonicalText } from '../../../api/structural-schema/json-kind.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';

/** When the second mention was found: as it was sent, or in what a patch made of it. */
export type FoundIn = 'request' | 'result';

/** Takes what is there twice out of the object, and warns the client of it. */
export function dropDuplicateOwners(
  request: AuthenticatedRequest,
  { metadata }: KubeObject,
  foundIn: FoundIn,
): void {
  const { ownerReferences } = metadata;
  if (ownerReferences === undefined || ownerReferences.length < 2) return;
  const kept: OwnerReference[] = [];
  const duplicates: string[] = [];
  const seen = new Set<string>();
  for (const owner of ownerReferences) {
    const text = canonicalText(owner);
    if (seen.has(text)) duplicates.push(owner.uid);
    else kept.push(owner);
    seen.add(text);
  }
  if (duplicates.length === 0) return;
  metadata.ownerReferences = kept;
  const when = foundIn === 'request' ? '' : ' after mutating admission happens';
  request.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner ` +
      'references in 1.20+, and may reject such requests as early as 1.24; ' +
      `please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  );
}
