import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { loggedEvent } from '../../projections/given.fixture.ts';
import { storedObject } from '../../projections/objects/stored-object.ts';
import { definitionHead } from './definition-head.ts';

function headOf(definition: JsonObject): unknown {
  return definitionHead(storedObject({ ...loggedEvent(7), json: bytesOf(definition) }));
}

function bytesOf(definition: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(definition));
}

function definition(schemas: readonly JsonValue[], more: JsonObject = {}): JsonObject {
  const versions = schemas.map((openAPIV3Schema, index) => {
    const schema = openAPIV3Schema === null ? {} : { schema: { openAPIV3Schema } };
    return { name: `v${String(index + 1)}`, served: true, ...schema };
  });
  const metadata: JsonObject = { name: 'tabs.example.com', uid: 'u', ...more };
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata,
    spec: { group: 'example.com', versions },
    status: { conditions: [{ type: 'Established', message: 'ünïcode 🦎 "{"' }] },
  };
}

/** What is left of it, said without looking at bytes. */
function expected(value: JsonObject): unknown {
  const copy = JSON.parse(JSON.stringify(value)) as {
    metadata: { resourceVersion?: string; managedFields?: { fieldsV1?: object }[] };
    spec: { versions: { schema?: { openAPIV3Schema: object } }[] };
  };
  for (const { schema } of copy.spec.versions) {
    if (schema !== undefined) schema.openAPIV3Schema = {};
  }
  for (const entry of copy.metadata.managedFields ?? []) entry.fieldsV1 = {};
  copy.metadata.resourceVersion = '7';
  return copy;
}

describe('the head of a definition', () => {
  it('has everything but its schemas and the fields of its managers', () => {
    const managedFields = [
      { manager: 'a', fieldsV1: { 'f:spec': { 'f:versions': { 'k:{"name":"v1"}': {} } } } },
      { manager: 'b', fieldsV1: {} },
    ];
    const whole = definition([{ type: 'object' }, null, { type: 'object', properties: {} }], {
      managedFields,
    });
    expect(headOf(whole)).toEqual(expected(whole));
  });

  it('is not misled by texts and keys that look like what is left out', () => {
    const text = '"openAPIV3Schema":{"fieldsV1":{ \\" } \\\\"';
    const annotations = { a: text, 'openAPIV3Schema":{': text, '"fieldsV1': '{' };
    const properties = { openAPIV3Schema: { type: 'object', description: text }, 'a"}': {} };
    const whole = definition([{ type: 'object', properties, pattern: '\\{"\\\\' }], {
      annotations,
    });
    expect(headOf(whole)).toEqual(expected(whole));
  });

  it('is the same whatever the schemas are', () => {
    const schema = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
    fc.assert(
      fc.property(
        fc.array(schema, { maxLength: 3 }),
        fc.string({ unit: 'binary' }),
        (schemas, text) => {
          const whole = definition(schemas, { annotations: { text } });
          expect(headOf(whole)).toEqual(expected(whole));
        },
      ),
    );
  });

  it('of bytes that another program wrote in a form of its own is the whole of it', () => {
    const whole = definition([{ type: 'object' }]);
    const json = Buffer.from(JSON.stringify(whole, undefined, 2));
    const metadata = { ...(whole['metadata'] as JsonObject), resourceVersion: '7' };
    expect(definitionHead(storedObject({ ...loggedEvent(7), json }))).toEqual({
      ...whole,
      metadata,
    });
  });
});
