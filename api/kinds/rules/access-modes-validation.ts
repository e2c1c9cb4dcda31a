/**
 * Access modes, which volumes offer and claims ask for.
 *
 * In Kubernetes: ValidatePersistentVolumeSpec, pkg/apis/core/validation.
 */
import { items } from '../../json/go-values.ts';
import type { PersistentVolumeSpec } from '../../generated/kinds/core-v1.ts';
import { forbiddenField, notSupported, type FieldErrors } from '../../field/field-errors.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** That there are any is asked elsewhere. `field` is that of the list. */
export function validateAccessModes(field: string, spec: PersistentVolumeSpec): FieldErrors {
  const modes = items(spec.accessModes);
  const isExclusive = modes.includes('ReadWriteOncePod');
  const isShared = modes.some((mode) => ACCESS_MODES.includes(mode) && mode !== 'ReadWriteOncePod');
  return [
    ...modes
      .filter((mode) => !ACCESS_MODES.includes(mode))
      .map((mode) => notSupported(field, mode, ACCESS_MODES)),
    ...(isExclusive && isShared
      ? [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ];
}
