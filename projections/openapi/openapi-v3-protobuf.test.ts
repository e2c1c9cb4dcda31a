import { existsSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { isJsonObject, itemsAt } from '../../api/json/json.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { resourceFacts } from '../../api/scheme/resource-facts.ts';
import { findKubernetes, parseObject } from '../../tools/generate/golden.fixture.ts';
import { encodeOpenApiV3, protobufOf } from './openapi-v3-protobuf.ts';
import { OpenApiView } from './openapi-view.ts';

// Messages as upstream's clients know them. The module cache has them wherever it has Kubernetes.
const GNOSTIC = '../../github.com/google/gnostic-models@v0.7.0/openapiv3/OpenAPIv3.proto';
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
  // Document { openapi = 1: "3.0.0", info = 2: Info { title = 1: "K", version = 6: "1" } }
  const bytes = encodeOpenApiV3({ openapi: '3.0.0', info: { title: 'K', version: '1' } });
  expect(Buffer.from(bytes).toString('hex')).toBe('0a05332e302e30' + '1206' + '0a014b' + '320131');
});

describe.skipIf(isMissing)('read with the messages of gnostic', () => {
  const decode = (bytes: Uint8Array): JsonObject => {
    const type = protobuf.loadSync(proto ?? '').lookupType('openapi.v3.Document');
    return parseObject(JSON.stringify(type.toObject(type.decode(bytes), { longs: Number })));
  };

  test.each(['apis/apps/v1', 'apis/apiextensions.k8s.io/v1', 'version'])(
    '%s is what its JSON form says',
    (name) => {
      const view = new OpenApiView(resourceFacts(), () => SAID);
      const json = view.v3(name);
      if (json === undefined) throw new Error(`there is no ${name}`);
      const made = protobufOf(json);
      expect(made.hash).toBe(json.hash);
      const { openapi, info, ...read } = decode(made.bytes);
      const said = parseObject(json.bytes);
      expect([openapi, info]).toEqual([said['openapi'], said['info']]);
      expect(plain(read['paths'])).toEqual(plainDefaults(said['paths']));
      expect(plain(read['components'])).toEqual(plainDefaults(said['components']));
    },
  );

  test('a schema of a custom resource keeps its rules', () => {
    const schema: JsonObject = {
      type: 'object',
      additionalProperties: false,
      nullable: true,
      not: { type: 'string' },
      anyOf: [{ $ref: '#/components/schemas/a' }, { type: 'integer', default: 3 }],
      properties: {
        size: { type: 'integer', minimum: 1.5, maxLength: 7, enum: ['a', 2], default: 'x' },
        list: { type: 'array', items: { type: 'boolean', default: false } },
        map: { type: 'object', additionalProperties: { type: 'string' } },
      },
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const read = decode(encodeOpenApiV3({ components: { schemas: { Some: schema } } }));
    expect(plain(read['components'])).toEqual({ schemas: { Some: schema } });
  });
});

/** gnostic's messages back in the form of JSON: lists of pairs are maps, wrappers are opened. */
function plain(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map((one) => plain(one));
  if (!isJsonObject(value)) return value ?? null;
  if (typeof value['yaml'] === 'string') return JSON.parse(value['yaml']) as JsonValue;
  for (const pairs of ['additionalProperties', 'path', 'responseOrReference']) {
    if (Array.isArray(value[pairs])) return fromPairs(itemsAt(value, pairs));
  }
  const wrapped = inWrapper(value);
  if (wrapped !== undefined) return plain(Array.isArray(wrapped) ? wrapped[0] : wrapped);
  const made: JsonObject = {};
  for (const [key, one] of Object.entries(value)) {
    if (key === 'specificationExtension') Object.assign(made, fromPairs(itemsAt(value, key)));
    else if (key === 'default') made[key] = defaultOf(one);
    else made[key === '_ref' || key === 'Ref' ? '$ref' : key] = plain(one);
  }
  return made;
}

const WRAPPERS: ReadonlySet<string> = new Set([
  ...[
    'schema',
    'reference',
    'schemaOrReference',
    'boolean',
    'parameter',
    'requestBody',
    'response',
  ],
  'securityScheme',
]);

const FIELDS: ReadonlySet<string> = new Set(['schema', 'requestBody']);

/** A field may be called as a wrapper is; then what is in it is a wrapper. */
function inWrapper(value: JsonObject): JsonValue | undefined {
  const [only = '', ...others] = Object.keys(value);
  if (others.length > 0 || !WRAPPERS.has(only)) return undefined;
  const inside = value[only];
  const isField = FIELDS.has(only) && isJsonObject(inside) && inWrapper(inside) !== undefined;
  return isField ? undefined : inside;
}

/** One of a number, a truth value and a text; anything else has left nothing. */
function defaultOf(value: JsonValue | undefined): JsonValue {
  const [one] = isJsonObject(value) ? Object.values(value) : [];
  return one ?? EMPTY;
}

const EMPTY = 'nothing is told of it';

/** What becomes of defaults that are none of the three. */
function plainDefaults(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map((one) => plainDefaults(one));
  if (!isJsonObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const isLost = key === 'default' && isJsonObject(one) && Object.keys(one).length === 0;
      return [key, isLost ? EMPTY : plainDefaults(one)];
    }),
  );
}

function fromPairs(pairs: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(pairs.map((one) => [one['name'], plain(one['value'])])) as JsonObject;
}
