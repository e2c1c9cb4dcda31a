/**
 * Access modes, which volumes offer and claims ask for.
 *
 * In Kubernetes: ValidatePersistentVolumeSpec, pkg/apis/core/validation.
 */
import type { JsonObject } from '../../api/meta/json.ts';
import {
  forbiddenField,
  notSupported,
  required,
  type FieldErrors,
} from '../../api/schema/field-errors.ts';
import { stringsAt } from './value-validation.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** `whenNone` is the detail of the error when there is no mode at all. */
export function validateAccessModes(spec: JsonObject, whenNone: string): FieldErrors {
  const field = 'spec.accessModes';
  const modes = stringsAt(spec, 'accessModes');
  const isExclusive = modes.includes('ReadWriteOncePod');
  const isShared = modes.some((mode) => ACCESS_MODES.includes(mode) && mode !== 'ReadWriteOncePod');
  return [
    ...(modes.length === 0 ? [required(field, whenNone)] : []),
    ...modes
      .filter((mode) => !ACCESS_MODES.includes(mode))
      .map((mode) => notSupported(field, mode, ACCESS_MODES)),
    ...(isExclusive && isShared
      ? [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ];
}
