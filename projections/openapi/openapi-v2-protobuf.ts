/**
 * The OpenAPI v2 document in protobuf, as Helm and older kubectl ask for it. The messages are those
 * of gnostic's openapiv2/OpenAPIv2.proto; field numbers stand here by the JSON names.
 *
 * In Kubernetes: ToProtoBinary of kube-openapi. Extensions go as YAML text; ours is JSON, which
 * is YAML too.
 */
import { Writer } from 'protobufjs/minimal.js';
import { isJsonObject } from '../../api/meta/json.ts';
import type { JsonObject, JsonValue } from '../../api/meta/json.ts';

/** Writes a value under a field number. */
type Field = (writer: Writer, number: number, value: JsonValue) => void;
type Message = (writer: Writer, value: JsonValue) => void;
interface Layout {
  readonly fields: Readonly<Record<string, readonly [number, Field]>>;
  /** Where keys that begin with `x-` go. */
  readonly extensions?: number;
}

const LENGTH_DELIMITED = 2;

export function encodeOpenApiV2(document: JsonObject): Uint8Array {
  const writer = Writer.create();
  documentMessage(writer, document);
  return writer.finish();
}

const string: Field = (writer, number, value) => {
  if (typeof value === 'string') tag(writer, number).string(value);
};
const boolean: Field = (writer, number, value) => {
  if (value === true) writer.uint32(number << 3).bool(true);
};
const integer: Field = (writer, number, value) => {
  if (typeof value === 'number') writer.uint32(number << 3).int64(value);
};
const double: Field = (writer, number, value) => {
  if (typeof value === 'number') writer.uint32((number << 3) | 1).double(value);
};
const any: Field = (writer, number, value) => {
  tag(writer, number).fork();
  tag(writer, 2).string(JSON.stringify(value));
  writer.ldelim();
};

function tag(writer: Writer, number: number): Writer {
  return writer.uint32((number << 3) | LENGTH_DELIMITED);
}

function one(message: () => Message): Field {
  return (writer, number, value) => {
    tag(writer, number).fork();
    message()(writer, value);
    writer.ldelim();
  };
}

function many(field: Field): Field {
  return (writer, number, value) => {
    if (Array.isArray(value)) for (const item of value) field(writer, number, item);
  };
}

/** A map is a list of pairs; `number` inside is 1 but for the paths. */
function pairs(field: Field, inside = 1): Message {
  return (writer, value) => {
    if (!isJsonObject(value)) return;
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) pair(writer, inside, { key, item, field });
    }
  };
}

interface Pair {
  readonly key: string;
  readonly item: JsonValue;
  readonly field: Field;
}

function pair(writer: Writer, number: number, { key, item, field }: Pair): void {
  tag(writer, number).fork();
  tag(writer, 1).string(key);
  field(writer, 2, item);
  writer.ldelim();
}

function message({ fields, extensions }: Layout): Message {
  return (writer, value) => {
    if (!isJsonObject(value)) return;
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      const known = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (known !== undefined) known[1](writer, known[0], item);
      else if (extensions !== undefined && key.startsWith('x-')) {
        pair(writer, extensions, { key, item, field: any });
      }
    }
  };
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
