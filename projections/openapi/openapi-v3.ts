/**
 * Writes an OpenAPI v3 document: the paths of one group version and every schema that they reach.
 * It is put together from text and not from objects, because its parts repeat hundreds of times.
 *
 * In Kubernetes: kube-openapi's builder3.
 */
import { formatJson } from '../../api/json/json-text.ts';
import type { ApiDocument } from './api-operations.ts';
import { RESPONSE_NAMES, byPath, isSame, sharedParameters } from './operation.ts';
import { operationDescription } from './operation-description.ts';
import type { Operation, Parameter } from './operation.ts';
import type { Schemas } from './schema-library.ts';
import { SCHEMA_REFERENCE } from './type-schema.ts';

const INFO = { title: 'Kubernetes', version: 'unversioned' };
const SECURITY = {
  BearerToken: {
    type: 'apiKey',
    description: 'Bearer Token authentication',
    name: 'authorization',
    in: 'header',
  },
};

/** The document as JSON text. */
export function writeOpenApiV3(document: ApiDocument, library: Schemas): string {
  const writer = new PathWriter(library);
  const paths: string[] = [];
  const typeIds = new Set<string>();
  for (const [path, operations] of byPath(document.operations())) {
    paths.push(`${formatJson(path)}:${writer.pathItem(operations)}`);
    for (const operation of operations) collectTypes(operation, typeIds);
  }
  const schemas = library
    .reachable(typeIds)
    .map((id) => `${formatJson(id)}:${library.text(id, document.groupVersion)}`);
  const components = schemas.length === 0 ? '' : `"schemas":{${schemas.join(',')}},`;
  const info = formatJson(document.info ?? INFO);
  return (
    `{"openapi":"3.0.0","info":${info},` +
    `"paths":{${paths.join(',')}},` +
    `"components":{${components}"securitySchemes":${formatJson(SECURITY)}}}`
  );
}

/** Adds the types that an operation speaks of. */
export function collectTypes(operation: Operation, typeIds: Set<string>): void {
  if (operation.body !== undefined) typeIds.add(operation.body.typeId);
  for (const id of operation.responses.values()) if (id !== undefined) typeIds.add(id);
}

/** Writes the operations of one document, each part that repeats only once. */
class PathWriter {
  readonly #contents = new Map<string, string>();
  readonly #parameters = new Map<Parameter, string>();
  readonly #library: Schemas;

  constructor(library: Schemas) {
    this.#library = library;
  }

  pathItem(operations: readonly Operation[]): string {
    const shared = sharedParameters(operations);
    const parts = operations.map((one) => `"${one.method}":${this.#operation(one, shared)}`);
    if (shared.length > 0) parts.push(`"parameters":${this.#list(shared)}`);
    return `{${parts.join(',')}}`;
  }

  #operation(operation: Operation, shared: readonly Parameter[]): string {
    const { tag, operationId, action, gvk, body } = operation;
    const own = operation.parameters.filter((one) => !shared.some((other) => isSame(one, other)));
    const description = operationDescription(operation);
    const parts = [`"tags":[${formatJson(tag)}],"operationId":${formatJson(operationId)}`];
    if (description !== undefined) parts.push(`"description":${formatJson(description)}`);
    if (own.length > 0) parts.push(`"parameters":${this.#list(own)}`);
    if (body !== undefined) {
      const required = body.required ? ',"required":true' : '';
      const content = this.#content(operation.consumes, body.typeId);
      parts.push(`"requestBody":{"content":${content}${required}}`);
    }
    parts.push(`"responses":{${this.#responses(operation)}}`);
    if (action !== undefined) parts.push(`"x-kubernetes-action":"${action}"`);
    if (gvk !== undefined) {
      parts.push(`"x-kubernetes-group-version-kind":${formatJson(gvk)}`);
    }
    return `{${parts.join(',')}}`;
  }

  #responses(operation: Operation): string {
    const parts: string[] = [];
    for (const [code, typeId] of operation.responses) {
      const content = this.#content(operation.produces, typeId);
      parts.push(`"${code}":{"description":"${RESPONSE_NAMES[code]}","content":${content}}`);
    }
    return `${parts.join(',')},"401":{"description":"${RESPONSE_NAMES['401']}"}`;
  }

  #content(mediaTypes: readonly string[], typeId: string | undefined): string {
    const key = `${typeId} ${mediaTypes.join()}`;
    const known = this.#contents.get(key);
    if (known !== undefined) return known;
    const schema =
      typeId === undefined ? '"type":"string"' : `"$ref":"${SCHEMA_REFERENCE}${typeId}"`;
    const text = `{${mediaTypes.map((one) => `"${one}":{"schema":{${schema}}}`).join(',')}}`;
    this.#contents.set(key, text);
    return text;
  }

  #list(parameters: readonly Parameter[]): string {
    return `[${parameters.map((one) => this.#parameter(one)).join(',')}]`;
  }

  #parameter(parameter: Parameter): string {
    const known = this.#parameters.get(parameter);
    if (known !== undefined) return known;
    const description = this.#library.parameterDescription(parameter);
    const text = formatJson({
      name: parameter.name,
      in: parameter.in,
      ...(description === undefined ? {} : { description }),
      ...(parameter.in === 'path' ? { required: true } : {}),
      schema: { type: parameter.type, uniqueItems: true },
    });
    this.#parameters.set(parameter, text);
    return text;
  }
}
