/**
 * The files of a projected volume, of which no two may have one path. A clash is told of the volume as a
 * whole.
 *
 * In Kubernetes: validateProjectionSources, pkg/apis/core/validation.
 */
import { type FieldErrors, invalidValue } from '../../../field/field-errors.ts';

/** By path: the place of the file that has it. */
export type TakenPaths = Map<string, string>;

interface TakenFile {
  readonly path: string;
  /** Where it stands: it may be looked at again after a pause, and takes its path once. */
  readonly place: string;
  /** What a message shows of it. */
  readonly shown: string;
}

/** Adds the path to those that are taken. */
export function takePath(
  field: string,
  { path, place, shown }: TakenFile,
  paths: TakenPaths,
): FieldErrors {
  const taken = paths.get(path);
  if (taken === undefined) paths.set(path, place);
  return taken === undefined || taken === place
    ? []
    : [invalidValue(field, shown, 'conflicting duplicate paths')];
}

/** As {@link takePath}; a path that is not given takes none. */
export function validateClash(field: string, file: TakenFile, paths: TakenPaths): FieldErrors {
  return file.path === '' ? [] : takePath(field, file, paths);
}
