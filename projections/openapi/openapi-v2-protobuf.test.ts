import { existsSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { isJsonObject, itemsAt } from '../../api/json/json.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { resourceFacts } from '../../api/scheme/resource-facts.ts';
import { findKubernetes, parseObject } from '../../tools/generate/golden.fixture.ts';
import { encodeOpenApiV2 } from './openapi-v2-protobuf.ts';
import { OpenApiView } from './openapi-view.ts';

// Messages as upstream's clients know them. The module cache has them wherever it has Kubernetes.
const GNOSTIC = '../../github.com/google/gnostic-models@v0.7.0/openapiv2/OpenAPIv2.proto';
const kubernetes = findKubernetes();
const proto = kubernetes === undefined ? undefined : join(kubernetes, GNOSTIC);
const isMissing = proto === undefined || !existsSync(proto);
if (isMissing) console.warn('SKIPPED gnostic: go mod download github.com/google/gnostic-models');

// Of every type, and of parameters.
const SAID = new Map([
  ['', 'Said "so".'],
  ['limit', 'At most.'],
  ['namespace', 'Where.'],
]);

test('bytes follow the messages', () => {
  // Document { swagger = 1: "2.0", info = 2: Info { title = 1: "K" } }
  const bytes = encodeOpenApiV2({ swagger: '2.0', info: { title: 'K' } });
  expect(Buffer.from(bytes).toString('hex')).toBe('0a03322e30' + '12030a014b');
});

describe.skipIf(isMissing)('read with the messages of gnostic', () => {
  const decode = (bytes: Uint8Array): JsonObject => {
    const type = protobuf.loadSync(proto ?? '').lookupType('openapi.v2.Document');
    return parseObject(JSON.stringify(type.toObject(type.decode(bytes), { longs: Number })));
  };

  test('the served document is what its JSON form says', () => {
    const view = new OpenApiView(resourceFacts(), () => SAID);
    const json = parseObject(view.v2Json().bytes);
    const read = decode(view.v2Protobuf().bytes);
    expect(view.v2Protobuf().hash).toBe(view.v2Json().hash);
    expect(plain(read['paths'], 'path')).toEqual(json['paths']);
    expect(plain(read['definitions'])).toEqual(json['definitions']);
    expect(plain(read['parameters'])).toEqual(json['parameters']);
    expect(JSON.stringify(read['parameters'])).toContain('At most.');
    expect(JSON.stringify(read['parameters'])).toContain('Where.');
    expect(plain(read['securityDefinitions'])).toEqual(json['securityDefinitions']);
    expect(read['info']).toEqual(json['info']);
  });

  test('a schema of a custom resource keeps its rules', () => {
    const schema: JsonObject = {
      type: 'object',
      additionalProperties: false,
      properties: { size: { type: 'integer', minimum: 1.5, maxLength: 7, enum: ['a', 2] } },
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const read = decode(encodeOpenApiV2({ definitions: { Some: schema } }));
    expect(plain(read['definitions'])).toEqual({ Some: schema });
  });
});

/** gnostic's messages back in the form of JSON: lists of pairs are maps, wrappers are opened. */
function plain(value: JsonValue | undefined, pairsAt = 'additionalProperties'): JsonValue {
  if (Array.isArray(value)) return value.map((one) => plain(one));
  if (!isJsonObject(value)) return value ?? null;
  if (typeof value['yaml'] === 'string') return JSON.parse(value['yaml']) as JsonValue;
  if (Array.isArray(value[pairsAt])) return fromPairs(itemsAt(value, pairsAt));
  if (Array.isArray(value['responseCode'])) return fromPairs(itemsAt(value, 'responseCode'));
  const keys = Object.keys(value);
  const only = keys[0];
  if (keys.length === 1 && only !== undefined && WRAPPERS.has(only)) return plain(value[only]);
  const made: JsonObject = {};
  for (const [key, one] of Object.entries(value)) {
    if (key === 'vendorExtension') Object.assign(made, fromPairs(itemsAt(value, key)));
    else made[RENAMED[key] ?? key] = unwrapped(key, one);
  }
  return made;
}

const RENAMED: Readonly<Record<string, string>> = { Ref: '$ref', _ref: '$ref' };
const WRAPPERS: ReadonlySet<string> = new Set([
  'schema',
  'boolean',
  'parameter',
  'jsonReference',
  'bodyParameter',
  'nonBodyParameter',
  'queryParameterSubSchema',
  'pathParameterSubSchema',
  'response',
  'apiKeySecurity',
]);

/** A type and the items of a list stand in lists of one. */
function unwrapped(key: string, value: JsonValue | undefined): JsonValue {
  if (key === 'type' && isJsonObject(value)) return plain(objectFirst(value, 'value'));
  if (key === 'items' && isJsonObject(value)) return plain(objectFirst(value, 'schema'));
  return plain(value);
}

function objectFirst(value: JsonObject, key: string): JsonValue | undefined {
  const list = value[key];
  return Array.isArray(list) ? list[0] : undefined;
}

function fromPairs(pairs: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(pairs.map((one) => [one['name'], plain(one['value'])])) as JsonObject;
}
