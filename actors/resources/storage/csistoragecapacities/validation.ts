/** How much storage there is, and for whom. In Kubernetes: ValidateCSIStorageCapacity. */
import { stringAt } from '../../../../api/meta/json.ts';
import { dns1123SubdomainProblems } from '../../../../api/meta/names.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { invalidValue, type FieldErrors } from '../../../../api/schema/field-errors.ts';
import { nanosOf } from '../../amount.ts';
import { validateLabelSelector } from '../../label-selector-validation.ts';
import { withoutSelectorValues } from '../../lenient-selectors.ts';
import { sameValue } from '../../same-value.ts';
import { immutable, invalidFor, shownSelector } from '../../value-validation.ts';

const TOPOLOGY = 'nodeTopology';

export function validateCapacity(capacity: KubeObject): FieldErrors {
  return [
    ...validateLabelSelector(TOPOLOGY, capacity[TOPOLOGY]),
    ...validateClassAndSize(capacity),
  ];
}

export function validateCapacityChange(capacity: KubeObject, old: KubeObject): FieldErrors {
  const topology = capacity[TOPOLOGY];
  const errors = validateLabelSelector(TOPOLOGY, topology);
  const wasWrong = validateLabelSelector(TOPOLOGY, old[TOPOLOGY]).length > 0;
  return [
    ...(wasWrong ? withoutSelectorValues(errors) : errors),
    ...validateClassAndSize(capacity),
    ...(sameValue(topology, old[TOPOLOGY])
      ? []
      : [invalidValue(TOPOLOGY, shownSelector(topology), 'field is immutable')]),
    ...immutable(
      'storageClassName',
      stringAt(capacity, 'storageClassName'),
      stringAt(old, 'storageClassName'),
    ),
  ];
}

function validateClassAndSize(capacity: KubeObject): FieldErrors {
  const name = stringAt(capacity, 'storageClassName');
  const size = capacity['capacity'];
  return [
    ...invalidFor('storageClassName', name, dns1123SubdomainProblems(name)),
    ...(nanosOf(size) < 0n
      ? [invalidValue('capacity', size, 'must be greater than or equal to 0')]
      : []),
  ];
}
