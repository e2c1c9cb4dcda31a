/** The parameters of each kind of request, as upstream's option types give them. */
import type { Parameter } from './operation.ts';

export const NAME: Parameter = { name: 'name', in: 'path', type: 'string' };
export const NAMESPACE: Parameter = { name: 'namespace', in: 'path', type: 'string' };
export const PATH_IN_PATH: Parameter = { name: 'path', in: 'path', type: 'string' };
export const PRETTY: Parameter = query('pretty', 'string');

/** Of requests that may select and page. */
const SELECTION: readonly Parameter[] = [
  query('continue', 'string'),
  query('fieldSelector', 'string'),
  query('labelSelector', 'string'),
  query('limit', 'integer'),
  query('resourceVersion', 'string'),
  query('resourceVersionMatch', 'string'),
  query('sendInitialEvents', 'boolean'),
  query('shardSelector', 'string'),
  query('timeoutSeconds', 'integer'),
];

export const LIST: readonly Parameter[] = [
  ...SELECTION,
  query('allowWatchBookmarks', 'boolean'),
  query('watch', 'boolean'),
];

export const DELETE: readonly Parameter[] = [
  query('dryRun', 'string'),
  query('gracePeriodSeconds', 'integer'),
  query('ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean'),
  query('orphanDependents', 'boolean'),
  query('propagationPolicy', 'string'),
];

export const DELETE_COLLECTION: readonly Parameter[] = [...SELECTION, ...DELETE];

/** kubectl takes the presence of `fieldValidation` and `dryRun` as proof that they are served. */
export const WRITE: readonly Parameter[] = [
  query('dryRun', 'string'),
  query('fieldManager', 'string'),
  query('fieldValidation', 'string'),
];

export const PATCH: readonly Parameter[] = [...WRITE, query('force', 'boolean')];

export function query(name: string, type: Parameter['type']): Parameter {
  return { name, in: 'query', type };
}

export function sortedByName(parameters: readonly Parameter[]): Parameter[] {
  return parameters.toSorted((left, right) =>
    left.name === right.name ? 0 : left.name < right.name ? -1 : 1,
  );
}
