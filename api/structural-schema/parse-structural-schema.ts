/**
 * Makes a structural schema of the JSONSchemaProps in a CRD. What only structural schemas have is
 * taken for granted: `structural-rules.ts` is asked before. Whatever is of
 * another type than it should be counts as not there.
 *
 * What most schemas do not have is shared between them, as a server has thousands of schemas of
 * thousands of parts each.
 *
 * In Kubernetes: NewStructural, apiextensions-apiserver/pkg/apiserver/schema/convert.go.
 */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  numberAt,
  objectAt,
  stringAt,
} from '../json/json.ts';
import { forEachKey, remembered, stepped } from '../json/work-in-slices.ts';
import type {
  NestedValueValidation,
  SchemaExtensions,
  SchemaType,
  StructuralSchema,
  ValidationRule,
  ValueValidation,
} from './structural-schema.ts';

/** To make one schema takes some microseconds. */
const SCHEMA_STEPS = 5;

const NONE: readonly never[] = Object.freeze([]);
const NO_SCHEMAS: ReadonlyMap<string, never> = new Map<string, never>();

export const NO_VALUES: ValueValidation = Object.freeze({
  format: '',
  maximum: undefined,
  exclusiveMaximum: false,
  minimum: undefined,
  exclusiveMinimum: false,
  maxLength: undefined,
  minLength: undefined,
  pattern: '',
  maxItems: undefined,
  minItems: undefined,
  uniqueItems: false,
  multipleOf: undefined,
  enum: undefined,
  maxProperties: undefined,
  minProperties: undefined,
  required: NONE,
  allOf: NONE,
  oneOf: NONE,
  anyOf: NONE,
  not: undefined,
});

const NO_EXTENSIONS: SchemaExtensions = Object.freeze({
  preserveUnknownFields: false,
  embeddedResource: false,
  intOrString: false,
  listType: undefined,
  listMapKeys: NONE,
  mapType: undefined,
  validations: NONE,
});

const EXTENSION_KEYS = [
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
];

const VALUE_KEYS = new Set(Object.keys(NO_VALUES));

/**
 * @param props as in `spec.versions[].schema.openAPIV3Schema`. It is held on to: defaults and
 * enums are its own parts.
 */
export function parseStructuralSchema(props: JsonObject): StructuralSchema {
  stepped(SCHEMA_STEPS);
  const items = objectAt(props, 'items');
  const given = props['default'];
  return {
    type: typeAt(props),
    title: stringAt(props, 'title'),
    description: stringAt(props, 'description'),
    nullable: props['nullable'] === true,
    default: given === null ? undefined : given,
    properties: mapOf(objectAt(props, 'properties'), parseStructuralSchema),
    items: items === undefined ? undefined : parseStructuralSchema(items),
    additionalProperties: parseAdditionalProperties(props['additionalProperties']),
    extensions: parseExtensions(props),
    values: parseValues(props),
  };
}

function parseAdditionalProperties(
  value: JsonValue | undefined,
): StructuralSchema | true | undefined {
  if (isJsonObject(value)) return parseStructuralSchema(value);
  return value === true ? true : undefined;
}

function typeAt(props: JsonObject): SchemaType | '' {
  return stringAt(props, 'type') as SchemaType | ''; // Other words are refused with the CRD.
}

function mapOf<T>(
  props: JsonObject | undefined,
  parse: (props: JsonObject) => T,
): ReadonlyMap<string, T> {
  if (props === undefined) return NO_SCHEMAS;
  const map = remembered(() => new Map<string, T>());
  forEachKey(props, (name) => {
    const one = props[name];
    if (isJsonObject(one)) map.set(name, parse(one));
  });
  return map;
}

function parseExtensions(props: JsonObject): SchemaExtensions {
  if (!EXTENSION_KEYS.some((key) => props[key] !== undefined)) return NO_EXTENSIONS;
  const listType = stringAt(props, 'x-kubernetes-list-type');
  const mapType = stringAt(props, 'x-kubernetes-map-type');
  return {
    preserveUnknownFields: props['x-kubernetes-preserve-unknown-fields'] === true,
    embeddedResource: props['x-kubernetes-embedded-resource'] === true,
    intOrString: props['x-kubernetes-int-or-string'] === true,
    listType: oneOf(listType, ['atomic', 'set', 'map']),
    listMapKeys: textsAt(props, 'x-kubernetes-list-map-keys'),
    mapType: oneOf(mapType, ['atomic', 'granular']),
    validations: parseRules(props),
  };
}

function oneOf<T extends string>(text: string, allowed: readonly T[]): T | undefined {
  return allowed.find((one) => one === text);
}

function parseRules(props: JsonObject): readonly ValidationRule[] {
  return listAt(props, 'x-kubernetes-validations').filter(isJsonObject).map(parseRule);
}

function parseRule(rule: JsonObject): ValidationRule {
  const optionalOldSelf = rule['optionalOldSelf'];
  return {
    rule: stringAt(rule, 'rule'),
    message: stringAt(rule, 'message'),
    messageExpression: stringAt(rule, 'messageExpression'),
    reason: oneOf(stringAt(rule, 'reason'), [
      'FieldValueInvalid',
      'FieldValueForbidden',
      'FieldValueRequired',
      'FieldValueDuplicate',
    ]),
    fieldPath: stringAt(rule, 'fieldPath'),
    optionalOldSelf: typeof optionalOldSelf === 'boolean' ? optionalOldSelf : undefined,
  };
}

/** undefined: the schema says nothing about values. */
function parseValues(props: JsonObject): ValueValidation | undefined {
  let says = false;
  for (const key in props) says ||= VALUE_KEYS.has(key);
  if (!says) return undefined;
  const allowed = props['enum'];
  const not = objectAt(props, 'not');
  return {
    format: stringAt(props, 'format'),
    maximum: doubleAt(props, 'maximum'),
    exclusiveMaximum: props['exclusiveMaximum'] === true,
    minimum: doubleAt(props, 'minimum'),
    exclusiveMinimum: props['exclusiveMinimum'] === true,
    maxLength: doubleAt(props, 'maxLength'),
    minLength: doubleAt(props, 'minLength'),
    pattern: stringAt(props, 'pattern'),
    maxItems: doubleAt(props, 'maxItems'),
    minItems: doubleAt(props, 'minItems'),
    uniqueItems: props['uniqueItems'] === true,
    multipleOf: doubleAt(props, 'multipleOf'),
    enum: Array.isArray(allowed) && allowed.length > 0 ? allowed : undefined,
    maxProperties: doubleAt(props, 'maxProperties'),
    minProperties: doubleAt(props, 'minProperties'),
    required: textsAt(props, 'required'),
    allOf: parseNestedList(props, 'allOf'),
    oneOf: parseNestedList(props, 'oneOf'),
    anyOf: parseNestedList(props, 'anyOf'),
    not: not === undefined ? undefined : parseNested(not),
  };
}

/** Bounds are float64 to Go; and no text, list or object is longer than a double can say. */
function doubleAt(props: JsonObject, key: string): number | undefined {
  const value = numberAt(props, key);
  return value === undefined ? undefined : Number(value);
}

function textsAt(props: JsonObject, key: string): readonly string[] {
  const list = listAt(props, key);
  return list.length === 0 ? NONE : list.filter((one) => typeof one === 'string');
}

function parseNestedList(props: JsonObject, key: string): readonly NestedValueValidation[] {
  const list = listAt(props, key);
  return list.length === 0 ? NONE : list.filter(isJsonObject).map(parseNested);
}

function parseNested(props: JsonObject): NestedValueValidation {
  const items = objectAt(props, 'items');
  const additional = props['additionalProperties'];
  return {
    values: parseValues(props) ?? NO_VALUES,
    items: items === undefined ? undefined : parseNested(items),
    properties: mapOf(objectAt(props, 'properties'), parseNested),
    additionalProperties: isJsonObject(additional) ? parseNested(additional) : undefined,
    validations: parseRules(props),
    type: typeAt(props),
  };
}
