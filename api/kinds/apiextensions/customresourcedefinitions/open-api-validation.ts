/**
 * What the schema of a definition may say at all, part by part: what OpenAPI has and custom resources
 * do not, and what surrounds the expressions of `x-kubernetes-validations`. The expressions themselves
 * are checked elsewhere.
 *
 * In Kubernetes: ValidateCustomResourceDefinitionOpenAPISchema and specStandardValidatorV3.
 */
import { items } from '../../../json/go-values.ts';
import { flatMapItems, keysOf, stepped } from '../../../json/work-in-slices.ts';
import type { JSONSchemaProps, ValidationRule } from '../../../generated/kinds/apiextensions-v1.ts';
import {
  type FieldError,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { childPath, indexPath, keyPath } from '../../../field/field-path.ts';
import { isOrdinary } from '../../../structural-schema/ordinary-schema.ts';
import { extensionErrors, listKeyErrors } from './extension-validation.ts';
import type { SchemaPlace } from './leniency.ts';
import { isKnownType, SCHEMA_TYPES, structuralForm } from './schema-parts.ts';
import { resolveFieldPath } from '../../../cel/schema/schema-field-path.ts';

/** To look at one schema takes some microseconds. */
const SCHEMA_STEPS = 20;

const NO_ERRORS: FieldErrors = [];
const META_FIELDS: readonly string[] = ['metadata', 'kind', 'apiVersion'];
const QUADRATIC =
  'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
const IN_MAP_OF_META = 'inside additionalProperties applying to object metadata';

/** Of the schema at `place`, and of all in it. */
export function validateOpenApiSchema(schema: JSONSchemaProps, place: SchemaPlace): FieldErrors {
  const { path, leniency } = place;
  if (isPassedBy(schema, place)) return NO_ERRORS;
  stepped(SCHEMA_STEPS);
  return [
    ...unsupportedErrors(schema, place),
    ...(schema.uniqueItems === true
      ? [forbiddenField(childPath(path, 'uniqueItems'), QUADRATIC)]
      : []),
    ...mapErrors(schema, place),
    ...propertyErrors(schema, place),
    ...junctorErrors(schema, place),
    ...itemErrors(schema, place),
    ...extensionErrors(schema, path, leniency),
    ...(leniency.needsListKeys ? listKeyErrors(schema, path) : []),
    ...ruleErrors(schema, path),
  ];
}

/** In metadata less may be said than elsewhere. */
function isPassedBy(schema: JSONSchemaProps, place: SchemaPlace): boolean {
  const { isRoot, isInMeta, noDefaults } = place;
  return !isRoot && !isInMeta && noDefaults === undefined && isOrdinary(schema);
}

/** A schema is one of a struct or one of a map. */
function mapErrors(schema: JSONSchemaProps, place: SchemaPlace): FieldErrors {
  const { additionalProperties: values, properties = {} } = schema;
  if (values === undefined) return [];
  const path = childPath(place.path, 'additionalProperties');
  const isStruct = keysOf(properties).length > 0;
  const exclusive = 'additionalProperties and properties are mutual exclusive';
  const noDefaults = place.isInMeta ? IN_MAP_OF_META : place.noDefaults;
  return [
    ...(isStruct && values !== true ? [forbiddenField(path, exclusive)] : []),
    ...(typeof values === 'boolean'
      ? []
      : validateOpenApiSchema(values, { ...place, path, isRoot: false, noDefaults })),
  ];
}

function propertyErrors(schema: JSONSchemaProps, place: SchemaPlace): FieldErrors {
  const { properties } = schema;
  if (properties === undefined) return [];
  const path = childPath(place.path, 'properties');
  const isObject = place.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  return flatMapItems(keysOf(properties), (name) => {
    const property = properties[name];
    if (property === undefined) return NO_ERRORS;
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

function junctorErrors(schema: JSONSchemaProps, place: SchemaPlace): FieldErrors {
  const inside = (part: JSONSchemaProps | undefined, path: string): FieldErrors =>
    part === undefined ? [] : validateOpenApiSchema(part, { ...place, path, isRoot: false });
  const { path } = place;
  return [
    ...inside(schema.not, childPath(path, 'not')),
    ...(['allOf', 'oneOf', 'anyOf'] as const).flatMap((key) =>
      flatMapItems(items(schema[key]), (part, index) =>
        inside(part, indexPath(childPath(path, key), index)),
      ),
    ),
    ...(['definitions', 'dependencies'] as const).flatMap((key) => {
      const parts = schema[key] ?? {};
      return flatMapItems(keysOf(parts), (name) => {
        const part = parts[name];
        if (part === undefined || part === null || Array.isArray(part)) return NO_ERRORS;
        return inside(part, keyPath(childPath(path, key), name));
      });
    }),
  ];
}

function itemErrors({ items: inside }: JSONSchemaProps, place: SchemaPlace): FieldErrors {
  const path = childPath(place.path, 'items');
  if (inside === undefined || inside === null) return [];
  if (!Array.isArray(inside))
    return validateOpenApiSchema(inside, { ...place, path, isRoot: false });
  return flatMapItems(inside, (item, index) =>
    validateOpenApiSchema(item, { ...place, path: indexPath(path, index), isRoot: false }),
  );
}

/** In the order in which they are told; those that may be there if they are empty apart. */
const FORBIDDEN = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const;

function unsupportedErrors(schema: JSONSchemaProps, place: SchemaPlace): FieldErrors {
  const { path, noDefaults, leniency } = place;
  const errors: FieldError[] = [];
  const { type = '', default: given, items: inside } = schema;
  const forbid = (key: string, detail: string): void => {
    errors.push(forbiddenField(childPath(path, key), detail));
  };
  if (leniency.needsKnownTypes && !isKnownType(type)) {
    errors.push(notSupported(childPath(path, 'type'), type, SCHEMA_TYPES));
  }
  if (given !== undefined && given !== null && noDefaults !== undefined) {
    forbid('default', `must not be set ${noDefaults}`);
  }
  for (const key of FORBIDDEN) {
    if (isThere(schema, key)) forbid(key, `${key} is not supported`);
  }
  if (type === 'null') {
    forbid('type', 'type cannot be set to null, use nullable as an alternative');
  }
  if (Array.isArray(inside) && inside.length > 0) {
    forbid('items', 'items must be a schema object and not an array');
  }
  if (place.isInMeta && schema['x-kubernetes-embedded-resource'] === true) {
    forbid('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  }
  return errors;
}

/** Go has a pointer for some, for which empty is something; maps are nothing when they are empty. */
function isThere(schema: JSONSchemaProps, key: (typeof FORBIDDEN)[number]): boolean {
  if (key === 'id') return (schema.id ?? '') !== '';
  if (key === 'patternProperties' || key === 'definitions') {
    return Object.keys(schema[key] ?? {}).length > 0;
  }
  return schema[key] !== undefined;
}

const REASONS = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];
const BLANK = 'must be non-empty if specified';
const BROKEN = 'must not contain line breaks';
const LINE_BREAK = /[\n\r]/;

function ruleErrors(schema: JSONSchemaProps, path: string): FieldErrors {
  return flatMapItems(items(schema['x-kubernetes-validations']), (rule, index) => {
    const at = indexPath(childPath(path, 'x-kubernetes-validations'), index);
    return [
      ...textErrors(rule, at),
      ...reasonErrors(rule, at),
      ...fieldPathErrors(schema, rule, at),
    ];
  });
}

/** Of the rule and its message, the first thing that is wrong. */
function textErrors(
  { rule, message = '', messageExpression: expression = '' }: ValidationRule,
  at: string,
): FieldErrors {
  const errors: FieldError[] = [];
  const trimmedRule = rule.trim();
  const trimmedMessage = message.trim();
  if (trimmedRule === '') errors.push(required(`${at}.rule`, 'rule is not specified'));
  else if (message !== '' && trimmedMessage === '') {
    errors.push(invalidValue(`${at}.message`, message, BLANK));
  } else if (LINE_BREAK.test(trimmedMessage)) {
    errors.push(invalidValue(`${at}.message`, message, BROKEN));
  } else if (LINE_BREAK.test(trimmedRule) && trimmedMessage === '') {
    const detail = 'message must be specified if rule contains line breaks';
    errors.push(required(`${at}.message`, detail));
  }
  if (expression !== '' && expression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    errors.push(required(`${at}.messageExpression`, detail));
  }
  return errors;
}

function reasonErrors({ reason }: ValidationRule, at: string): FieldErrors {
  if (reason === undefined || REASONS.includes(reason)) return [];
  return [notSupported(`${at}.reason`, reason, REASONS)];
}

function fieldPathErrors(
  schema: JSONSchemaProps,
  { fieldPath = '' }: ValidationRule,
  at: string,
): FieldErrors {
  if (fieldPath === '') return [];
  const invalid = (detail: string) => invalidValue(`${at}.fieldPath`, fieldPath, detail);
  return [
    ...(fieldPath.trim() === '' ? [invalid(BLANK)] : []),
    ...(LINE_BREAK.test(fieldPath) ? [invalid(BROKEN)] : []),
    ...(isPathIn(schema, fieldPath) ? [] : [invalid('must be a valid path')]),
  ];
}

/** In a schema that cannot be read every path may be one. */
function isPathIn(schema: JSONSchemaProps, fieldPath: string): boolean {
  const form = structuralForm(schema);
  return form === undefined || resolveFieldPath(fieldPath, form).ok;
}
