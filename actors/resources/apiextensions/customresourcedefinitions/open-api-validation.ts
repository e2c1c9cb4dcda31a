/**
 * What the schema of a definition may say at all, part by part.
 *
 * In Kubernetes: ValidateCustomResourceDefinitionOpenAPISchema. What is wrong with the expressions
 * of `x-kubernetes-validations` is told elsewhere.
 */
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
} from '../../../../api/meta/json.ts';
import {
  forbiddenField,
  type FieldError,
  type FieldErrors,
} from '../../../../api/schema/field-errors.ts';
import { childPath, indexPath, keyPath } from '../../../../api/schema/field-path.ts';
import { objectsAt } from '../../value-validation.ts';
import { extensionErrors } from './extension-validation.ts';
import { listKeyErrors } from './list-key-validation.ts';
import { SCHEMA_TYPES } from './schema-type.ts';
import type { SchemaPlace } from './schema-place.ts';
import { ruleErrors } from './rule-validation.ts';
import { unsupportedErrors } from './unsupported-fields.ts';

const NO_ERRORS: FieldErrors = [];
const META_FIELDS: readonly string[] = ['metadata', 'kind', 'apiVersion'];
const QUADRATIC =
  'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
const IN_MAP_OF_META = 'inside additionalProperties applying to object metadata';

export function validateOpenApiSchema(schema: JsonObject, place: SchemaPlace): FieldErrors {
  const { path, leniency } = place;
  if (isPlain(schema, place)) return plainErrors(schema, place);
  const errors: FieldError[] = [...unsupportedErrors(schema, place)];
  if (schema['uniqueItems'] === true) {
    errors.push(forbiddenField(childPath(path, 'uniqueItems'), QUADRATIC));
  }
  errors.push(...mapErrors(schema, place), ...propertyErrors(schema, place));
  errors.push(...junctorErrors(schema, place), ...itemErrors(schema, place));
  errors.push(...extensionErrors(schema, path, leniency));
  if (leniency.needsListKeys) errors.push(...listKeyErrors(schema, path));
  errors.push(...ruleErrors(schema, path));
  return errors;
}

/** What says nothing that could be wrong, but for the schemas inside. Most schemas do. */
const HARMLESS = new Set([
  'description',
  'enum',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
  'properties',
  'required',
  'type',
]);

function isPlain(schema: JsonObject, { isRoot }: SchemaPlace): boolean {
  for (const key in schema) {
    if (!HARMLESS.has(key) && schema[key] !== undefined) return false;
  }
  const { items } = schema;
  return !isRoot && !Array.isArray(items) && SCHEMA_TYPES.includes(stringAt(schema, 'type'));
}

/** Of the schemas inside. */
function plainErrors(schema: JsonObject, place: SchemaPlace): FieldErrors {
  const { items, properties } = schema;
  const inProperties = isJsonObject(properties) ? propertyErrors(schema, place) : NO_ERRORS;
  if (!isJsonObject(items)) return inProperties;
  const inItems = itemErrors(schema, place);
  return inProperties.length === 0 ? inItems : [...inProperties, ...inItems];
}

/** A schema is one of a struct or one of a map. */
function mapErrors(schema: JsonObject, place: SchemaPlace): FieldErrors {
  const values = schema['additionalProperties'];
  if (values === undefined || values === null) return [];
  const path = childPath(place.path, 'additionalProperties');
  const isStruct = Object.keys(objectAt(schema, 'properties') ?? {}).length > 0;
  const exclusive = 'additionalProperties and properties are mutual exclusive';
  const noDefaults = place.isInMeta ? IN_MAP_OF_META : place.noDefaults;
  return [
    ...(isStruct && values !== true ? [forbiddenField(path, exclusive)] : []),
    ...(isJsonObject(values)
      ? validateOpenApiSchema(values, { ...place, path, isRoot: false, noDefaults })
      : []),
  ];
}

function propertyErrors(schema: JsonObject, place: SchemaPlace): FieldErrors {
  const properties = objectAt(schema, 'properties');
  if (properties === undefined) return [];
  const path = childPath(place.path, 'properties');
  const isObject = place.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isJsonObject(property)) return [];
    const isMeta = isObject && META_FIELDS.includes(name);
    return validateOpenApiSchema(property, {
      ...place,
      path: keyPath(path, name),
      isRoot: false,
      isInMeta: place.isInMeta || isMeta,
      noDefaults: isMeta && place.isRoot ? `in top-level ${name}` : place.noDefaults,
    });
  });
}

function junctorErrors(schema: JsonObject, place: SchemaPlace): FieldErrors {
  const inside = (part: JsonObject | undefined, path: string): FieldErrors =>
    part === undefined ? [] : validateOpenApiSchema(part, { ...place, path, isRoot: false });
  const { path } = place;
  return [
    ...inside(objectAt(schema, 'not'), childPath(path, 'not')),
    ...['allOf', 'oneOf', 'anyOf'].flatMap((key) =>
      objectsAt(schema, key).flatMap((part, index) =>
        inside(part, indexPath(childPath(path, key), index)),
      ),
    ),
    ...['definitions', 'dependencies'].flatMap((key) =>
      Object.entries(objectAt(schema, key) ?? {}).flatMap(([name, part]) =>
        isJsonObject(part) ? inside(part, keyPath(childPath(path, key), name)) : [],
      ),
    ),
  ];
}

function itemErrors(schema: JsonObject, place: SchemaPlace): FieldErrors {
  const path = childPath(place.path, 'items');
  const items = objectAt(schema, 'items');
  if (items !== undefined) return validateOpenApiSchema(items, { ...place, path, isRoot: false });
  return listAt(schema, 'items').flatMap((item, index) =>
    isJsonObject(item)
      ? validateOpenApiSchema(item, { ...place, path: indexPath(path, index), isRoot: false })
      : [],
  );
}
