/** The `x-kubernetes-…` about unknown fields, maps and lists. */
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../../json/json.ts';
import { ownValue } from '../../../json/own-property.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { childPath, keyPath } from '../../../field/field-path.ts';
import { stringsAt } from '../../rules/value-validation.ts';
import { shownItems } from './internal-form.ts';
import type { Leniency } from './leniency.ts';
import { nonAtomicKey } from './list-key-validation.ts';
import { repeatsIn } from '../../rules/repeats.ts';

const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_TYPE = 'x-kubernetes-map-type';
const MAP_KEYS = 'x-kubernetes-list-map-keys';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

const MAP_TYPES = ['atomic', 'granular'];
const LIST_TYPES = ['atomic', 'set', 'map'];

export function extensionErrors(schema: JsonObject, path: string, leniency: Leniency): FieldErrors {
  return [
    ...(schema[PRESERVE] === false
      ? [invalidValue(childPath(path, PRESERVE), false, 'must be true or undefined')]
      : []),
    ...mapTypeErrors(schema, path),
    ...listTypeErrors(schema, path, leniency),
    ...listMapErrors(schema, path),
  ];
}

function isSaid(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function mapTypeErrors(schema: JsonObject, path: string): FieldErrors {
  if (!isSaid(schema[MAP_TYPE])) return [];
  const mapType = stringAt(schema, MAP_TYPE);
  return [
    ...typeErrors(schema, path, ['object', `must be object if ${MAP_TYPE} is specified`]),
    ...(MAP_TYPES.includes(mapType)
      ? []
      : [notSupported(childPath(path, MAP_TYPE), mapType, MAP_TYPES)]),
  ];
}

function typeErrors(
  schema: JsonObject,
  path: string,
  [wanted, detail]: readonly [string, string],
): FieldErrors {
  const type = stringAt(schema, 'type');
  if (type === wanted) return [];
  const at = childPath(path, 'type');
  return [type === '' ? required(at, detail) : invalidValue(at, type, detail)];
}

function listTypeErrors(schema: JsonObject, path: string, leniency: Leniency): FieldErrors {
  if (!isSaid(schema[LIST_TYPE])) return [];
  const listType = stringAt(schema, LIST_TYPE);
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
function setItemErrors(schema: JsonObject, path: string): FieldErrors {
  const key = nonAtomicKey(schema);
  if (key === undefined) return [];
  const shown = objectAt(schema, 'items')?.[LIST_TYPE] ?? null;
  const detail = `must be atomic as item of a list with ${LIST_TYPE}=set`;
  return [invalidValue(`${childPath(path, 'items')}.${key}`, shown, detail)];
}

function listMapErrors(schema: JsonObject, path: string): FieldErrors {
  const keys = stringsAt(schema, MAP_KEYS);
  const listType = schema[LIST_TYPE];
  const isMap = listType === 'map';
  const mustBeMap = `must be map if ${MAP_KEYS} is non-empty`;
  const at = childPath(path, LIST_TYPE);
  const typeError = isSaid(listType)
    ? invalidValue(at, stringAt(schema, LIST_TYPE), mustBeMap)
    : required(at, mustBeMap);
  return [
    ...(keys.length > 0 && !isMap ? [typeError] : []),
    ...(isMap ? [...keysMissing(keys, path), ...mapItemErrors(schema, keys, path)] : []),
  ];
}

function keysMissing(keys: readonly string[], path: string): FieldErrors {
  const detail = `must not be empty if ${LIST_TYPE} is map`;
  return keys.length === 0 ? [required(childPath(path, MAP_KEYS), detail)] : [];
}

function mapItemErrors(schema: JsonObject, keys: readonly string[], path: string): FieldErrors {
  const at = childPath(path, 'items');
  const items = objectAt(schema, 'items');
  if (items === undefined) {
    const isList = listAt(schema, 'items').length > 0;
    const single = `must only have a single schema if ${LIST_TYPE} is map`;
    if (isList) return [invalidValue(at, shownItems(schema['items']), single)];
    return [required(at, `must have a schema if ${LIST_TYPE} is map`)];
  }
  const type = stringAt(items, 'type');
  if (type !== 'object') {
    const detail = `must be object if parent array's ${LIST_TYPE} is map`;
    return [invalidValue(`${at}.type`, type, detail)];
  }
  const repeats = repeatsIn(keys);
  return keys.flatMap((key, index) =>
    mapKeyErrors(items, { keys, isRepeated: repeats[index] === true, path }, key),
  );
}

interface KeyPlace {
  readonly keys: readonly string[];
  readonly isRepeated: boolean;
  readonly path: string;
}

function mapKeyErrors(
  items: JsonObject,
  { keys, isRepeated, path }: KeyPlace,
  key: string,
): FieldErrors {
  const property = ownValue(objectAt(items, 'properties') ?? {}, key);
  const shown = [...keys];
  const at = childPath(path, MAP_KEYS);
  const type = isJsonObject(property) ? stringAt(property, 'type') : '';
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
