/**
 * Makes the one OpenAPI v2 document of the whole API, which older clients and Helm still read.
 * Defaults are left out on purpose, as upstream does: old clients apply them where they must not.
 *
 * In Kubernetes: kube-openapi's builder, PruneDefaults and deduplicateParameters.
 */
import { formatJson } from '../../api/json/json-text.ts';
import { isJsonObject } from '../../api/json/json.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { setOwn } from '../../api/json/own-property.ts';
import type { ApiDocument } from './api-operations.ts';
import { collectTypes } from './openapi-v3.ts';
import { RESPONSE_NAMES, byPath, isSame, sharedParameters } from './operation.ts';
import { operationDescription } from './operation-description.ts';
import type { Operation, Parameter } from './operation.ts';
import { specialTypeId } from './special-schemas.ts';
import type { SchemaLibrary, Schemas } from './schema-library.ts';
import { sharedName } from './shared-name.ts';
import { SCHEMA_REFERENCE } from './type-schema.ts';

const DEFINITION_REFERENCE = '#/definitions/';
const PARAMETER_REFERENCE = '#/parameters/';
/** Old versions of kubectl look for these two in the operations themselves. */
const NEVER_SHARED: ReadonlySet<string> = new Set(['dryRun', 'fieldValidation', 'name']);
const SHARED_BODIES = 'io.k8s.apimachinery.';
const SECURITY = {
  BearerToken: {
    description: 'Bearer Token authentication',
    type: 'apiKey',
    name: 'authorization',
    in: 'header',
  },
};

export function openApiV2(documents: readonly ApiDocument[], library: SchemaLibrary): JsonObject {
  const writer = new PathWriter(library);
  const typeIds = new Set<string>();
  for (const document of documents) {
    const operations = document.operations();
    for (const [path, ofPath] of byPath(operations)) writer.add(path, ofPath);
    for (const operation of operations) collectTypes(operation, typeIds);
  }
  const groupVersions = documents
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap(({ groupVersion }) => groupVersion ?? []);
  const definitions: JsonObject = {};
  for (const id of library.reachable(typeIds)) {
    definitions[id] = definition(id, library.schema(id, groupVersions));
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: sorted(writer.paths),
    definitions,
    parameters: sorted(writer.shared),
    securityDefinitions: SECURITY,
    security: [{ BearerToken: [] }],
  };
}

/** What one kind adds to the document; parameters and types of others are there already. */
export interface V2Part {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
  readonly parameters: JsonObject;
}

/** @param schemas by the names of their types, in the words of v3. */
export function openApiV2Part(
  operations: readonly Operation[],
  schemas: ReadonlyMap<string, JsonObject>,
  library: Parameters,
): V2Part {
  const writer = new PathWriter(library);
  for (const [path, ofPath] of byPath(operations)) writer.add(path, ofPath);
  const definitions: JsonObject = {};
  for (const [id, schema] of schemas) definitions[id] = translated(schema);
  return { paths: writer.paths, definitions, parameters: writer.shared };
}

type Parameters = Pick<Schemas, 'parameterDescription'>;

class PathWriter {
  readonly paths: JsonObject = {};
  /** Parameters that many operations have, under names made of their own content. */
  readonly shared: JsonObject = {};
  readonly #parameters = new Map<Parameter, JsonObject>();
  readonly #library: Parameters;

  constructor(library: Parameters) {
    this.#library = library;
  }

  add(path: string, operations: readonly Operation[]): void {
    const ofPath = sharedParameters(operations);
    const item: JsonObject = {};
    for (const operation of operations) {
      item[operation.method] = this.#operation(operation, ofPath);
    }
    if (ofPath.length > 0) item['parameters'] = ofPath.map((one) => this.#parameter(one));
    this.paths[path] = item;
  }

  #operation(operation: Operation, ofPath: readonly Parameter[]): JsonObject {
    const { tag, operationId, action, gvk, consumes, produces } = operation;
    const description = operationDescription(operation);
    const responses: JsonObject = {};
    for (const [code, typeId] of operation.responses) {
      responses[code] = { description: RESPONSE_NAMES[code], schema: schemaOf(typeId) };
    }
    responses['401'] = { description: RESPONSE_NAMES['401'] };
    const parameters = this.#own(operation, ofPath);
    return {
      ...(consumes.length === 0 ? {} : { consumes: [...consumes] }),
      produces: [...produces],
      schemes: ['https'],
      tags: [tag],
      ...(description === undefined ? {} : { description }),
      operationId,
      ...(parameters.length === 0 ? {} : { parameters }),
      responses,
      ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
      ...(gvk === undefined ? {} : { 'x-kubernetes-group-version-kind': { ...gvk } }),
    };
  }

  /** Sorted by name, the body among them. */
  #own(operation: Operation, ofPath: readonly Parameter[]): JsonObject[] {
    const own = operation.parameters
      .filter((one) => !ofPath.some((other) => isSame(one, other)))
      .map((one): readonly [string, JsonObject] => [one.name, this.#parameter(one)]);
    if (operation.body !== undefined) own.push(['body', this.#body(operation.body)]);
    return own.sort(([left], [right]) => (left < right ? -1 : 1)).map(([, object]) => object);
  }

  #body({ typeId, required }: NonNullable<Operation['body']>): JsonObject {
    const object: JsonObject = {
      name: 'body',
      in: 'body',
      ...(required ? { required } : {}),
      schema: schemaOf(typeId),
    };
    return typeId.startsWith(SHARED_BODIES) ? this.#share('body', object) : object;
  }

  #parameter(parameter: Parameter): JsonObject {
    const known = this.#parameters.get(parameter);
    if (known !== undefined) return known;
    const object = this.#written(parameter);
    this.#parameters.set(parameter, object);
    return object;
  }

  #written(parameter: Parameter): JsonObject {
    const description = this.#library.parameterDescription(parameter);
    const object: JsonObject = {
      uniqueItems: true,
      type: parameter.type,
      ...(description === undefined ? {} : { description }),
      name: parameter.name,
      in: parameter.in,
      ...(parameter.in === 'path' ? { required: true } : {}),
    };
    return NEVER_SHARED.has(parameter.name) ? object : this.#share(parameter.name, object);
  }

  #share(name: string, object: JsonObject): JsonObject {
    const key = sharedName(name, formatJson(object));
    this.shared[key] = object;
    return { $ref: PARAMETER_REFERENCE + key };
  }
}

function schemaOf(typeId: string | undefined): JsonObject {
  return typeId === undefined ? { type: 'string' } : { $ref: DEFINITION_REFERENCE + typeId };
}

/** The schema in v2's words, which knows no alternatives between types. */
function definition(id: string, schema: JsonObject): JsonObject {
  const made = translated(schema);
  const isQuantity = id === specialTypeId('quantity');
  if (!isQuantity && id !== specialTypeId('intOrString')) return made;
  const { oneOf: _, ...rest } = made;
  return { ...rest, type: 'string' };
}

function translated(schema: JsonObject): JsonObject {
  const made: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || key === 'default') continue;
    if (key === 'allOf') Object.assign(made, translated(onlyObject(value)));
    else if (key === '$ref') made[key] = reference(value);
    else if (key === 'properties') made[key] = translatedProperties(onlyObject(value));
    else made[key] = isNested(key) && isJsonObject(value) ? translated(value) : value;
  }
  return made;
}

function translatedProperties(properties: JsonObject): JsonObject {
  const made: JsonObject = {};
  for (const [name, schema] of Object.entries(properties)) {
    if (isJsonObject(schema)) setOwn(made, name, translated(schema));
  }
  return made;
}

function isNested(key: string): boolean {
  return key === 'items' || key === 'additionalProperties';
}

/** The object itself, or the single one of a list. */
function onlyObject(value: JsonValue): JsonObject {
  const one = Array.isArray(value) ? value[0] : value;
  return isJsonObject(one) ? one : {};
}

function reference(value: JsonValue): string {
  const id = typeof value === 'string' ? value.slice(SCHEMA_REFERENCE.length) : '';
  return DEFINITION_REFERENCE + id;
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}
