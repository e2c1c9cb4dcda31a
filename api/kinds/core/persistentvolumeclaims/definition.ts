/**
 * Persistent volume claims: storage that is asked for.
 *
 * In Kubernetes: registry/core/persistentvolumeclaim.
 */
import { defineKind } from '../../kind.ts';
import { pairDataSources, prepareDataSources } from './data-sources.ts';
import { claimWarnings } from './warnings.ts';
import { validateClaimChange } from './update-validation.ts';
import { validateClaim, validateClaimStatus } from './validation.ts';

export const persistentVolumeClaims = defineKind('v1/persistentvolumeclaims', {
  rules: {
    returnsDeletedObject: true,
    status: { initial: () => ({ phase: 'Pending' }), validateUpdate: validateClaimStatus },
    warningsOnCreate: claimWarnings,
    warningsOnUpdate: claimWarnings,
    prepareForCreate: (claim) => prepareDataSources(claim, undefined),
    prepareForUpdate: prepareDataSources,
    validate: (claim) => validateClaim(claim),
    validateUpdate: (claim, old) => [
      ...validateClaim(claim, old),
      ...validateClaimChange(claim, pairDataSources(old)),
    ],
  },
});
