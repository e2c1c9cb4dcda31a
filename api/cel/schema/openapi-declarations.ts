/**
 * The types that a schema of an OpenAPI document gives to expressions. References are followed; one
 * that leads back to where it came from is an object of which nothing is known.
 *
 * In Kubernetes: PopulateRefs, apiserver/pkg/cel/openapi/resolver, and SchemaDeclType,
 * apiserver/pkg/cel/common/schemas.go.
 */
import { isJsonObject, listAt, objectAt, stringAt, type JsonObject } from '../../json/json.ts';
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, STRING, TIMESTAMP } from '../cel-type.ts';
import { escapeName } from './escaping.ts';
import type { SchemaDeclaration } from './schema-declarations.ts';

/** The schema that a reference means, as it stands in the document. */
export type SchemaOf = (reference: string) => JsonObject | undefined;

const OBJECT: JsonObject = { type: 'object' };
const TEXT: JsonObject = { type: 'string' };
const NAMES: JsonObject = { type: 'object', properties: { name: TEXT, generateName: TEXT } };

/** Those of the documents that belong together: what one has worked out, all use. */
export class OpenApiDeclarations {
  readonly #schemaOf: SchemaOf;
  /** By reference, of those that do not lead back to anything. */
  readonly #known = new Map<string, SchemaDeclaration | undefined>();
  /** Those that lead to where we are. */
  readonly #visited = new Set<string>();
  /** How often a reference led back. */
  #cycles = 0;

  constructor(schemaOf: SchemaOf) {
    this.#schemaOf = schemaOf;
  }

  /**
   * @param schema of a whole object.
   * @returns undefined: expressions do not see such values.
   */
  of(schema: JsonObject): SchemaDeclaration | undefined {
    return this.#declare(schema, true);
  }

  #declare(schema: JsonObject, isResource = isEmbedded(schema)): SchemaDeclaration | undefined {
    const reference = referenceOf(schema);
    if (reference === undefined) return this.#declared(schema, isResource);
    if (this.#known.has(reference)) return this.#known.get(reference);
    if (this.#visited.has(reference)) {
      this.#cycles += 1;
      return this.#declared(OBJECT, isResource);
    }
    const found = this.#schemaOf(reference);
    if (found === undefined) return undefined;
    const before = this.#cycles;
    this.#visited.add(reference);
    const declaration = this.#declared(found, isEmbedded(found));
    this.#visited.delete(reference);
    if (this.#cycles === before) this.#known.set(reference, declaration);
    return declaration;
  }

  #declared(schema: JsonObject, isResource: boolean): SchemaDeclaration | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) return simple(DYN);
    const whole = isResource ? this.#withNames(schema) : schema;
    switch (stringAt(whole, 'type')) {
      case 'array':
        return this.#elements(objectAt(whole, 'items'), false);
      case 'object':
        return isJsonObject(whole['additionalProperties'])
          ? this.#elements(whole['additionalProperties'], true)
          : this.#fields(whole);
      case 'string':
        return simple(FORMATS.get(stringAt(whole, 'format')) ?? STRING);
      case 'boolean':
        return simple(BOOL);
      case 'number':
        return simple(DOUBLE);
      case 'integer':
        return simple(INT);
      default:
        return undefined;
    }
  }

  #elements(of: JsonObject | undefined, isMap: boolean): SchemaDeclaration | undefined {
    const element = of && this.#declare(of);
    return element && { ...simple(DYN), element, isMap };
  }

  #fields(schema: JsonObject): SchemaDeclaration {
    const fields = new Map<string, SchemaDeclaration>();
    for (const [name, property] of Object.entries(objectAt(schema, 'properties') ?? {})) {
      const field = isJsonObject(property) ? this.#declare(property) : undefined;
      const escaped = escapeName(name);
      if (field !== undefined && escaped !== undefined) fields.set(escaped, field);
    }
    return { ...simple(DYN), fields };
  }

  /** What every object has. */
  #withNames(schema: JsonObject): JsonObject {
    const properties = objectAt(schema, 'properties');
    const metadata = objectAt(properties, 'metadata');
    const isText = (parent: JsonObject | undefined, name: string): boolean =>
      stringAt(objectAt(parent, name), 'type') === 'string';
    const names = objectAt(this.#followed(metadata), 'properties');
    const isComplete =
      isText(properties, 'kind') &&
      isText(properties, 'apiVersion') &&
      isText(names, 'name') &&
      isText(names, 'generateName');
    if (isComplete) return schema;
    return {
      ...schema,
      properties: { ...properties, kind: TEXT, apiVersion: TEXT, metadata: NAMES },
    };
  }

  #followed(schema: JsonObject | undefined): JsonObject | undefined {
    const reference = schema && referenceOf(schema);
    return reference === undefined ? schema : this.#schemaOf(reference);
  }
}

const FORMATS = new Map([
  ['byte', BYTES],
  ['duration', DURATION],
  ['date', TIMESTAMP],
  ['date-time', TIMESTAMP],
]);

/** How large values are is not asked here. */
function simple(type: SchemaDeclaration['type']): SchemaDeclaration {
  return { type, element: undefined, isMap: false, fields: undefined, elementsMax: 0, bytesMin: 0 };
}

function isEmbedded(schema: JsonObject): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

/** Its own, or the one that it wraps to have something beside it. */
function referenceOf(schema: JsonObject): string | undefined {
  const { $ref } = schema;
  if (typeof $ref === 'string') return $ref;
  return listAt(schema, 'allOf')
    .filter(isJsonObject)
    .map(referenceOf)
    .find((one) => one !== undefined);
}
