/**
 * Paths inside of something, which must not lead out of it.
 *
 * In Kubernetes: validateLocalDescendingPath and its kin, pkg/apis/core/validation.
 */
import { type FieldErrors, invalidValue } from '../../../field/field-errors.ts';

/** No part of the path is `..`; a name that only begins with dots may stand there. */
export function validateNoBacksteps(field: string, path: string): FieldErrors {
  return path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : [];
}

/** A relative path that stays where it begins. */
export function validateDescendingPath(field: string, path: string): FieldErrors {
  return [
    ...(path.startsWith('/') ? [invalidValue(field, path, 'must be a relative path')] : []),
    ...validateNoBacksteps(field, path),
  ];
}

/** As {@link validateDescendingPath}; and names that begin with `..` are the server's own. */
export function validateLocalPath(field: string, path: string): FieldErrors {
  const isReserved = path.startsWith('..') && !path.startsWith('../');
  return [
    ...validateDescendingPath(field, path),
    ...(isReserved ? [invalidValue(field, path, "must not start with '..'")] : []),
  ];
}
