/**
 * The OpenAPI v2 document in protobuf, as Helm and older kubectl ask for it. The messages are those
 * of gnostic's openapiv2/OpenAPIv2.proto; field numbers stand here by the JSON names.
 *
 * In Kubernetes: ToProtoBinary of kube-openapi. Extensions go as YAML text; ours is JSON, which
 * is YAML too.
 */
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
  type Message,
} from './gnostic-messages.ts';

export function encodeOpenApiV2(document: JsonObject): Uint8Array {
  return encodedAs(documentMessage, document);
}

const schemaMessage: Message = message({
  fields: {
    $ref: [1, string],
    format: [2, string],
    title: [3, string],
    description: [4, string],
    default: [5, any],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, boolean],
    minimum: [9, double],
    exclusiveMinimum: [10, boolean],
    maxLength: [11, integer],
    minLength: [12, integer],
    pattern: [13, string],
    maxItems: [14, integer],
    minItems: [15, integer],
    uniqueItems: [16, boolean],
    maxProperties: [17, integer],
    minProperties: [18, integer],
    required: [19, many(string)],
    enum: [20, many(any)],
    additionalProperties: [21, one(() => additionalMessage)],
    type: [22, one(() => (writer, value) => string(writer, 1, value))],
    items: [23, one(() => (writer, value) => one(() => schemaMessage)(writer, 1, value))],
    allOf: [24, many(one(() => schemaMessage))],
    properties: [25, one(() => pairs(one(() => schemaMessage)))],
    example: [30, any],
  },
  extensions: 31,
});

const additionalMessage: Message = (writer, value) => {
  if (typeof value === 'boolean') writer.uint32(2 << 3).bool(value);
  else one(() => schemaMessage)(writer, 1, value);
};

const queryMessage = message({
  fields: {
    required: [1, boolean],
    in: [2, string],
    description: [3, string],
    name: [4, string],
    type: [6, string],
    uniqueItems: [20, boolean],
  },
});
const pathMessage = message({
  fields: {
    required: [1, boolean],
    in: [2, string],
    description: [3, string],
    name: [4, string],
    type: [5, string],
    uniqueItems: [19, boolean],
  },
});
const bodyMessage = message({
  fields: {
    description: [1, string],
    name: [2, string],
    in: [3, string],
    required: [4, boolean],
    schema: [5, one(() => schemaMessage)],
  },
});
const referenceMessage = message({ fields: { $ref: [1, string] } });

const parameterMessage: Message = (writer, value) => {
  const place = isJsonObject(value) ? value['in'] : undefined;
  if (place === 'body') return one(() => bodyMessage)(writer, 1, value);
  const [number, inner] = place === 'path' ? [4, pathMessage] : [3, queryMessage];
  tag(writer, 2).fork();
  one(() => inner)(writer, number, value);
  writer.ldelim();
};
const parameterItem: Message = (writer, value) => {
  const isReference = isJsonObject(value) && value['$ref'] !== undefined;
  const [number, inner] = isReference ? [2, referenceMessage] : [1, parameterMessage];
  one(() => inner)(writer, number, value);
};

const responseMessage = message({
  fields: {
    description: [1, string],
    schema: [2, one(() => (writer, value) => one(() => schemaMessage)(writer, 1, value))],
  },
});
const responseItem: Message = (writer, value) => one(() => responseMessage)(writer, 1, value);

const operation = one(() => operationMessage);
const operationMessage: Message = message({
  fields: {
    tags: [1, many(string)],
    summary: [2, string],
    description: [3, string],
    operationId: [5, string],
    produces: [6, many(string)],
    consumes: [7, many(string)],
    parameters: [8, many(one(() => parameterItem))],
    responses: [9, one(() => pairs(one(() => responseItem)))],
    schemes: [10, many(string)],
  },
  extensions: 13,
});
const pathItemMessage = message({
  fields: {
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    options: [6, operation],
    head: [7, operation],
    patch: [8, operation],
    parameters: [9, many(one(() => parameterItem))],
  },
  extensions: 10,
});

const keyMessage = message({
  fields: { type: [1, string], name: [2, string], in: [3, string], description: [4, string] },
});
const securityItem: Message = (writer, value) => one(() => keyMessage)(writer, 2, value);
const strings: Message = (writer, value) => many(string)(writer, 1, value);

const documentMessage = message({
  fields: {
    swagger: [1, string],
    info: [2, one(() => message({ fields: { title: [1, string], version: [2, string] } }))],
    paths: [
      8,
      one(() =>
        pairs(
          one(() => pathItemMessage),
          2,
        ),
      ),
    ],
    definitions: [9, one(() => pairs(one(() => schemaMessage)))],
    parameters: [10, one(() => pairs(one(() => parameterMessage)))],
    security: [12, many(one(() => pairs(one(() => strings))))],
    securityDefinitions: [13, one(() => pairs(one(() => securityItem)))],
  },
  extensions: 16,
});
