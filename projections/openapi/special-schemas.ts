/**
 * The schemas of types whose JSON form is not the form of their fields, and the names under
 * which documents hold them.
 *
 * In Kubernetes: the OpenAPISchemaType and OpenAPIV3OneOfTypes methods of these types.
 */
import type { JsonObject } from '../../api/json/json.ts';
import type { SpecialKind } from '../../api/scheme/field-type.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const IDS: Readonly<Record<SpecialKind, string>> = {
  time: `${META}.Time`,
  microtime: `${META}.MicroTime`,
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  intOrString: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  rawJson: `${EXTENSIONS}.JSON`,
  rawExtension: 'io.k8s.apimachinery.pkg.runtime.RawExtension',
  fieldsV1: `${META}.FieldsV1`,
  jsonSchemaPropsOrBool: `${EXTENSIONS}.JSONSchemaPropsOrBool`,
  jsonSchemaPropsOrArray: `${EXTENSIONS}.JSONSchemaPropsOrArray`,
  jsonSchemaPropsOrStringArray: `${EXTENSIONS}.JSONSchemaPropsOrStringArray`,
};

const SCHEMAS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  [IDS.time, { type: 'string', format: 'date-time' }],
  [IDS.microtime, { type: 'string', format: 'date-time' }],
  [`${META}.Duration`, { type: 'string' }],
  [IDS.quantity, { oneOf: [{ type: 'string' }, { type: 'number' }] }],
  [IDS.intOrString, { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }],
  [IDS.rawJson, {}],
  [IDS.rawExtension, { type: 'object' }],
  [IDS.fieldsV1, { type: 'object' }],
  [IDS.jsonSchemaPropsOrBool, {}],
  [IDS.jsonSchemaPropsOrArray, {}],
  [IDS.jsonSchemaPropsOrStringArray, {}],
  [`${META}.Patch`, { type: 'object' }],
]);

/** The name of a special type's schema. */
export function specialTypeId(kind: SpecialKind): string {
  return IDS[kind];
}

/** A new object each time, so that its reader may add to it; undefined for an ordinary type. */
export function specialSchema(id: string): JsonObject | undefined {
  const schema = SCHEMAS.get(id);
  return schema === undefined ? undefined : structuredClone(schema);
}
