/**
 * The files of a projected volume, of which no two may have one path. A clash is told of the volume as a
 * whole.
 *
 * In Kubernetes: validateProjectionSources, pkg/apis/core/validation.
 */
import { type FieldErrors, invalidValue } from '../../../field/field-errors.ts';

/** Adds `path` to those that are taken; `shown` is what a message shows of it. */
export function takePath(
  field: string,
  path: string,
  shown: string,
  paths: Set<string>,
): FieldErrors {
  if (paths.has(path)) return [invalidValue(field, shown, 'conflicting duplicate paths')];
  paths.add(path);
  return [];
}

/** As {@link takePath}; a path that is not given takes none. */
export function validateClash(
  field: string,
  path: string,
  shown: string,
  paths: Set<string>,
): FieldErrors {
  return path === '' ? [] : takePath(field, path, shown, paths);
}
