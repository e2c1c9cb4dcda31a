/**
 * Volumes that show what is written elsewhere as files: settings, secrets and the pod itself.
 *
 * In Kubernetes: validateConfigMapVolumeSource, validateDownwardAPIVolumeFile and
 * validateProjectionSources, pkg/apis/core/validation.
 */
import { type JsonObject, type JsonValue, numberAt, stringAt } from '../../../json/json.ts';
import {
  forbiddenField,
  invalidValue,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { objectsAt } from '../../rules/value-validation.ts';
import {
  FIELDS_OF_FILES,
  validateFieldRef,
  validateResourceFieldRef,
} from '../containers/downward-api-validation.ts';
import { validateLocalPath } from './local-path-validation.ts';
import { presentAt } from '../pod-rules.ts';
import type { SourceRule } from './volume-sources-validation.ts';

const MODE_MAX = 0o777;
const TOKEN_SECONDS_MIN = 600;
const TOKEN_SECONDS_MAX = 2 ** 32;

/** `key` holds the name of what is shown. */
export function validateKeyedFiles(key: string): SourceRule {
  return (field, source) => [
    ...(stringAt(source, key) === '' ? [required(`${field}.${key}`)] : []),
    ...validateMode(`${field}.defaultMode`, source['defaultMode']),
    ...validateItems(`${field}.items`, source),
  ];
}

function validateItems(field: string, source: JsonObject): FieldErrors {
  return objectsAt(source, 'items').flatMap((item, index) =>
    validateItem(indexPath(field, index), item),
  );
}

function validateItem(field: string, item: JsonObject): FieldErrors {
  const path = stringAt(item, 'path');
  return [
    ...(stringAt(item, 'key') === '' ? [required(`${field}.key`)] : []),
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...validateLocalPath(`${field}.path`, path),
    ...validateMode(`${field}.mode`, item['mode']),
  ];
}

function validateMode(field: string, mode: JsonValue | undefined): FieldErrors {
  if (typeof mode !== 'number' || (mode >= 0 && mode <= MODE_MAX)) return [];
  return [invalidValue(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

export function validateDownwardFiles(field: string, source: JsonObject): FieldErrors {
  return [
    ...validateMode(`${field}.defaultMode`, source['defaultMode']),
    // Which of the files is wrong is not told.
    ...objectsAt(source, 'items').flatMap((file) => validateDownwardFile(field, file)),
  ];
}

function validateDownwardFile(field: string, file: JsonObject): FieldErrors {
  const path = stringAt(file, 'path');
  return [
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...validateLocalPath(`${field}.path`, path),
    ...validateContent(field, file),
    ...validateMode(`${field}.mode`, file['mode']),
  ];
}

function validateContent(field: string, file: JsonObject): FieldErrors {
  const ofField = presentAt(file, 'fieldRef');
  const ofResource = presentAt(file, 'resourceFieldRef');
  if (ofField !== undefined) {
    const both = 'fieldRef and resourceFieldRef can not be specified simultaneously';
    return [
      ...validateFieldRef(`${field}.fieldRef`, ofField, FIELDS_OF_FILES),
      ...(ofResource === undefined ? [] : [invalidValue(field, 'resource', both)]),
    ];
  }
  return ofResource === undefined
    ? [required(field, 'one of fieldRef and resourceFieldRef is required')]
    : validateResourceFieldRef(`${field}.resourceFieldRef`, ofResource, true);
}

export function validateProjected(field: string, source: JsonObject): FieldErrors {
  const paths = new Set<string>();
  return [
    ...validateMode(`${field}.defaultMode`, source['defaultMode']),
    ...objectsAt(source, 'sources').flatMap((projection, index) =>
      validateProjection(field, indexPath(`${field}.sources`, index), projection, paths),
    ),
  ];
}

/** `paths` are those that are taken; clashes are told of the volume as a whole. */
function validateProjection(
  field: string,
  path: string,
  projection: JsonObject,
  paths: Set<string>,
): FieldErrors {
  const keys = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken'];
  const count = keys.filter((key) => presentAt(projection, key) !== undefined).length;
  const downward = presentAt(projection, 'downwardAPI');
  const token = presentAt(projection, 'serviceAccountToken');
  return [
    ...['secret', 'configMap'].flatMap((key) => {
      const source = presentAt(projection, key);
      return source === undefined ? [] : projectedItems(field, `${path}.${key}`, source, paths);
    }),
    ...objectsAt(downward, 'items').flatMap((file) => [
      ...validateDownwardFile(`${path}.downwardAPI`, file),
      ...validateClash(field, stringAt(file, 'path'), stringAt(file, 'path'), paths),
    ]),
    ...(token === undefined ? [] : validateToken(field, `${path}.serviceAccountToken`, token)),
    ...(count > 1
      ? [forbiddenField(path, 'may not specify more than 1 volume type per source')]
      : []),
  ];
}

function projectedItems(
  field: string,
  path: string,
  source: JsonObject,
  paths: Set<string>,
): FieldErrors {
  const name = stringAt(source, 'name');
  return [
    ...(name === '' ? [required(`${path}.name`)] : []),
    ...objectsAt(source, 'items').flatMap((item, index) => [
      ...validateItem(indexPath(`${path}.items`, index), item),
      ...validateClash(field, stringAt(item, 'path'), name, paths),
    ]),
  ];
}

/** Adds `path` to those that are taken. */
function validateClash(
  field: string,
  path: string,
  shown: string,
  paths: Set<string>,
): FieldErrors {
  if (path === '') return [];
  if (paths.has(path)) return [invalidValue(field, shown, 'conflicting duplicate paths')];
  paths.add(path);
  return [];
}

/** What is wrong with the path is told of the volume, as upstream has it. */
function validateToken(field: string, path: string, token: JsonObject): FieldErrors {
  const seconds = numberAt(token, 'expirationSeconds') ?? 0;
  const file = stringAt(token, 'path');
  const least = 'may not specify a duration less than 10 minutes';
  const most = 'may not specify a duration larger than 2^32 seconds';
  return [
    ...(seconds < TOKEN_SECONDS_MIN
      ? [invalidValue(`${path}.expirationSeconds`, seconds, least)]
      : []),
    ...(seconds > TOKEN_SECONDS_MAX
      ? [invalidValue(`${path}.expirationSeconds`, seconds, most)]
      : []),
    ...(file === '' ? [required(`${field}.path`)] : validateLocalPath(`${field}.path`, file)),
  ];
}
