/**
 * A document of OpenAPI v3 in protobuf, made of its JSON. The messages are those of gnostic's
 * openapiv3/OpenAPIv3.proto; field numbers stand here by the JSON names.
 *
 * In Kubernetes: ToV3ProtoBinary of kube-openapi.
 */
import { parseJson } from '../../api/json/json-text.ts';
import { isJsonObject } from '../../api/json/json.ts';
import type { JsonObject } from '../../api/json/json.ts';
import {
  any,
  boolean,
  double,
  encodedAs,
  integer,
  many,
  message,
  one,
  pairs,
  string,
  tag,
  type Field,
  type Message,
} from './gnostic-messages.ts';
import { OpenApiBody } from './openapi-view.ts';

const made = new WeakMap<OpenApiBody, OpenApiBody>();

/**
 * The same document in protobuf, made once. It has the hash of the JSON form: clients tell the two
 * apart by their media types.
 */
export function protobufOf(json: OpenApiBody): OpenApiBody {
  let body = made.get(json);
  if (body === undefined) {
    const document = parseJson(Buffer.from(json.bytes).toString()) as JsonObject; // Our own.
    body = new OpenApiBody(encodeOpenApiV3(document), json.hash);
    made.set(json, body);
  }
  return body;
}

export function encodeOpenApiV3(document: JsonObject): Uint8Array {
  return encodedAs(documentMessage, document);
}

const referenceMessage = message({ fields: { $ref: [1, string] } });

/** Either is in a message around it. */
function orReference(inner: () => Message): Field {
  return one(() => (writer, value) => {
    const isReference = isJsonObject(value) && value['$ref'] !== undefined;
    if (isReference) one(() => referenceMessage)(writer, 2, value);
    else one(inner)(writer, 1, value);
  });
}

const schema: Field = orReference(() => schemaMessage);

/** What is neither a number, a truth value nor a text is left empty, as gnostic leaves it. */
const defaultMessage: Message = (writer, value) => {
  if (typeof value === 'number') writer.uint32((1 << 3) | 1).double(value);
  else if (typeof value === 'boolean') writer.uint32(2 << 3).bool(value);
  else if (typeof value === 'string') tag(writer, 3).string(value);
};

const additionalMessage: Message = (writer, value) => {
  if (typeof value === 'boolean') writer.uint32(2 << 3).bool(value);
  else schema(writer, 1, value);
};

const schemaMessage: Message = message({
  fields: {
    nullable: [1, boolean],
    externalDocs: [6, one(() => externalDocsMessage)],
    example: [7, any],
    title: [9, string],
    multipleOf: [10, double],
    maximum: [11, double],
    exclusiveMaximum: [12, boolean],
    minimum: [13, double],
    exclusiveMinimum: [14, boolean],
    maxLength: [15, integer],
    minLength: [16, integer],
    pattern: [17, string],
    maxItems: [18, integer],
    minItems: [19, integer],
    uniqueItems: [20, boolean],
    maxProperties: [21, integer],
    minProperties: [22, integer],
    required: [23, many(string)],
    enum: [24, many(any)],
    type: [25, string],
    allOf: [26, many(schema)],
    oneOf: [27, many(schema)],
    anyOf: [28, many(schema)],
    not: [29, one(() => schemaMessage)],
    items: [30, one(() => (writer, value) => schema(writer, 1, value))],
    properties: [31, one(() => pairs(schema))],
    additionalProperties: [32, one(() => additionalMessage)],
    default: [33, one(() => defaultMessage)],
    description: [34, string],
    format: [35, string],
  },
  extensions: 36,
});

const externalDocsMessage = message({ fields: { description: [1, string], url: [2, string] } });

const content = one(() => pairs(one(() => message({ fields: { schema: [1, schema] } }))));

const parameter = orReference(() => parameterMessage);
const parameterMessage = message({
  fields: {
    name: [1, string],
    in: [2, string],
    description: [3, string],
    required: [4, boolean],
    schema: [10, schema],
  },
});

const requestBody = orReference(() => requestBodyMessage);
const requestBodyMessage = message({
  fields: { description: [1, string], content: [2, content], required: [3, boolean] },
});

const response = orReference(() => responseMessage);
const responseMessage = message({ fields: { description: [1, string], content: [3, content] } });

const responsesMessage: Message = (writer, value) => {
  if (!isJsonObject(value)) return;
  const { default: otherwise, ...byCode } = value;
  if (otherwise !== undefined) response(writer, 1, otherwise);
  pairs(response, 2)(writer, byCode);
};

const operation = one(() => operationMessage);
const operationMessage = message({
  fields: {
    tags: [1, many(string)],
    summary: [2, string],
    description: [3, string],
    operationId: [5, string],
    parameters: [6, many(parameter)],
    requestBody: [7, requestBody],
    responses: [8, one(() => responsesMessage)],
    deprecated: [10, boolean],
  },
  extensions: 13,
});

const pathItemMessage = message({
  fields: {
    get: [4, operation],
    put: [5, operation],
    post: [6, operation],
    delete: [7, operation],
    options: [8, operation],
    head: [9, operation],
    patch: [10, operation],
    parameters: [13, many(parameter)],
  },
  extensions: 14,
});

const securitySchemeMessage = message({
  fields: { type: [1, string], description: [2, string], name: [3, string], in: [4, string] },
});

const componentsMessage = message({
  fields: {
    schemas: [1, one(() => pairs(schema))],
    responses: [2, one(() => pairs(response))],
    parameters: [3, one(() => pairs(parameter))],
    securitySchemes: [7, one(() => pairs(orReference(() => securitySchemeMessage)))],
  },
});

const texts: Field = one(() => (writer, value) => {
  many(string)(writer, 1, value);
});

const documentMessage = message({
  fields: {
    openapi: [1, string],
    info: [
      2,
      one(() =>
        message({ fields: { title: [1, string], description: [2, string], version: [6, string] } }),
      ),
    ],
    paths: [4, one(() => pairs(one(() => pathItemMessage)))],
    components: [5, one(() => componentsMessage)],
    security: [6, many(one(() => pairs(texts)))],
  },
  extensions: 9,
});
