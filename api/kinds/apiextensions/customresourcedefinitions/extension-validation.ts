/**
 * The `x-kubernetes-…` about unknown fields, maps and lists. Items of sets and of lists that are maps
 * can be told apart: they are there, and so are their keys.
 *
 * In Kubernetes: ValidateCustomResourceDefinitionOpenAPISchema and validateMapListKeysMapSet.
 */
import { isAmong } from '../../../json/among.ts';
import { items } from '../../../json/go-values.ts';
import type { JSONSchemaProps } from '../../../generated/kinds/apiextensions-v1.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { childPath, keyPath } from '../../../field/field-path.ts';
import { shownItems } from './internal-form.ts';
import type { Leniency } from './leniency.ts';
import { repeatsIn } from '../../rules/value-validation.ts';

const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_TYPE = 'x-kubernetes-map-type';
const MAP_KEYS = 'x-kubernetes-list-map-keys';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

const MAP_TYPES = ['atomic', 'granular'];
const LIST_TYPES = ['atomic', 'set', 'map'];

/** Of one schema, without those in it. */
export function extensionErrors(
  schema: JSONSchemaProps,
  path: string,
  leniency: Leniency,
): FieldErrors {
  return [
    ...(schema[PRESERVE] === false
      ? [invalidValue(childPath(path, PRESERVE), false, 'must be true or undefined')]
      : []),
    ...mapTypeErrors(schema, path),
    ...listTypeErrors(schema, path, leniency),
    ...listMapErrors(schema, path),
  ];
}

function mapTypeErrors(schema: JSONSchemaProps, path: string): FieldErrors {
  const mapType = schema[MAP_TYPE];
  if (mapType === undefined) return [];
  return [
    ...typeErrors(schema, path, ['object', `must be object if ${MAP_TYPE} is specified`]),
    ...(MAP_TYPES.includes(mapType)
      ? []
      : [notSupported(childPath(path, MAP_TYPE), mapType, MAP_TYPES)]),
  ];
}

function typeErrors(
  schema: JSONSchemaProps,
  path: string,
  [wanted, detail]: readonly [string, string],
): FieldErrors {
  const { type = '' } = schema;
  if (type === wanted) return [];
  const at = childPath(path, 'type');
  return [type === '' ? required(at, detail) : invalidValue(at, type, detail)];
}

function listTypeErrors(schema: JSONSchemaProps, path: string, leniency: Leniency): FieldErrors {
  const listType = schema[LIST_TYPE];
  if (listType === undefined) return [];
  const wrongType = typeErrors(schema, path, [
    'array',
    `must be array if ${LIST_TYPE} is specified`,
  ]);
  const itemErrors =
    wrongType.length === 0 && leniency.needsAtomicSets ? setItemErrors(schema, path) : [];
  return [
    ...wrongType,
    ...itemErrors,
    ...(LIST_TYPES.includes(listType)
      ? []
      : [notSupported(childPath(path, LIST_TYPE), listType, LIST_TYPES)]),
  ];
}

/** Two items of a set are the same or not, as a whole. What is shown is the list type in any case. */
function setItemErrors(schema: JSONSchemaProps, path: string): FieldErrors {
  const key = nonAtomicKey(schema);
  if (key === undefined) return [];
  const shown = itemSchema(schema)?.[LIST_TYPE] ?? null;
  const detail = `must be atomic as item of a list with ${LIST_TYPE}=set`;
  return [invalidValue(`${childPath(path, 'items')}.${key}`, shown, detail)];
}

function listMapErrors(schema: JSONSchemaProps, path: string): FieldErrors {
  const keys = items(schema[MAP_KEYS]);
  const listType = schema[LIST_TYPE];
  const isMap = listType === 'map';
  const mustBeMap = `must be map if ${MAP_KEYS} is non-empty`;
  const at = childPath(path, LIST_TYPE);
  const typeError =
    listType === undefined ? required(at, mustBeMap) : invalidValue(at, listType, mustBeMap);
  return [
    ...(keys.length > 0 && !isMap ? [typeError] : []),
    ...(isMap ? [...keysMissing(keys, path), ...mapItemErrors(schema, keys, path)] : []),
  ];
}

function keysMissing(keys: readonly string[], path: string): FieldErrors {
  const detail = `must not be empty if ${LIST_TYPE} is map`;
  return keys.length === 0 ? [required(childPath(path, MAP_KEYS), detail)] : [];
}

function mapItemErrors(
  schema: JSONSchemaProps,
  keys: readonly string[],
  path: string,
): FieldErrors {
  const at = childPath(path, 'items');
  const item = itemSchema(schema);
  if (item === undefined) {
    const isList = Array.isArray(schema.items) && schema.items.length > 0;
    const single = `must only have a single schema if ${LIST_TYPE} is map`;
    if (isList) return [invalidValue(at, shownItems(schema.items), single)];
    return [required(at, `must have a schema if ${LIST_TYPE} is map`)];
  }
  const { type = '' } = item;
  if (type !== 'object') {
    const detail = `must be object if parent array's ${LIST_TYPE} is map`;
    return [invalidValue(`${at}.type`, type, detail)];
  }
  const repeats = repeatsIn(keys);
  return keys.flatMap((key, index) =>
    mapKeyErrors(item, { keys, isRepeated: repeats[index] === true, path }, key),
  );
}

interface KeyPlace {
  readonly keys: readonly string[];
  readonly isRepeated: boolean;
  readonly path: string;
}

function mapKeyErrors(
  { properties }: JSONSchemaProps,
  { keys, isRepeated, path }: KeyPlace,
  key: string,
): FieldErrors {
  const property = propertyOf(properties, key);
  const shown = [...keys];
  const at = childPath(path, MAP_KEYS);
  const type = property?.type;
  const typeAt = `${keyPath(childPath(childPath(path, 'items'), 'properties'), key)}.type`;
  const scalar = `must be a scalar type if parent array's ${LIST_TYPE} is map`;
  return [
    ...(property === undefined
      ? [invalidValue(at, shown, 'entries must all be names of item properties')]
      : []),
    // What is shown is the type of the item.
    ...(type === 'array' || type === 'object' ? [invalidValue(typeAt, 'object', scalar)] : []),
    ...(isRepeated ? [invalidValue(at, shown, 'must not contain duplicate entries')] : []),
  ];
}

/** Keys of items that may be missing: asked of new definitions only. */
export function listKeyErrors(schema: JSONSchemaProps, path: string): FieldErrors {
  const item = itemSchema(schema);
  const listType = schema[LIST_TYPE];
  if (item === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const at = childPath(path, 'items');
  const nullable = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
  return [
    ...(item.nullable === true ? [forbiddenField(`${at}.nullable`, nullable)] : []),
    ...(listType === 'map'
      ? items(schema[MAP_KEYS]).flatMap((key) => keyErrors(item, key, at))
      : []),
  ];
}

/** What makes the items of a set comparable, and is not said; undefined where it need not be. */
export function nonAtomicKey(schema: JSONSchemaProps): string | undefined {
  const item = itemSchema(schema);
  if (schema[LIST_TYPE] !== 'set' || item === undefined) return undefined;
  if (item.type === 'array')
    return (item[LIST_TYPE] ?? 'atomic') === 'atomic' ? undefined : LIST_TYPE;
  const isGranular = item.type === 'object' && item[MAP_TYPE] !== 'atomic';
  return isGranular ? MAP_TYPE : undefined;
}

/** Of the items of a list that are all alike. */
function itemSchema({ items: schemas }: JSONSchemaProps): JSONSchemaProps | undefined {
  return schemas === undefined || schemas === null || Array.isArray(schemas) ? undefined : schemas;
}

function keyErrors(item: JSONSchemaProps, key: string, path: string): FieldErrors {
  const property = propertyOf(item.properties, key);
  if (property === undefined) return [];
  const at = keyPath(childPath(path, 'properties'), key);
  const isThere = isAmong(items(item.required), key) || hasDefault(property);
  const why = 'this property is in x-kubernetes-list-map-keys, so it';
  return [
    ...(isThere
      ? []
      : [required(`${at}.default`, `${why} must have a default or be a required property`)]),
    ...(property.nullable === true
      ? [forbiddenField(`${at}.nullable`, `${why} cannot be nullable`)]
      : []),
  ];
}

function hasDefault(property: JSONSchemaProps): boolean {
  return property.default !== undefined && property.default !== null;
}

/** A key may be the name of what objects inherit. */
function propertyOf(
  properties: JSONSchemaProps['properties'],
  key: string,
): JSONSchemaProps | undefined {
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}
