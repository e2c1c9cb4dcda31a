/**
 * How upstream shows a schema or a version in an error: as the struct that it has in memory, every
 * field with its Go name, whether it was given or not.
 *
 * In Kubernetes: the types of apiextensions-apiserver/pkg/apis/apiextensions, through json.Marshal.
 */
import type {
  ValidationRule,
  ExternalDocumentation,
  CustomResourceColumnDefinition,
  CustomResourceSubresourceScale,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '../../../generated/kinds/apiextensions-v1.ts';
import {
  isJsonObject,
  listAt,
  objectAt,
  type JsonObject,
  type JsonValue,
} from '../../../json/json.ts';
import { compareGoStrings, goJson } from '../../../json/go-format.ts';
import { ShownText } from '../../../field/field-errors.ts';
import { mapItems } from '../../../json/work-in-slices.ts';

type Show = (value: JsonValue | undefined) => JsonValue;
/** The Go name, the name in JSON, and how it is shown. */
type Field<Key extends string = string> = readonly [name: string, key: Key, show: Show];

const text: Show = (value) => value ?? '';
const flag: Show = (value) => value ?? false;
const pointer: Show = (value) => value ?? null;
const list: Show = (value) => (Array.isArray(value) ? value : null);
const schema: Show = (value) => (isJsonObject(value) ? shownStruct(SCHEMA_FIELDS, value) : null);
const schemas: Show = (value) => shownList(value, schema);
const rules: Show = (value) => shownList(value, (rule) => shownStruct(RULE_FIELDS, rule));
const docs: Show = (value) => (isJsonObject(value) ? shownStruct(DOCS_FIELDS, value) : null);
const schemaMap: Show = (value) => shownMap(value, schema);
const schemaOrBool: Show = (value) => {
  if (value === undefined || value === null) return null;
  return { Allows: value !== false, Schema: schema(value) };
};
const schemaOrStrings: Show = (value) =>
  Array.isArray(value)
    ? { Schema: null, Property: value }
    : { Schema: schema(value), Property: null };

/** Of `items`, which can be one schema or several. */
export function shownItems(value: JsonValue | undefined): JsonValue {
  if (value === undefined || value === null) return null;
  return Array.isArray(value)
    ? { Schema: null, JSONSchemas: schemas(value) }
    : { Schema: schema(value), JSONSchemas: null };
}

/** Whether a field of the struct has another value than a new struct would have. */
export function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && value !== false;
}

/** In the order of the struct. */
export const SCHEMA_FIELDS: readonly Field<keyof JSONSchemaProps>[] = [
  ['ID', 'id', text],
  ['Schema', '$schema', text],
  ['Ref', '$ref', pointer],
  ['Description', 'description', text],
  ['Type', 'type', text],
  ['Nullable', 'nullable', flag],
  ['Format', 'format', text],
  ['Title', 'title', text],
  ['Default', 'default', pointer],
  ['Maximum', 'maximum', pointer],
  ['ExclusiveMaximum', 'exclusiveMaximum', flag],
  ['Minimum', 'minimum', pointer],
  ['ExclusiveMinimum', 'exclusiveMinimum', flag],
  ['MaxLength', 'maxLength', pointer],
  ['MinLength', 'minLength', pointer],
  ['Pattern', 'pattern', text],
  ['MaxItems', 'maxItems', pointer],
  ['MinItems', 'minItems', pointer],
  ['UniqueItems', 'uniqueItems', flag],
  ['MultipleOf', 'multipleOf', pointer],
  ['Enum', 'enum', list],
  ['MaxProperties', 'maxProperties', pointer],
  ['MinProperties', 'minProperties', pointer],
  ['Required', 'required', list],
  ['Items', 'items', shownItems],
  ['AllOf', 'allOf', schemas],
  ['OneOf', 'oneOf', schemas],
  ['AnyOf', 'anyOf', schemas],
  ['Not', 'not', schema],
  ['Properties', 'properties', schemaMap],
  ['AdditionalProperties', 'additionalProperties', schemaOrBool],
  ['PatternProperties', 'patternProperties', schemaMap],
  ['Dependencies', 'dependencies', (value) => shownMap(value, schemaOrStrings)],
  ['AdditionalItems', 'additionalItems', schemaOrBool],
  ['Definitions', 'definitions', schemaMap],
  ['ExternalDocs', 'externalDocs', docs],
  ['Example', 'example', pointer],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', pointer],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', flag],
  ['XIntOrString', 'x-kubernetes-int-or-string', flag],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', list],
  ['XListType', 'x-kubernetes-list-type', pointer],
  ['XMapType', 'x-kubernetes-map-type', pointer],
  ['XValidations', 'x-kubernetes-validations', rules],
];

const RULE_FIELDS: readonly Field<keyof ValidationRule>[] = [
  ['Rule', 'rule', text],
  ['Message', 'message', text],
  ['MessageExpression', 'messageExpression', text],
  ['Reason', 'reason', pointer],
  ['FieldPath', 'fieldPath', text],
  ['OptionalOldSelf', 'optionalOldSelf', pointer],
];
const DOCS_FIELDS: readonly Field<keyof ExternalDocumentation>[] = [
  ['Description', 'description', text],
  ['URL', 'url', text],
];
const COLUMN_FIELDS: readonly Field<keyof CustomResourceColumnDefinition>[] = [
  ['Name', 'name', text],
  ['Type', 'type', text],
  ['Format', 'format', text],
  ['Description', 'description', text],
  ['Priority', 'priority', (value) => value ?? 0],
  ['JSONPath', 'jsonPath', text],
];
const SCALE_FIELDS: readonly Field<keyof CustomResourceSubresourceScale>[] = [
  ['SpecReplicasPath', 'specReplicasPath', text],
  ['StatusReplicasPath', 'statusReplicasPath', text],
  ['LabelSelectorPath', 'labelSelectorPath', pointer],
];
const VERSION_FIELDS: readonly Field<keyof CustomResourceDefinitionVersion>[] = [
  ['Name', 'name', text],
  ['Served', 'served', flag],
  ['Storage', 'storage', flag],
  ['Deprecated', 'deprecated', flag],
  ['DeprecationWarning', 'deprecationWarning', pointer],
  ['Schema', 'schema', shownValidation],
  ['Subresources', 'subresources', shownSubresources],
  ['AdditionalPrinterColumns', 'additionalPrinterColumns', shownColumns],
  ['SelectableFields', 'selectableFields', shownFields],
];

/** A schema as Go prints it. */
export function shownSchema(props: JSONSchemaProps): JsonObject {
  return shownStruct(SCHEMA_FIELDS, props);
}

/** Of a definition whose common parts stand at the top. */
export function shownVersions(versions: readonly CustomResourceDefinitionVersion[]): ShownText {
  const texts = mapItems(versions, (version) => goJson(shownStruct(VERSION_FIELDS, version)));
  return new ShownText(`[${texts.join(',')}]`);
}

function shownValidation(value: JsonValue | undefined): JsonValue {
  return isJsonObject(value) ? { OpenAPIV3Schema: schema(value['openAPIV3Schema']) } : null;
}

function shownSubresources(value: JsonValue | undefined): JsonValue {
  if (!isJsonObject(value)) return null;
  const scale = objectAt(value, 'scale');
  return {
    Status: objectAt(value, 'status') === undefined ? null : {},
    Scale: scale === undefined ? null : shownStruct(SCALE_FIELDS, scale),
  };
}

function shownColumns(value: JsonValue | undefined): JsonValue {
  return shownList(value, (column) => shownStruct(COLUMN_FIELDS, column));
}

function shownFields(value: JsonValue | undefined): JsonValue {
  return shownList(value, (field) => ({ JSONPath: field['jsonPath'] ?? '' }));
}

function shownStruct(fields: readonly Field[], value: JsonObject): JsonObject {
  return Object.fromEntries(fields.map(([name, key, show]) => [name, show(value[key])]));
}

function shownList(value: JsonValue | undefined, show: (item: JsonObject) => JsonValue): JsonValue {
  if (!Array.isArray(value)) return null;
  return listAt({ value }, 'value').map((item) => show(isJsonObject(item) ? item : {}));
}

function shownMap(value: JsonValue | undefined, show: Show): JsonValue {
  if (!isJsonObject(value)) return null;
  const entries = Object.entries(value).sort(([a], [b]) => compareGoStrings(a, b));
  return Object.fromEntries(entries.map(([key, one]) => [key, show(one)]));
}
