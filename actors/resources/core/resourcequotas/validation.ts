/** What of a ResourceQuota may change. In Kubernetes: ValidateResourceQuotaUpdate. */
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { invalidValue, type FieldErrors } from '../../../../api/schema/field-errors.ts';
import { specOf, stringsAt } from '../../value-validation.ts';

/** The scopes say what is counted, so they are fixed; their order is not. */
export function validateQuotaScopes(quota: KubeObject, old: KubeObject): FieldErrors {
  const scopes = new Set(stringsAt(specOf(quota), 'scopes'));
  const oldScopes = new Set(stringsAt(specOf(old), 'scopes'));
  const isSame = scopes.size === oldScopes.size && [...scopes].every((one) => oldScopes.has(one));
  return isSame
    ? []
    : [invalidValue('spec.scopes', scopes.size > 0 ? [...scopes] : null, 'field is immutable')];
}
