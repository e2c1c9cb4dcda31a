/**
 * What the schema of a definition may say at all, part by part.
 *
 * In Kubernetes: ValidateCustomResourceDefinitionOpenAPISchema. What is wrong with the expressions
 * of `x-kubernetes-validations` is told elsewhere.
 */
import { isJsonObject, listAt, objectAt, type JsonObject } from '../../../json/json.ts';
import { forbiddenField, type FieldError, type FieldErrors } from '../../../field/field-errors.ts';
import { childPath, indexPath, keyPath } from '../../../field/field-path.ts';
import { isOrdinary } from '../../../structural-schema/ordinary-schema.ts';
import { objectsAt } from '../../rules/value-validation.ts';
import { extensionErrors } from './extension-validation.ts';
import { listKeyErrors } from './list-key-validation.ts';
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
  if (isPassedBy(schema, place)) return NO_ERRORS;
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

/** In metadata less may be said than elsewhere. */
function isPassedBy(schema: JsonObject, place: SchemaPlace): boolean {
  const { isRoot, isInMeta, noDefaults } = place;
  return !isRoot && !isInMeta && noDefaults === undefined && isOrdinary(schema);
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
