/**
 * An owner that is named twice is one owner.
 *
 * In Kubernetes: dedupOwnerReferencesAndAddWarning, apiserver/pkg/endpoints/handlers/rest.go.
 */
import { forEachItem, remembered, stepped, undivided } from '../../../api/json/work-in-slices.ts';
import type { KubeObject, OwnerReference } from '../../../api/meta/object-meta.ts';
import { canonicalText } from '../../../api/structural-schema/json-kind.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';

/** When the second mention was found: as it was sent, or in what a patch made of it. */
export type FoundIn = 'request' | 'result';

/** Which owners stay, and the uids of those that go. */
export interface UniqueOwners {
  /** The first reference of each text, in the order in which they were sent. */
  readonly kept: OwnerReference[];
  /** The UIDs of the references that repeat an earlier one. */
  readonly duplicates: string[];
}

/** Finds what is there twice, in slices where there is much; undefined: nothing is. */
export function uniqueOwners({ metadata }: KubeObject): UniqueOwners | undefined {
  const { ownerReferences } = metadata;
  if (ownerReferences === undefined || ownerReferences.length < 2) return undefined;
  const found = remembered((): UniqueOwners => ({ kept: [], duplicates: [] }));
  const seen = remembered(() => new Set<string>());
  forEachItem(ownerReferences, (owner) => {
    stepped(OWNER_STEPS);
    const text = undivided(() => canonicalText(owner));
    if (seen.has(text)) found.duplicates.push(owner.uid);
    else found.kept.push(owner);
    seen.add(text);
  });
  return found.duplicates.length === 0 ? undefined : found;
}

/** To write an owner's text takes about as long as so many steps of other work. */
const OWNER_STEPS = 2;

/** Takes what is there twice out of the object, and warns the client of it. */
export function dropDuplicateOwners(
  request: AuthenticatedRequest,
  object: KubeObject,
  foundIn: FoundIn,
): void {
  keepUnique(request, object, { owners: uniqueOwners(object), foundIn });
}

/** {@link dropDuplicateOwners}, where it is known which they are. */
export function keepUnique(
  request: AuthenticatedRequest,
  { metadata }: KubeObject,
  { owners, foundIn }: { readonly owners: UniqueOwners | undefined; readonly foundIn: FoundIn },
): void {
  if (owners === undefined) return;
  const { kept, duplicates } = owners;
  metadata.ownerReferences = kept;
  const when = foundIn === 'request' ? '' : ' after mutating admission happens';
  request.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner ` +
      'references in 1.20+, and may reject such requests as early as 1.24; ' +
      `please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  );
}
