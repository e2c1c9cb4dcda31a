/**
 * The schema of a custom resource as OpenAPI documents hold it: what the definition says, with what
 * every object has. What is not structural is shown as an object of which nothing is known, and so
 * is, to v2, whatever older clients would refuse.
 *
 * In Kubernetes: buildKubeNative and buildListSchema, apiextensions-apiserver/pkg/controller/openapi,
 * and ToStructuralOpenAPIV2.
 */
import { isJsonObject, objectAt, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { ownValue } from '../../api/json/own-property.ts';
import { validateStructural } from '../../api/structural-schema/structural-rules.ts';
import { customTypeId, type CustomKind } from './custom-kind.ts';
import { SCHEMA_REFERENCE } from './type-schema.ts';

export interface SchemaForm {
  /** v2 knows less of values, and its clients take what a schema does not name for forbidden. */
  readonly isV2: boolean;
  /** `apiVersion`, `kind` and `metadata` as every object of the API has them. */
  readonly common: JsonObject;
  /** `metadata` as every list of the API has it. */
  readonly listMetadata: JsonObject;
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const INT_OR_STRING = 'x-kubernetes-int-or-string';
const JUNCTORS: readonly string[] = ['allOf', 'oneOf', 'anyOf', 'not'];
const API_CONVENTIONS =
  'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

export function customSchema(kind: CustomKind, form: SchemaForm): JsonObject {
  return {
    ...objectSchema(kind, form),
    'x-kubernetes-group-version-kind': [gvkOf(kind, kind.kind)],
    ...selectableFields(kind),
  };
}

function selectableFields(kind: CustomKind): JsonObject {
  const selectable = kind.selectableFields.map((fieldPath) => ({ fieldPath }));
  if (selectable.length === 0) return {};
  return { 'x-kubernetes-selectable-fields': selectable };
}

export function customListSchema(kind: CustomKind, form: SchemaForm): JsonObject {
  const { common, listMetadata } = form;
  const { apiVersion, kind: kindSchema } = common;
  const items = {
    type: 'array',
    description: `List of ${kind.plural}. More info: ${API_CONVENTIONS}`,
    items: { $ref: SCHEMA_REFERENCE + customTypeId(kind, kind.kind) },
  };
  return {
    description: `${kind.listKind} is a list of ${kind.kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion,
      items,
      kind: kindSchema,
      metadata: listMetadata,
    },
    'x-kubernetes-group-version-kind': [gvkOf(kind, kind.listKind)],
    ...selectableFields(kind),
  };
}

function gvkOf({ group, version }: CustomKind, kind: string): JsonObject {
  return { group, kind, version };
}

function objectSchema(kind: CustomKind, form: SchemaForm): JsonObject {
  const said = kind.schema();
  if (said === undefined || validateStructural(said, '').length > 0) return { type: 'object' };
  const keepsAll = said[PRESERVE] === true || kind.preserveUnknownFields;
  if (form.isV2 && keepsAll) return { type: 'object' };
  const schema = published(said, form);
  return { ...schema, properties: { ...objectAt(schema, 'properties'), ...form.common } };
}

/** A schema and all within it. */
function published(said: JsonObject, form: SchemaForm): JsonObject {
  const schema = form.isV2 ? forV2(said) : unfolded(said);
  const properties = objectAt(schema, 'properties');
  if (properties !== undefined) {
    schema['properties'] = mapped(properties, (one) => published(one, form));
  }
  for (const key of ['items', 'additionalProperties']) {
    const inside = schema[key];
    if (isJsonObject(inside)) schema[key] = published(inside, form);
  }
  const isOpen = form.isV2 && schema[PRESERVE] === true;
  return schema[EMBEDDED] === true && !isOpen ? withIdentity(schema, form) : schema;
}

/** An object inside the object says what it is, as every object does. */
function withIdentity(schema: JsonObject, { common }: SchemaForm): JsonObject {
  const said = Array.isArray(schema['required']) ? schema['required'] : [];
  const missing = ['kind', 'apiVersion'].filter((one) => !said.includes(one));
  return {
    ...schema,
    properties: { ...objectAt(schema, 'properties'), ...common },
    required: [...said, ...missing],
  };
}

const EITHER: readonly JsonObject[] = [{ type: 'integer' }, { type: 'string' }];

/** In Kubernetes: Unfold. */
function unfolded(said: JsonObject): JsonObject {
  const schema = { ...said };
  if (said[INT_OR_STRING] !== true || saysEither(said)) return schema;
  const [first] = Array.isArray(said['allOf']) ? said['allOf'] : [];
  if (isJsonObject(first) && saysEither(first)) return schema;
  if (said['anyOf'] === undefined) schema['anyOf'] = [...EITHER];
  else schema['allOf'] = [{ anyOf: [...EITHER] }, ...listOf(said['allOf'])];
  return schema;
}

function saysEither(schema: JsonObject): boolean {
  const said = listOf(schema['anyOf']).map((one) => (isJsonObject(one) ? one['type'] : undefined));
  return said.length === 2 && said.includes('integer') && said.includes('string');
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** In Kubernetes: ToStructuralOpenAPIV2. */
function forV2(said: JsonObject): JsonObject {
  const { nullable, default: _, ...schema } = said;
  for (const junctor of JUNCTORS) Reflect.deleteProperty(schema, junctor);
  const isOpen = schema[PRESERVE] === true;
  if (nullable === true) delete schema['type'];
  if (nullable === true || isOpen) {
    delete schema['items'];
    delete schema['properties'];
  }
  const { type, items } = schema;
  const isBareList = type === 'array' && items === undefined;
  if (isBareList || (isOpen && type === 'object')) delete schema['type'];
  dropNullableFromRequired(schema);
  return schema;
}

function dropNullableFromRequired(schema: JsonObject): void {
  const required = schema['required'];
  if (!Array.isArray(required)) return;
  const properties = objectAt(schema, 'properties') ?? {};
  const values = schema['additionalProperties'];
  const isNullableMap = isJsonObject(values) && values['nullable'] === true;
  const left = required.filter((name) => {
    const property = typeof name === 'string' ? ownValue(properties, name) : undefined;
    return !isJsonObject(property) || property['nullable'] !== true;
  });
  if (left.length > 0 && !isNullableMap) schema['required'] = left;
  else delete schema['required'];
}

function mapped(properties: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const entries = Object.entries(properties).map(([name, schema]): [string, JsonValue] => [
    name,
    isJsonObject(schema) ? change(schema) : {},
  ]);
  return Object.fromEntries(entries);
}
