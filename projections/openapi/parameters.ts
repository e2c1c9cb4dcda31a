/**
 * The parameters of each kind of request, as upstream's option types give them. A parameter has the
 * description of the field of its option type.
 */
import { META, type Parameter } from './operation.ts';

/** Stands for a type in the descriptions: parameters that are fields of no option type. */
export const UNTYPED = 'parameters';
/** The Go type that declares the query parameters of list and watch. */
export const LIST_OPTIONS = `${META}.ListOptions`;
/** The Go type that declares those of delete; it is a body as well. */
export const DELETE_OPTIONS = `${META}.DeleteOptions`;
/** The Go type that declares those of create. */
export const CREATE_OPTIONS = `${META}.CreateOptions`;
/** The Go type that declares those of patch. */
export const PATCH_OPTIONS = `${META}.PatchOptions`;

export const NAMESPACE: Parameter = {
  name: 'namespace',
  in: 'path',
  type: 'string',
  typeId: UNTYPED,
};
export const PATH_IN_PATH: Parameter = {
  name: 'path',
  in: 'path',
  type: 'string',
  typeId: UNTYPED,
};
export const PRETTY: Parameter = query('pretty', 'string', UNTYPED);

/** Of requests that may select and page. */
const SELECTION: readonly Parameter[] = [
  query('continue', 'string', LIST_OPTIONS),
  query('fieldSelector', 'string', LIST_OPTIONS),
  query('labelSelector', 'string', LIST_OPTIONS),
  query('limit', 'integer', LIST_OPTIONS),
  query('resourceVersion', 'string', LIST_OPTIONS),
  query('resourceVersionMatch', 'string', LIST_OPTIONS),
  query('sendInitialEvents', 'boolean', LIST_OPTIONS),
  query('shardSelector', 'string', LIST_OPTIONS),
  query('timeoutSeconds', 'integer', LIST_OPTIONS),
];

export const LIST: readonly Parameter[] = [
  ...SELECTION,
  query('allowWatchBookmarks', 'boolean', LIST_OPTIONS),
  query('watch', 'boolean', LIST_OPTIONS),
];

export const DELETE: readonly Parameter[] = [
  query('dryRun', 'string', DELETE_OPTIONS),
  query('gracePeriodSeconds', 'integer', DELETE_OPTIONS),
  query('ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean', DELETE_OPTIONS),
  query('orphanDependents', 'boolean', DELETE_OPTIONS),
  query('propagationPolicy', 'string', DELETE_OPTIONS),
];

export const DELETE_COLLECTION: readonly Parameter[] = [...SELECTION, ...DELETE];

export const WRITE: readonly Parameter[] = writing(CREATE_OPTIONS);

/** Its field manager has a description of its own: a patch that applies has to name one. */
export const PATCH: readonly Parameter[] = [
  ...writing(PATCH_OPTIONS),
  query('force', 'boolean', PATCH_OPTIONS),
];

/** kubectl takes the presence of `fieldValidation` and `dryRun` as proof that they are served. */
function writing(typeId: string): Parameter[] {
  return [
    query('dryRun', 'string', typeId),
    query('fieldManager', 'string', typeId),
    query('fieldValidation', 'string', typeId),
  ];
}

/** @param kind of the object that the path names; of its options where a request has a type for them */
export function nameOf(kind: string): Parameter {
  return { name: 'name', in: 'path', type: 'string', description: `name of the ${kind}` };
}

export function query(name: string, type: Parameter['type'], typeId: string): Parameter {
  return { name, in: 'query', type, typeId };
}

export function sortedByName(parameters: readonly Parameter[]): Parameter[] {
  return parameters.toSorted((left, right) =>
    left.name === right.name ? 0 : left.name < right.name ? -1 : 1,
  );
}
