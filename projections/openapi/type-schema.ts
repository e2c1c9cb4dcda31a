/**
 * The schema of a built-in type as an OpenAPI v3 document holds it, made from the type's facts.
 * A reference that has anything beside it stands inside `allOf`, because v3.0 ignores whatever
 * stands beside a `$ref`.
 *
 * In Kubernetes: zz_generated.openapi.go and the schema part of kube-openapi's builder3.
 */
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import type { FieldType, ScalarName } from '../../api/scheme/field-type.ts';
import { type FieldFacts, jsonFieldsOf, typeFacts } from '../../api/scheme/type-facts.ts';
import { specialSchema, specialTypeId } from './special-schemas.ts';

/** What stands before the name of a schema in a `$ref`. */
export const SCHEMA_REFERENCE = '#/components/schemas/';

/** What is said about one type: '' for the type itself, else by the field's JSON name. */
export type TypeDescriptions = ReadonlyMap<string, string>;

interface ScalarSchema {
  readonly type: string;
  readonly format?: string;
}

const SCALARS: Readonly<Record<ScalarName, ScalarSchema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint8: { type: 'integer', format: 'byte' },
  uint32: { type: 'integer', format: 'int64' },
  uint64: { type: 'integer', format: 'int64' },
  float32: { type: 'number', format: 'float' },
  float64: { type: 'number', format: 'double' },
};

/**
 * What stands under `x-kubernetes-unions`, by the name of the type's schema: the few types of which one field says which
 * of the others are meant. Nothing in this server reads the mark; generated clients may.
 */
const UNIONS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['io.k8s.api.core.v1.AppArmorProfile', union('type', 'localhostProfile')],
  ['io.k8s.api.core.v1.PodSchedulingGroup', union(undefined, 'podGroupName')],
  ['io.k8s.api.core.v1.SeccompProfile', union('type', 'localhostProfile')],
  ['io.k8s.api.flowcontrol.v1.LimitResponse', union('type', 'queuing')],
  ['io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec', union('type', 'exempt', 'limited')],
  ['io.k8s.api.flowcontrol.v1.Subject', union('kind', 'group', 'serviceAccount', 'user')],
]);

function union(discriminator: string | undefined, ...fields: string[]): JsonObject {
  const values = fields.map((field) => [
    field,
    `${field.charAt(0).toUpperCase()}${field.slice(1)}`,
  ]);
  return {
    ...(discriminator === undefined ? {} : { discriminator }),
    'fields-to-discriminateBy': Object.fromEntries(values) as JsonObject,
  };
}

const ABOUT_VALUES = '\n\nPossible enum values:\n';

/**
 * The schema without its group, version and kind, which depend on the document.
 * @param enums whether the values of a field are named where there are only some
 * @throws Error when no built-in type has that id
 */
export function schemaOfType(id: string, descriptions: TypeDescriptions, enums = true): JsonObject {
  const schema = specialSchema(id) ?? objectSchema(id, descriptions, enums);
  const description = descriptions.get('');
  return description === undefined ? schema : { description, ...schema };
}

function objectSchema(id: string, descriptions: TypeDescriptions, enums: boolean): JsonObject {
  const fields = jsonFieldsOf(id);
  const required = fields.filter((field) => field.required).map((field) => field.name);
  const { mapType } = typeFacts(id);
  const union = UNIONS.get(id);
  const properties: JsonObject = {};
  for (const field of fields) {
    const shown = enums ? field : withoutEnum(field);
    const description = descriptions.get(field.name);
    properties[field.name] = propertySchema(shown, enums ? description : beforeValues(description));
  }
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    ...(fields.length === 0 ? {} : { properties }),
    ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
    ...(union === undefined ? {} : { 'x-kubernetes-unions': [union] }),
  };
}

/** What is said of a field's values comes last. */
function beforeValues(description: string | undefined): string | undefined {
  return description?.split(ABOUT_VALUES, 1)[0]?.trimEnd();
}

function withoutEnum({ enum: _values, ...field }: FieldFacts): FieldFacts {
  return field;
}

function propertySchema(field: FieldFacts, description: string | undefined): JsonObject {
  const { type, format } = field;
  return withSiblings(valueSchema(type, field.enum), {
    ...(description === undefined ? {} : { description }),
    ...(format === undefined ? {} : { format }),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...mergeMarks(field),
  });
}

/** How lists, maps and structs are merged by apply and by strategic merge patches. */
function mergeMarks(field: FieldFacts): JsonObject {
  const { listType, listMapKeys, patchMergeKey, patchStrategies } = field;
  const mapType = field.mapType ?? field.structType;
  return {
    ...(listMapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': [...listMapKeys] }),
    ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
    ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
    ...(patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': patchMergeKey }),
    ...(patchStrategies.length === 0
      ? {}
      : { 'x-kubernetes-patch-strategy': patchStrategies.join(',') }),
  };
}

function withSiblings(schema: JsonObject, siblings: JsonObject): JsonObject {
  if (schema['$ref'] === undefined) return { ...schema, ...siblings };
  return Object.keys(siblings).length === 0 ? schema : { allOf: [schema], ...siblings };
}

function valueSchema(type: FieldType, values: readonly string[] | undefined): JsonObject {
  if (type.kind === 'scalar') {
    return { ...SCALARS[type.scalar], ...(values === undefined ? {} : { enum: [...values] }) };
  }
  if (type.kind === 'bytes') return { type: 'string', format: 'byte' };
  if (type.kind === 'list') return { type: 'array', items: elementSchema(type.of, values) };
  if (type.kind === 'map') {
    return { type: 'object', additionalProperties: elementSchema(type.of, values) };
  }
  const id = type.kind === 'message' ? type.id : specialTypeId(type.kind);
  return { $ref: SCHEMA_REFERENCE + id };
}

/** Items and map values have the default of Go's zero value, where that can be written at all. */
function elementSchema(type: FieldType, values: readonly string[] | undefined): JsonObject {
  const schema = valueSchema(type, values);
  const zero = type.pointer === true ? undefined : zeroOf(type);
  return zero === undefined ? schema : withSiblings(schema, { default: zero });
}

function zeroOf(type: FieldType): JsonValue | undefined {
  if (type.kind === 'message') return {};
  if (type.kind !== 'scalar') return undefined;
  if (type.scalar === 'string') return '';
  return type.scalar === 'bool' ? false : 0;
}
