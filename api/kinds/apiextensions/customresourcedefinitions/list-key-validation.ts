/**
 * Items of sets and of lists that are maps can be told apart: they are there, and so are their keys.
 *
 * In Kubernetes: validateMapListKeysMapSet.
 */
import { isJsonObject, objectAt, type JsonObject } from '../../../json/json.ts';
import { ownValue } from '../../../json/own-property.ts';
import { forbiddenField, required, type FieldErrors } from '../../../field/field-errors.ts';
import { childPath, keyPath } from '../../../field/field-path.ts';
import { stringsAt } from '../../rules/value-validation.ts';

export function listKeyErrors(schema: JsonObject, path: string): FieldErrors {
  const items = objectAt(schema, 'items');
  const listType = schema['x-kubernetes-list-type'];
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const at = childPath(path, 'items');
  const nullable = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
  return [
    ...(items['nullable'] === true ? [forbiddenField(`${at}.nullable`, nullable)] : []),
    ...(listType === 'map'
      ? stringsAt(schema, 'x-kubernetes-list-map-keys').flatMap((key) => keyErrors(items, key, at))
      : []),
  ];
}

/** What makes the items of a set comparable, and is not said; undefined where it need not be. */
export function nonAtomicKey(schema: JsonObject): string | undefined {
  const items = objectAt(schema, 'items');
  if (schema['x-kubernetes-list-type'] !== 'set' || items === undefined) return undefined;
  const listType = items['x-kubernetes-list-type'];
  if (items['type'] === 'array') {
    const isAtomic = listType === undefined || listType === null || listType === 'atomic';
    return isAtomic ? undefined : 'x-kubernetes-list-type';
  }
  const isGranular = items['type'] === 'object' && items['x-kubernetes-map-type'] !== 'atomic';
  return isGranular ? 'x-kubernetes-map-type' : undefined;
}

function keyErrors(items: JsonObject, key: string, path: string): FieldErrors {
  const property = ownValue(objectAt(items, 'properties') ?? {}, key);
  if (!isJsonObject(property)) return [];
  const at = keyPath(childPath(path, 'properties'), key);
  const isThere = stringsAt(items, 'required').includes(key) || hasDefault(property);
  const why = 'this property is in x-kubernetes-list-map-keys, so it';
  return [
    ...(isThere
      ? []
      : [required(`${at}.default`, `${why} must have a default or be a required property`)]),
    ...(property['nullable'] === true
      ? [forbiddenField(`${at}.nullable`, `${why} cannot be nullable`)]
      : []),
  ];
}

function hasDefault(property: JsonObject): boolean {
  return property['default'] !== undefined && property['default'] !== null;
}
