/**
 * Whether the schema in a CRD is structural, which it must be: what decides about the structure of
 * objects stands outside of what only judges values, everything judged is structure too, and
 * metadata is left alone. Read from the JSONSchemaProps, as a parsed schema has no place for what
 * is forbidden.
 *
 * In Kubernetes: ValidateStructural, apiextensions-apiserver/pkg/apiserver/schema.
 */
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../json/json.ts';
import { flatMapItems, flatMapUntil, keysOf, mapItems, stepped } from '../json/work-in-slices.ts';
import { ownValue } from '../json/own-property.ts';
import { compileRegularExpression } from '../meta/regular-expression.ts';
import { compareKeys } from '../json/typed-json-keys.ts';
import {
  type FieldError,
  type FieldErrors,
  forbiddenField,
  formatFieldError,
  invalidValue,
  required,
} from '../field/field-errors.ts';
import { childPath, indexPath, keyPath } from '../field/field-path.ts';
import { isOrdinary, PATTERN_STEPS } from './ordinary-schema.ts';
import { completenessErrors } from './structural-completeness.ts';

type Level = 'root' | 'item' | 'field';

/** To look at one schema takes some microseconds. */
const SCHEMA_STEPS = 20;

const NO_ERRORS: FieldErrors = [];

/**
 * Why the schema cannot be read as a structural one at all; undefined when it can.
 *
 * In Kubernetes: the errors of NewStructural.
 */
export function structuralProblem(props: JsonObject): string | undefined {
  if (isOrdinary(props)) return undefined;
  stepped(SCHEMA_STEPS);
  const unsupported = UNSUPPORTED.find((key) => isGiven(props, key));
  if (unsupported !== undefined) return `OpenAPIV3Schema '${unsupported}' is not supported`;
  const judged = [
    props['not'],
    ...['allOf', 'anyOf', 'oneOf'].flatMap((key) => listAt(props, key)),
  ];
  const { items, properties, additionalProperties } = props;
  return (
    problemIn(judged) ??
    (props['x-kubernetes-preserve-unknown-fields'] === false ? MUST_BE_TRUE : undefined) ??
    (Array.isArray(items) && items.length > 0 ? ITEMS_ARRAY : undefined) ??
    problemIn([items]) ??
    problemInMap(isJsonObject(properties) ? properties : {}) ??
    problemIn([additionalProperties])
  );
}

function problemIn(parts: readonly (JsonValue | undefined)[]): string | undefined {
  return flatMapUntil(parts, 1, problemsOf)[0];
}

function problemInMap(parts: JsonObject): string | undefined {
  return flatMapUntil(keysOf(parts), 1, (name) => problemsOf(parts[name]))[0];
}

function problemsOf(part: JsonValue | undefined): readonly string[] {
  const problem = isJsonObject(part) ? structuralProblem(part) : undefined;
  return problem === undefined ? [] : [problem];
}

const MUST_BE_TRUE =
  "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
const ITEMS_ARRAY = "OpenAPIV3Schema 'items' must be a schema, but is an array";

/** In Kubernetes' order; the keys as its messages name them. */
const UNSUPPORTED: readonly string[] = [
  'id',
  'schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
];

function isGiven(props: JsonObject, key: string): boolean {
  const value = props[key === 'schema' ? '$schema' : key];
  if (value === undefined || value === null || value === '') return false;
  return !isJsonObject(value) || key === 'additionalItems' || Object.keys(value).length > 0;
}

/** @returns sorted by their text, as upstream sorts them. */
export function validateStructural(props: JsonObject, path: string): FieldErrors {
  const errors = [...invariants(props, 'root', path), ...completenessErrors(props, path)];
  if (errors.length < 2) return errors;
  return mapItems(errors, (error) => ({ error, text: formatFieldError(error) }))
    .sort((a, b) => compareKeys(a.text, b.text))
    .map(({ error }) => error);
}

function invariants(props: JsonObject, level: Level, path: string): FieldErrors {
  if (level !== 'root' && isOrdinary(props)) return NO_ERRORS;
  stepped(SCHEMA_STEPS);
  const items = objectAt(props, 'items');
  const lacksItems = stringAt(props, 'type') === 'array' && items === undefined;
  return [
    ...(lacksItems ? [required(childPath(path, 'items'), 'must be specified')] : []),
    ...(items === undefined ? [] : invariants(items, 'item', childPath(path, 'items'))),
    ...ofEachProperty(props, (name, property) =>
      invariants(property, 'field', propertyPath(path, name)),
    ),
    ...additionalErrors(props, level, path),
    ...extensionErrors(props, path),
    ...valueErrors(props, valueSkipsOf(props), level, path),
    ...typeErrors(props, level, path),
    ...metaErrors(props, level, path),
  ];
}

function ofEachProperty(
  props: JsonObject,
  find: (name: string, property: JsonObject) => FieldErrors,
): FieldErrors {
  const properties = objectAt(props, 'properties');
  if (properties === undefined) return NO_ERRORS;
  return flatMapItems(keysOf(properties), (name) => {
    const property = properties[name];
    return isJsonObject(property) ? find(name, property) : NO_ERRORS;
  });
}

function propertyPath(path: string, name: string): string {
  return keyPath(childPath(path, 'properties'), name);
}

function propertiesOf(props: JsonObject): [string, JsonObject][] {
  return Object.entries(objectAt(props, 'properties') ?? {}).filter(
    (entry): entry is [string, JsonObject] => isJsonObject(entry[1]),
  );
}

function additionalErrors(props: JsonObject, level: Level, path: string): FieldErrors {
  const additional = props['additionalProperties'];
  if (additional === undefined || additional === null) return NO_ERRORS;
  const at = childPath(path, 'additionalProperties');
  return [
    ...(level === 'root' ? [forbiddenField(at, 'must not be used at the root')] : []),
    ...(isJsonObject(additional) ? invariants(additional, 'field', at) : []),
  ];
}

function extensionErrors(props: JsonObject, path: string): FieldErrors {
  if (props['x-kubernetes-int-or-string'] !== true) return NO_ERRORS;
  const detail = 'must be false if x-kubernetes-int-or-string is true';
  return ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource']
    .filter((key) => props[key] === true)
    .map((key) => invalidValue(childPath(path, key), true, detail));
}

function typeErrors(props: JsonObject, level: Level, path: string): FieldErrors {
  const type = stringAt(props, 'type');
  const at = childPath(path, 'type');
  const isEmbedded = props['x-kubernetes-embedded-resource'] === true;
  const mayBeOpen =
    props['x-kubernetes-int-or-string'] === true ||
    props['x-kubernetes-preserve-unknown-fields'] === true;
  const errors: FieldError[] = [];
  if (isEmbedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(at, detail) : invalidValue(at, type, detail));
  } else if (type === '' && !mayBeOpen)
    errors.push(required(at, `must not be empty ${FOR[level]}`));
  if (isEmbedded && isThere(props, 'additionalProperties')) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbiddenField(childPath(path, 'additionalProperties'), detail));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalidValue(at, type, 'must be object at the root'));
  }
  return errors;
}

const FOR: Readonly<Record<Level, string>> = {
  root: 'at the root',
  item: 'for specified array items',
  field: 'for specified object fields',
};

function isThere(props: JsonObject, key: string): boolean {
  return props[key] !== undefined && props[key] !== null;
}

/** What a schema says about the kind, the version and the metadata of a whole object. */
function metaErrors(props: JsonObject, level: Level, path: string): FieldErrors {
  const properties = objectAt(props, 'properties') ?? {};
  const property = (name: string): JsonObject | undefined => {
    const value = ownValue(properties, name);
    return isJsonObject(value) ? value : undefined;
  };
  const isEmbedded = props['x-kubernetes-embedded-resource'] === true;
  const isObject = level === 'root' || isEmbedded;
  const errors: FieldError[] = [];
  for (const name of ['kind', 'apiVersion']) {
    const type = stringAt(property(name) ?? { type: 'string' }, 'type');
    if (!isObject || type === 'string') continue;
    errors.push(invalidValue(childPath(propertyPath(path, name), 'type'), type, 'must be string'));
  }
  const metadata = property('metadata');
  if (metadata !== undefined) {
    const at = propertyPath(path, 'metadata');
    const type = stringAt(metadata, 'type');
    if (isObject && type !== 'object') {
      errors.push(invalidValue(childPath(at, 'type'), type, 'must be object'));
    }
    if (level === 'root' && !isPlainMetadata(metadata)) errors.push(forbiddenField(at, IMPLICIT));
  }
  if (isEmbedded && !isOpen(props) && propertiesOf(props).length === 0) {
    errors.push(required(childPath(path, 'properties'), NO_PROPERTIES));
  }
  return errors;
}

function isOpen(props: JsonObject): boolean {
  return props['x-kubernetes-preserve-unknown-fields'] === true;
}

const NO_PROPERTIES =
  'must not be empty if x-kubernetes-embedded-resource is true without ' +
  'x-kubernetes-preserve-unknown-fields';
const IMPLICIT =
  'must not specify anything other than name and generateName, ' +
  'but metadata is implicitly specified';

/** Says nothing but that it is an object, and what the name and the generateName must be. */
function isPlainMetadata(metadata: JsonObject): boolean {
  const names = propertiesOf(metadata).map(([name]) => name);
  const isOfNames = names.every((name) => name === 'name' || name === 'generateName');
  const others = Object.keys(metadata).filter((key) => isSaid(metadata, key));
  return isOfNames && others.length === 0;
}

/** Empty values are as good as none, and lists of junctors that are empty as well. */
function isSaid(metadata: JsonObject, key: string): boolean {
  if (key === 'type' || key === 'properties' || key === 'default') return false;
  const value = metadata[key];
  if (value === undefined || value === null || value === '' || value === false) return false;
  return !(Array.isArray(value) && value.length === 0);
}

const JUNCTORS: readonly string[] = ['anyOf', 'allOf', 'oneOf'];

/** Where the two ways to write int-or-string stand, which may name types. */
interface Skips {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

function valueSkipsOf(props: JsonObject): Skips {
  const first = listAt(props, 'allOf')[0];
  return {
    anyOf: isEither(listAt(props, 'anyOf')),
    firstAllOf: isJsonObject(first) && isEither(listAt(first, 'anyOf')),
  };
}

/** `[{type: integer}, {type: string}]`, and nothing else. */
function isEither(schemas: readonly JsonValue[]): boolean {
  const types = schemas.map((schema) => {
    if (!isJsonObject(schema)) return '';
    const said = Object.keys(schema).filter((key) => isSaidWithin(schema, key));
    return said.length === 1 ? stringAt(schema, 'type') : '';
  });
  return types.length === 2 && types[0] === 'integer' && types[1] === 'string';
}

const NO_SKIPS: Skips = { anyOf: false, firstAllOf: false };

function valueErrors(props: JsonObject, skips: Skips, level: Level, path: string): FieldErrors {
  const ofJunctor = (key: string): FieldErrors =>
    flatMapItems(listAt(props, key), (nested, index) => {
      if (!isJsonObject(nested)) return NO_ERRORS;
      const anyOf = key === 'allOf' && index === 0 && skips.firstAllOf;
      const at = indexPath(childPath(path, key), index);
      return nestedErrors(nested, { anyOf, firstAllOf: false }, level, at);
    });
  const not = objectAt(props, 'not');
  return [
    ...JUNCTORS.filter((key) => key !== 'anyOf' || !skips.anyOf).flatMap(ofJunctor),
    ...(not === undefined ? [] : nestedErrors(not, NO_SKIPS, level, childPath(path, 'not'))),
    ...patternErrors(stringAt(props, 'pattern'), childPath(path, 'pattern')),
  ];
}

function patternErrors(pattern: string, path: string): FieldErrors {
  if (pattern === '') return NO_ERRORS;
  stepped(PATTERN_STEPS);
  const compiled = compileRegularExpression(pattern);
  if (compiled.ok) return NO_ERRORS;
  const detail = `must be a valid regular expression, but isn't: ${compiled.message}`;
  return [invalidValue(path, pattern, detail)];
}

/** What may not be said inside a junctor, and what it must be; in Kubernetes' words. */
const FORBIDDEN_WITHIN: readonly (readonly [string, string])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

function nestedErrors(props: JsonObject, skips: Skips, level: Level, path: string): FieldErrors {
  const items = objectAt(props, 'items');
  const within = ofEachProperty(props, (name, property) =>
    nestedErrors(property, NO_SKIPS, 'field', propertyPath(path, name)),
  );
  const forbidden = FORBIDDEN_WITHIN.filter(([key]) => isSaidWithin(props, key)).map(
    ([key, must]) => forbiddenField(childPath(path, key), `must be ${must} to be structural`),
  );
  const metadata = isJsonObject(ownValue(objectAt(props, 'properties') ?? {}, 'metadata'));
  return [
    ...valueErrors(props, skips, level, path),
    ...(items === undefined
      ? NO_ERRORS
      : nestedErrors(items, NO_SKIPS, level, childPath(path, 'items'))),
    ...within,
    ...forbidden,
    ...(metadata
      ? [
          forbiddenField(
            propertyPath(path, 'metadata'),
            'must not be specified in a nested context',
          ),
        ]
      : []),
  ];
}

function isSaidWithin(props: JsonObject, key: string): boolean {
  const value = props[key];
  if (value === undefined || value === null) return false;
  if (key === 'default') return true;
  if (value === false || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0 || key === 'not';
}
