/**
 * The OpenAPI v3 document of a group version whose server has one of v2 alone, so that clients which read v3
 * first, as `kubectl explain` does, find its types.
 *
 * The surprise: a reference with anything beside it goes into an `allOf`, since v3 passes over what stands beside
 * a reference.
 *
 * In Kubernetes: kube-openapi/pkg/openapiconv, which puts the paths of the whole server into each document, and
 * loses shared parameters.
 */
import {
  isJsonObject,
  itemsAt,
  objectAt,
  type JsonObject,
  type JsonValue,
} from '../../api/json/json.ts';
import { setOwn } from '../../api/json/own-property.ts';
import {
  flatMapItems,
  forEachKey,
  keysOf,
  remembered,
  untilDone,
} from '../../api/json/work-in-slices.ts';

/**
 * May pause as work in slices: a document may have megabytes.
 *
 * @param v2 is taken over, and changed. @param prefix with which the paths of the group version begin.
 */
export function openApiV3Of(v2: JsonObject, prefix: string): JsonObject {
  moveReferences(v2);
  const { info = {}, externalDocs, produces } = v2;
  const components = {
    ...partOf('schemas', objectAt(v2, 'definitions'), (schema) => schema),
    ...partOf('parameters', objectAt(v2, 'parameters'), parameterOf),
    ...partOf('responses', objectAt(v2, 'responses'), (one) => responseOf(one, produces)),
    ...partOf('securitySchemes', objectAt(v2, 'securityDefinitions'), securityOf),
  };
  const paths = objectAt(v2, 'paths') ?? {};
  const own = flatMapItems(keysOf(paths), (path) => {
    const { [path]: item } = paths;
    const isOwn = path === prefix || path.startsWith(`${prefix}/`);
    return isOwn && item !== undefined ? [[path, item] as const] : [];
  });
  return {
    openapi: '3.0.0',
    info,
    ...(externalDocs === undefined ? {} : { externalDocs }),
    paths: mapped(Object.fromEntries(own), (item) => pathItemOf(item, v2)),
    components,
  };
}

const MOVED = [
  ['#/definitions/', '#/components/schemas/'],
  ['#/parameters/', '#/components/parameters/'],
  ['#/responses/', '#/components/responses/'],
] as const;

/** Without recursion, since documents of others may be deep. */
function moveReferences(root: JsonObject): void {
  const open = remembered((): JsonValue[] => [root]);
  untilDone(() => {
    const value = open.pop();
    if (value === undefined) return 'done';
    if (isJsonObject(value)) moveReference(value);
    const items = typeof value === 'object' && value !== null ? Object.values(value) : [];
    for (const item of items) if (item !== undefined) open.push(item);
    return 'go on';
  });
}

function moveReference(holder: JsonObject): void {
  const { $ref: reference } = holder;
  if (typeof reference !== 'string') return;
  const [from, to] = MOVED.find(([start]) => reference.startsWith(start)) ?? ['', ''];
  const moved = to + reference.slice(from.length);
  const isAlone = Object.keys(holder).length === 1;
  if (isAlone || to !== MOVED[0][1]) {
    holder['$ref'] = moved;
    return;
  }
  delete holder['$ref'];
  holder['allOf'] = [{ $ref: moved }];
}

function pathItemOf(item: JsonObject, v2: JsonObject): JsonObject {
  const parameters = itemsAt(item, 'parameters').map(parameterOf);
  const operations = METHODS.flatMap((method) => {
    const operation = objectAt(item, method);
    return operation === undefined ? [] : [[method, operationOf(operation, v2)] as const];
  });
  return {
    ...extensionsOf(item),
    ...Object.fromEntries(operations),
    ...(parameters.length === 0 ? {} : { parameters }),
  };
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

function operationOf(operation: JsonObject, v2: JsonObject): JsonObject {
  const { consumes = v2['consumes'], produces = v2['produces'] } = operation;
  const all = itemsAt(operation, 'parameters');
  const body = all.find((one) => one['in'] === 'body');
  const parameters = all.filter((one) => one !== body).map(parameterOf);
  const requestBody = body === undefined ? undefined : bodyOf(body, consumes);
  const kept = KEPT.flatMap((key) => {
    const value = operation[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    ...extensionsOf(operation),
    ...Object.fromEntries(kept),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: mapped(objectAt(operation, 'responses') ?? {}, (one) => responseOf(one, produces)),
  };
}

const KEPT = ['tags', 'summary', 'description', 'externalDocs', 'operationId', 'deprecated'];

function bodyOf(body: JsonObject, consumes: JsonValue | undefined): JsonObject {
  const { description, required } = body;
  return {
    ...(description === undefined ? {} : { description }),
    content: contentOf(objectAt(body, 'schema'), consumes),
    ...(required === true ? { required } : {}),
  };
}

function responseOf(response: JsonObject, produces: JsonValue | undefined): JsonObject {
  const { $ref: reference, schema: _schema, examples: _examples, headers, ...rest } = response;
  if (reference !== undefined) return { $ref: reference };
  const schema = objectAt(response, 'schema');
  return {
    ...rest,
    ...(isJsonObject(headers) ? { headers: mapped(headers, headerOf) } : {}),
    ...(schema === undefined ? {} : { content: contentOf(schema, produces) }),
  };
}

function contentOf(schema: JsonObject | undefined, types: JsonValue | undefined): JsonObject {
  const names = (Array.isArray(types) ? types : []).filter((one) => typeof one === 'string');
  const all = names.length === 0 ? ['*/*'] : names;
  const value: JsonObject = schema === undefined ? {} : { schema };
  return Object.fromEntries(all.map((name) => [name, value]));
}

function parameterOf(parameter: JsonObject): JsonObject {
  const { $ref: reference, name, in: place, description, required, allowEmptyValue } = parameter;
  if (reference !== undefined) return { $ref: reference };
  return {
    ...extensionsOf(parameter),
    ...said({ name, in: place, description, required, allowEmptyValue }),
    schema: objectAt(parameter, 'schema') ?? simpleSchema(parameter),
  };
}

function headerOf(header: JsonObject): JsonObject {
  const { description } = header;
  return { ...said({ description }), schema: simpleSchema(header) };
}

/** What a parameter says of itself in v2, and of its schema in v3. */
function simpleSchema(of: JsonObject): JsonObject {
  const { type, format, items, default: value, enum: values, uniqueItems, pattern } = of;
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = of;
  return said({
    ...{ type, format, items, default: value, enum: values, uniqueItems, pattern },
    ...{ minimum, maximum, minLength, maxLength, minItems, maxItems },
  });
}

function securityOf(scheme: JsonObject): JsonObject {
  const { type, description, name, in: place, flow, scopes } = scheme;
  const { authorizationUrl, tokenUrl } = scheme;
  if (type === 'basic') return said({ type: 'http', scheme: 'basic', description });
  const flows =
    typeof flow === 'string'
      ? { [FLOWS.get(flow) ?? flow]: said({ authorizationUrl, tokenUrl, scopes: scopes ?? {} }) }
      : undefined;
  return { ...extensionsOf(scheme), ...said({ type, description, name, in: place, flows }) };
}

const FLOWS: ReadonlyMap<string, string> = new Map([
  ['application', 'clientCredentials'],
  ['accessCode', 'authorizationCode'],
]);

function partOf(
  name: string,
  values: JsonObject | undefined,
  of: (value: JsonObject) => JsonObject,
): JsonObject {
  return values === undefined ? {} : { [name]: mapped(values, of) };
}

/** Names are another server's. What is no object is left out. */
function mapped(values: JsonObject, of: (value: JsonObject) => JsonObject): JsonObject {
  const made = remembered((): JsonObject => ({}));
  forEachKey(values, (name) => {
    const { [name]: value } = values;
    if (isJsonObject(value)) setOwn(made, name, of(value));
    else if (name.startsWith(EXTENSION) && value !== undefined) setOwn(made, name, value);
  });
  return made;
}

const EXTENSION = 'x-';

function extensionsOf(holder: JsonObject): JsonObject {
  const extensions: JsonObject = {};
  for (const [name, value] of Object.entries(holder)) {
    if (name.startsWith(EXTENSION) && value !== undefined) setOwn(extensions, name, value);
  }
  return extensions;
}

/** Without what is not there. */
function said(values: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
