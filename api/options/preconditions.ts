/**
 * What must still hold of an object when it is written or deleted. A precondition that is set
 * counts even when it is ''; one that is undefined does not.
 *
 * In Kubernetes: Preconditions, apiserver/pkg/storage, and BeforeDelete, apiserver/pkg/registry/rest.
 */
import type { ObjectMeta } from '../meta/object-meta.ts';

export interface Preconditions {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** Why a write must not happen, or undefined; for a 409 Conflict. */
export function failedPrecondition(
  preconditions: Preconditions | undefined,
  meta: ObjectMeta,
): string | undefined {
  const failed = firstFailed(preconditions, meta);
  if (failed === undefined) return undefined;
  const { what, wanted, found } = failed;
  return `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`;
}

/** The same, in the words in which a delete is refused. */
export function failedDeletePrecondition(
  preconditions: Preconditions | undefined,
  meta: ObjectMeta,
): string | undefined {
  const failed = firstFailed(preconditions, meta);
  if (failed === undefined) return undefined;
  const { what, wanted, found } = failed;
  const guess =
    what === 'UID'
      ? 'The object might have been deleted and then recreated'
      : 'The object might have been modified';
  return (
    `the ${what} in the precondition (${wanted}) does not match ` +
    `the ${what} in record (${found}). ${guess}`
  );
}

interface FailedPrecondition {
  readonly what: 'UID' | 'ResourceVersion';
  readonly wanted: string;
  readonly found: string;
}

function firstFailed(
  preconditions: Preconditions | undefined,
  meta: ObjectMeta,
): FailedPrecondition | undefined {
  if (preconditions === undefined) return undefined;
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== (meta.uid ?? '')) {
    return { what: 'UID', wanted: uid, found: meta.uid ?? '' };
  }
  if (resourceVersion !== undefined && resourceVersion !== (meta.resourceVersion ?? '')) {
    return {
      what: 'ResourceVersion',
      wanted: resourceVersion,
      found: meta.resourceVersion ?? '',
    };
  }
  return undefined;
}
