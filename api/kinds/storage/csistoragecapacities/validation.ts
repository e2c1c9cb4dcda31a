/** How much storage there is, and for whom. In Kubernetes: ValidateCSIStorageCapacity. */
import type { CSIStorageCapacity } from '../../../generated/kinds/storage-v1.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { nanosOf } from '../../rules/amount.ts';
import { validateLabelSelector } from '../../rules/label-selector-validation.ts';
import { withoutSelectorValues } from '../../rules/lenient-selectors.ts';
import { sameValue } from '../../rules/same-value.ts';
import { immutable, invalidFor, shownSelector } from '../../rules/value-validation.ts';

const TOPOLOGY = 'nodeTopology';

export function validateCapacity(capacity: CSIStorageCapacity): FieldErrors {
  return [
    ...validateLabelSelector(TOPOLOGY, capacity[TOPOLOGY]),
    ...validateClassAndSize(capacity),
  ];
}

export function validateCapacityChange(
  capacity: CSIStorageCapacity,
  old: CSIStorageCapacity,
): FieldErrors {
  const topology = capacity[TOPOLOGY];
  const errors = validateLabelSelector(TOPOLOGY, topology);
  const wasWrong = validateLabelSelector(TOPOLOGY, old[TOPOLOGY]).length > 0;
  return [
    ...(wasWrong ? withoutSelectorValues(errors) : errors),
    ...validateClassAndSize(capacity),
    ...(sameValue(topology, old[TOPOLOGY])
      ? []
      : [invalidValue(TOPOLOGY, shownSelector(topology), 'field is immutable')]),
    ...immutable('storageClassName', capacity.storageClassName, old.storageClassName),
  ];
}

function validateClassAndSize(capacity: CSIStorageCapacity): FieldErrors {
  const name = capacity.storageClassName;
  const size = capacity.capacity;
  return [
    ...invalidFor('storageClassName', name, dns1123SubdomainProblems(name)),
    ...(nanosOf(size) < 0n
      ? [invalidValue('capacity', size, 'must be greater than or equal to 0')]
      : []),
  ];
}
