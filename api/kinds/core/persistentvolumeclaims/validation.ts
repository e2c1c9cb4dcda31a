/** What a claim may ask for. In Kubernetes: ValidatePersistentVolumeClaim. */
import { items, type Quantity } from '../../../json/go-values.ts';
import type { PersistentVolumeClaim } from '../../../generated/kinds/core-v1.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import { validateClaimSpec } from '../../rules/claim-spec-validation.ts';
import { isNative, quantityAt, validateAmount, wholeOf } from '../../rules/resource-names.ts';
import { invalidFor } from '../../rules/value-validation.ts';

const RESIZE_STATUSES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

export function validateClaim(
  claim: PersistentVolumeClaim,
  old?: PersistentVolumeClaim,
): FieldErrors {
  return validateClaimSpec('spec', claim.spec, old === undefined ? undefined : old.spec);
}

/** The rules of the `status` subresource. */
export function validateClaimStatus(claim: PersistentVolumeClaim): FieldErrors {
  const status = claim.status;
  return [
    ...((claim.metadata.resourceVersion ?? '') === '' ? [required('resourceVersion')] : []),
    ...(items(claim.spec.accessModes).length === 0 ? [required('Spec.accessModes')] : []),
    ...Object.entries(status.capacity ?? {}).flatMap(([name, amount]) =>
      validateWhole(keyPath('status.capacity', name), amount),
    ),
    ...Object.entries(status.allocatedResourceStatuses ?? {}).flatMap(([name, value]) =>
      validateResizeStatus('status.allocatedResourceStatuses', name, value),
    ),
    ...Object.entries(status.allocatedResources ?? {}).flatMap(([name, amount]) =>
      validateAllocated('status.allocatedResources', name, amount),
    ),
  ];
}

function validateWhole(field: string, amount: Quantity): FieldErrors {
  const whole = wholeOf(quantityAt(amount));
  return whole < 0n
    ? [invalidValue(field, Number(whole), 'must be a valid resource quantity')]
    : [];
}

function validateResizeStatus(field: string, name: string, value: string): FieldErrors {
  const isKnown = RESIZE_STATUSES.includes(value);
  return [
    ...validateStorageName(field, name),
    ...(isKnown ? [] : [notSupported(field, name, RESIZE_STATUSES)]),
  ];
}

function validateAllocated(field: string, name: string, amount: Quantity): FieldErrors {
  const errors = validateStorageName(field, name);
  if (errors.length > 0) return errors;
  const path = keyPath(field, name);
  const wrong = validateWhole(path, amount);
  return wrong.length > 0 ? wrong : validateAmount(path, 'storage', amount);
}

/** Of Kubernetes' own resources a claim has storage only. */
function validateStorageName(field: string, name: string): FieldErrors {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) return invalidFor(field, name, problems);
  return isNative(name) && name !== 'storage' ? [notSupported(field, name, ['storage'])] : [];
}
