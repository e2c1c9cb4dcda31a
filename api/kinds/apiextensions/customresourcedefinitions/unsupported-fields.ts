/** What OpenAPI schemas have and those of custom resources do not. In Kubernetes: specStandardValidatorV3. */
import { listAt, objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import {
  forbiddenField,
  notSupported,
  type FieldError,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { childPath } from '../../../field/field-path.ts';
import type { SchemaPlace } from './schema-place.ts';
import { isKnownType, SCHEMA_TYPES } from './schema-type.ts';

/** In the order in which they are told; those that may be there if they are empty apart. */
const FORBIDDEN = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies'];
const FORBIDDEN_LAST = '$ref';

export function unsupportedErrors(schema: JsonObject, place: SchemaPlace): FieldErrors {
  const { path, noDefaults, leniency } = place;
  const errors: FieldError[] = [];
  const type = stringAt(schema, 'type');
  const forbid = (key: string, detail: string): void => {
    errors.push(forbiddenField(childPath(path, key), detail));
  };
  if (leniency.needsKnownTypes && !isKnownType(type)) {
    errors.push(notSupported(childPath(path, 'type'), type, SCHEMA_TYPES));
  }
  const { default: given } = schema;
  if (given !== undefined && given !== null && noDefaults !== undefined) {
    forbid('default', `must not be set ${noDefaults}`);
  }
  for (const key of [...FORBIDDEN, FORBIDDEN_LAST]) {
    if (isThere(schema, key)) forbid(key, `${key} is not supported`);
  }
  if (type === 'null') {
    forbid('type', 'type cannot be set to null, use nullable as an alternative');
  }
  if (listAt(schema, 'items').length > 0) {
    forbid('items', 'items must be a schema object and not an array');
  }
  if (place.isInMeta && schema['x-kubernetes-embedded-resource'] === true) {
    forbid('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  }
  return errors;
}

/** Go has a pointer for some, for which empty is something; maps are nothing when they are empty. */
function isThere(schema: JsonObject, key: string): boolean {
  const value = schema[key];
  if (value === undefined || value === null) return false;
  if (key === 'id') return value !== '';
  if (key === 'patternProperties' || key === 'definitions') {
    return Object.keys(objectAt(schema, key) ?? {}).length > 0;
  }
  return true;
}
