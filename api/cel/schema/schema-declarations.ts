/**
 * The types that a schema gives to expressions, and how large the values of each can be: that is
 * what the cost of a rule is estimated from before there is any object. The fields that every object has
 * get theirs from schemas that are made here.
 *
 * In Kubernetes: SchemaDeclType, apiserver/pkg/cel/common/schemas.go, and DeclType,
 * apiserver/pkg/cel/types.go.
 */
import type { SchemaType, StructuralSchema } from '../../structural-schema/structural-schema.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  structType,
  TIMESTAMP,
} from '../cel-type.ts';
import type { StructTypes } from '../declarations.ts';
import { escapeName, escapeReserved } from './escaping.ts';

/** Of a type and nothing else. */
function plainSchema(
  type: SchemaType,
  properties: ReadonlyMap<string, StructuralSchema> = new Map(),
): StructuralSchema {
  return {
    type,
    title: '',
    description: '',
    nullable: false,
    default: undefined,
    properties,
    items: undefined,
    additionalProperties: undefined,
    extensions: {
      preserveUnknownFields: false,
      embeddedResource: false,
      intOrString: false,
      listType: undefined,
      listMapKeys: [],
      mapType: undefined,
      validations: [],
    },
    values: undefined,
  };
}

/** The CEL type that a schema of a custom resource declares, with those of what is in it. */
export interface SchemaDeclaration {
  /** Of what is neither a list nor a map nor an object. */
  readonly type: CelType;
  /** Of lists and maps. */
  readonly element: SchemaDeclaration | undefined;
  /** Whether `element` is that of the values of a map; false for a list. */
  readonly isMap: boolean;
  /** Of objects, by the names that expressions use. */
  readonly fields: ReadonlyMap<string, SchemaDeclaration> | undefined;
  /** Characters, items or entries; 0 for what has no size. */
  readonly elementsMax: number;
  /** The length of the shortest JSON. */
  readonly bytesMin: number;
}

const REQUEST_BYTES_MAX = 3 * 1024 * 1024;

function simple(type: CelType, bytesMin: number, elementsMax = 0): SchemaDeclaration {
  return { type, element: undefined, isMap: false, fields: undefined, elementsMax, bytesMin };
}

/** The keys of maps. */
export const KEY_DECLARATION = simple(STRING, 2);

const known = new WeakMap<StructuralSchema, SchemaDeclaration | null>();
const knownRoots = new WeakMap<StructuralSchema, SchemaDeclaration | null>();

/**
 * undefined: expressions do not see such values.
 * @param isResource whether the schema is that of a whole object, which has metadata.
 */
export function declarationOf(
  schema: StructuralSchema,
  isResource: boolean,
): SchemaDeclaration | undefined {
  const cache = isResource ? knownRoots : known;
  let found = cache.get(schema);
  if (found === undefined) {
    found = declare(isResource ? withMetadata(schema) : schema) ?? null;
    cache.set(schema, found);
  }
  return found ?? undefined;
}

function declare(schema: StructuralSchema): SchemaDeclaration | undefined {
  if (schema.extensions.intOrString) return declareIntOrString(schema);
  switch (schema.type) {
    case 'array':
      return declareList(schema);
    case 'object':
      return declareObject(schema);
    case 'string':
      return declareString(schema);
    case 'boolean':
      return simple(BOOL, 4);
    case 'number':
      return simple(DOUBLE, 1);
    case 'integer':
      return simple(INT, 1);
    case '':
      return undefined;
  }
}

function declareIntOrString({ values }: StructuralSchema): SchemaDeclaration {
  const lengthMax = values?.maxLength;
  return simple(
    DYN,
    1,
    lengthMax === undefined ? REQUEST_BYTES_MAX - 2 : 4 * notBelowZero(lengthMax),
  );
}

function declareList({ items, values }: StructuralSchema): SchemaDeclaration | undefined {
  const element = items && declarationOf(items, items.extensions.embeddedResource);
  if (element === undefined) return undefined;
  const itemsMax = values?.maxItems;
  const estimate = Math.floor((REQUEST_BYTES_MAX - 2) / (element.bytesMin + 1));
  return {
    type: DYN,
    element,
    isMap: false,
    fields: undefined,
    elementsMax: itemsMax === undefined ? estimate : notBelowZero(itemsMax),
    bytesMin: 2,
  };
}

function declareObject(schema: StructuralSchema): SchemaDeclaration | undefined {
  const { additionalProperties, values } = schema;
  if (additionalProperties === undefined || additionalProperties === true) {
    return declareFields(schema);
  }
  const { embeddedResource } = additionalProperties.extensions;
  const element = declarationOf(additionalProperties, embeddedResource);
  if (element === undefined) return undefined;
  const propertiesMax = values?.maxProperties;
  const estimate = Math.floor((REQUEST_BYTES_MAX - 2) / (element.bytesMin + 6));
  return {
    type: DYN,
    element,
    isMap: true,
    fields: undefined,
    elementsMax: propertiesMax === undefined ? estimate : notBelowZero(propertiesMax),
    bytesMin: 2,
  };
}

function declareFields({ properties, values }: StructuralSchema): SchemaDeclaration {
  const required = new Set(values?.required);
  const fields = new Map<string, SchemaDeclaration>();
  let bytesMin = 2;
  for (const [name, property] of properties) {
    const field = declarationOf(property, property.extensions.embeddedResource);
    if (field === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, field);
    if (required.has(name) && property.default === undefined) {
      bytesMin += Buffer.byteLength(name) + field.bytesMin + 4;
    }
  }
  return { type: DYN, element: undefined, isMap: false, fields, elementsMax: 0, bytesMin };
}

function declareString({ values }: StructuralSchema): SchemaDeclaration {
  const lengthMax = values?.maxLength;
  switch (values?.format) {
    case 'byte':
      return simple(
        BYTES,
        2,
        lengthMax === undefined ? REQUEST_BYTES_MAX - 2 : notBelowZero(lengthMax),
      );
    case 'duration':
      return simple(DURATION, 3, 32);
    case 'date':
      return simple(TIMESTAMP, 12, 12);
    case 'date-time':
      return simple(TIMESTAMP, 21, 32);
    default:
  }
  if (lengthMax !== undefined) return simple(STRING, 2, 4 * notBelowZero(lengthMax));
  const allowed = values?.enum ?? [];
  if (allowed.length === 0) return simple(STRING, 2, REQUEST_BYTES_MAX - 2);
  const lengths = allowed.map((value) =>
    typeof value === 'string' ? Buffer.byteLength(value) : 0,
  );
  return simple(STRING, 2, Math.max(...lengths));
}

function notBelowZero(value: number): number {
  return Math.max(0, value);
}

/** With `apiVersion`, `kind` and the names in `metadata`, which every object has. */
export function withMetadata(schema: StructuralSchema): StructuralSchema {
  const typeOf = (of: StructuralSchema | undefined, name: string): string =>
    of?.properties.get(name)?.type ?? '';
  const metadata = schema.properties.get('metadata');
  const isComplete =
    typeOf(schema, 'kind') === 'string' &&
    typeOf(schema, 'apiVersion') === 'string' &&
    metadata?.type === 'object' &&
    typeOf(metadata, 'name') === 'string' &&
    typeOf(metadata, 'generateName') === 'string';
  if (isComplete) return schema;
  const cached = completed.get(schema);
  if (cached !== undefined) return cached;
  const string = plainSchema('string');
  const names = new Map([
    ['name', string],
    ['generateName', string],
  ]);
  const properties = new Map([
    ...schema.properties,
    ['kind', string] as const,
    ['apiVersion', string] as const,
    ['metadata', plainSchema('object', names)] as const,
  ]);
  const whole = { ...schema, properties };
  completed.set(schema, whole);
  return whole;
}

const completed = new WeakMap<StructuralSchema, StructuralSchema>();

/**
 * The types below one declaration. An object has the name of the place where it is, which only
 * messages show.
 */
export class DeclaredStructs implements StructTypes {
  readonly #declarations = new Map<string, SchemaDeclaration>();
  readonly root: CelType;

  constructor(root: SchemaDeclaration, name: string) {
    this.root = this.#typeOf(root, name);
  }

  has(name: string): boolean {
    return this.#declarations.has(name);
  }

  fieldType(name: string, field: string): CelType | undefined {
    const fields = this.#declarations.get(name)?.fields;
    // A reserved word that is a field may be written as it is.
    const declaration = fields?.get(field) ?? fields?.get(escapeReserved(field));
    return declaration && this.#typeOf(declaration, `${name}.${field}`);
  }

  #typeOf({ type, element, isMap, fields }: SchemaDeclaration, name: string): CelType {
    if (element !== undefined) {
      const elementType = this.#typeOf(element, `${name}.${isMap ? '@elem' : '@idx'}`);
      return isMap ? mapOf(STRING, elementType) : listOf(elementType);
    }
    if (fields === undefined) return type;
    if (!this.#declarations.has(name)) {
      const declaration = { type, element, isMap, fields, elementsMax: 0, bytesMin: 0 };
      this.#declarations.set(name, declaration);
    }
    return structType(name);
  }
}
