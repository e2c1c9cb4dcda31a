import { expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../json/json.ts';
import { customResourceCodec, storedCustomResourceCodec } from './custom-resource-codec.ts';
import { parseStructuralSchema } from './parse-structural-schema.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        note: { type: 'string', nullable: true },
        port: { type: 'integer', default: 80 },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        items: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { a: { type: 'string' } } } },
        },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    },
  },
};

const codec = customResourceCodec(parseStructuralSchema(SCHEMA));

function received(
  spec: JsonValue,
  metadata: JsonValue = { name: 'a' },
): ReturnType<typeof codec.decode> {
  const object = { apiVersion: 'g/v1', kind: 'K', metadata, spec };
  return codec.decode(object, { collectUnknown: true });
}

function specOf(spec: JsonValue): JsonValue | undefined {
  const decoded = received(spec);
  return decoded.ok ? decoded.value['spec'] : decoded.message;
}

it('drops what the schema does not know, and says so', () => {
  const decoded = received({ size: 1, bogus: 2, items: [{ a: 'x', b: 1 }, {}] }, { odd: 1 });
  expect(decoded).toEqual({
    ok: true,
    value: {
      apiVersion: 'g/v1',
      kind: 'K',
      metadata: {},
      spec: { size: 1, items: [{ a: 'x' }, {}] },
    },
    unknownFields: [
      'unknown field "metadata.odd"',
      'unknown field "spec.bogus"',
      'unknown field "spec.items[0].b"',
    ],
  });
});

it('preserves unknown fields until a field is known again', () => {
  expect(specOf({ free: { any: { a: 1 }, known: { a: 'x', b: 1 } } })).toEqual({
    free: { any: { a: 1 }, known: { a: 'x' } },
  });
});

it('drops null where it may not be, unless a default replaces it', () => {
  expect(specOf({ size: null, note: null, port: null, labels: { a: null, b: 'x' } })).toEqual({
    note: null,
    port: null,
    labels: { b: 'x' },
  });
});

it('reads metadata of the object and of those inside it as Go does', () => {
  const template = { metadata: { labels: {}, name: 'x', odd: 1 }, data: { deep: [1] } };
  const decoded = received({ template }, { name: 'a', labels: null, creationTimestamp: null });
  expect(decoded).toMatchObject({
    value: { metadata: { name: 'a' }, spec: { template: { metadata: { name: 'x' } } } },
    unknownFields: ['unknown field "spec.template.metadata.odd"'],
  });
  expect(received({ template: { metadata: { name: 5 } } })).toEqual({
    ok: false,
    message:
      'spec.template.metadata: Invalid value: {"name":5}: ' +
      'json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
  });
  expect(received({ template: { kind: 5 } })).toEqual({
    ok: false,
    message: 'spec.template.kind: Invalid value: 5: must be a string',
  });
  expect(received({}, { name: [] })).toEqual({
    ok: false,
    message: 'json: cannot unmarshal array into Go struct field ObjectMeta.name of type string',
  });
});

it('drops from what is stored what cannot be read', () => {
  const stored = codec.readStored({
    apiVersion: 'g/v1',
    kind: 'K',
    metadata: { name: 'a', labels: { a: 1 } },
    spec: { template: { kind: 5, metadata: { name: 5, namespace: 'b' } }, old: 1 },
  });
  expect(stored).toEqual({
    apiVersion: 'g/v1',
    kind: 'K',
    metadata: { name: 'a', generation: 1 },
    spec: { template: { metadata: { namespace: 'b' } } },
  });
});

it('takes a key of users for what it is', () => {
  const labels = JSON.parse('{"__proto__":"x","constructor":"y"}') as JsonObject;
  const decoded = received({ labels, bogus: 1 });
  expect(decoded.ok && JSON.stringify(decoded.value['spec'])).toBe(
    '{"labels":{"__proto__":"x","constructor":"y"}}',
  );
  const unknown = JSON.parse('{"__proto__":{"a":1}}') as JsonObject;
  expect(received(unknown)).toMatchObject({
    value: { spec: {} },
    unknownFields: ['unknown field "spec.__proto__"'],
  });
});

it('refuses what is nested deeper than a client means it', () => {
  let deep: JsonValue = 1;
  for (let depth = 0; depth < 5_000; depth++) deep = [deep];
  const tooDeep = { ok: false, message: 'exceeded max depth' };
  expect(received({ free: { deep } })).toEqual(tooDeep);
  expect(received({ labels: { deep } })).toEqual(tooDeep);
  expect(received({ size: deep })).toEqual(tooDeep);
  expect(received({ bogus: deep })).toMatchObject({ ok: true, value: { spec: {} } });
});

it('shares what needs no change', () => {
  const labels = { a: 'b' };
  const decoded = received({ labels, bogus: 1 });
  expect(decoded.ok && (decoded.value['spec'] as JsonObject)['labels']).toBe(labels);
});

it('stores keys in order, and metadata without what is empty', () => {
  const decoded = storedCustomResourceCodec.decode({
    spec: { b: [{ d: 1, c: 2 }], a: undefined },
    metadata: { uid: 'u', name: 'n', labels: {} },
    kind: 'K',
    apiVersion: 'g/v1',
  });
  expect(decoded.ok && JSON.stringify(decoded.value)).toBe(
    '{"apiVersion":"g/v1","kind":"K","metadata":{"name":"n","uid":"u"},"spec":{"b":[{"c":2,"d":1}]}}',
  );
});
