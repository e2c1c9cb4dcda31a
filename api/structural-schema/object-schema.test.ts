import { expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../json/json.ts';
import { formatFieldError, invalidValue, required } from '../field/field-errors.ts';
import { compileObjectSchema, type ObjectSchema, type OtherErrors } from './object-schema.ts';
import { parseStructuralSchema } from './parse-structural-schema.ts';

function schemaOf(spec: JsonObject, status: JsonObject = { type: 'object' }): ObjectSchema {
  return compileObjectSchema(
    parseStructuralSchema({ type: 'object', properties: { spec, status } }),
  );
}

function errorsOf(spec: JsonObject, value: JsonValue, old?: JsonValue): string[] {
  const before = old === undefined ? undefined : { spec: old };
  return schemaOf(spec).validate({ spec: value }, before).map(formatFieldError);
}

it.each<[JsonObject, JsonValue, string[]]>([
  [{ type: 'integer' }, 3, []],
  [
    { type: 'integer' },
    'x',
    ['spec: Invalid value: "string": spec in body must be of type integer: "string"'],
  ],
  [
    { type: 'integer', maximum: 10 },
    11,
    ['spec: Invalid value: 11: spec in body should be less than or equal to 10'],
  ],
  [
    { type: 'number', minimum: 1e6, exclusiveMinimum: true },
    0.5,
    ['spec: Invalid value: 0.5: spec in body should be greater than 1e+06'],
  ],
  [
    { type: 'integer', format: 'int32' },
    2 ** 31,
    ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec'],
  ],
  [{ type: 'string', maxLength: 2 }, '😀😀', []],
  [{ type: 'string', maxLength: 2 }, 'abc', ['spec: Too long: may not be more than 2 bytes']],
  [
    { type: 'string', pattern: '^a+$' },
    'b',
    ['spec: Invalid value: "b": spec in body should match \'^a+$\''],
  ],
  [
    { type: 'string', enum: ['a', 'b'] },
    'c',
    ['spec: Unsupported value: "c": supported values: "a", "b"'],
  ],
  [
    { type: 'string', format: 'date-time' },
    'x',
    ['spec: Invalid value: "x": spec in body must be of type date-time: "x"'],
  ],
  [{ type: 'string', format: 'of-my-own' }, 'x', []],
  [{ type: 'object', required: ['a'] }, {}, ['spec.a: Required value']],
  [
    { type: 'array', items: { type: 'string' }, maxItems: 1 },
    ['a', 'b'],
    ['spec: Too many: 2: must have at most 1 item'],
  ],
  [{ type: 'string', nullable: true }, null, []],
  [
    { type: 'object', properties: { a: { type: 'string' } }, oneOf: [{ required: ['a'] }] },
    {},
    [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). ' +
        'Found none valid',
      'spec.a: Required value',
    ],
  ],
  [{ 'x-kubernetes-int-or-string': true }, '50%', []],
])('judges %j of %j', (spec, value, errors) => {
  expect(errorsOf(spec, value)).toEqual(errors);
});

const PORTS: JsonObject = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, port: { type: 'integer', maximum: 10 } },
  },
};

it('does not tell of an update what was wrong before in the same place', () => {
  const bad = { name: 'a', port: 11 };
  const good = { name: 'b', port: 1 };
  expect(errorsOf(PORTS, [good, bad], [bad])).toEqual([]);
  expect(errorsOf(PORTS, [{ name: 'a', port: 12 }], [bad])).toEqual([
    'spec[0].port: Invalid value: 12: spec[0].port in body should be less than or equal to 10',
  ]);
  const atomic = { type: 'array', items: { type: 'integer', maximum: 10 } };
  expect(errorsOf(atomic, [11], [11])).toEqual([]);
  expect(errorsOf(atomic, [11, 1], [11])).toHaveLength(1);
});

it('tells the second of what is in a set or a map of lists twice', () => {
  expect(errorsOf(PORTS, [{ name: 'a' }, { name: 'b' }, { name: 'a' }])).toEqual([
    'spec[2]: Duplicate value: {"name":"a"}',
  ]);
  const set = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } };
  expect(errorsOf(set, ['a', 'a', 'a'])).toEqual(['spec[1]: Duplicate value: "a"']);
  expect(errorsOf(set, ['a', 'a', 'b'], ['c', 'c'])).toEqual([]);
});

it('judges the objects inside of an object', () => {
  const embedded = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  };
  expect(errorsOf(embedded, { kind: '', metadata: { name: 'a/b' } })).toEqual([
    'spec.apiVersion: Required value',
    'spec.kind: Invalid value: "": must not be empty',
    'spec.metadata.name: Invalid value: "a/b": may not contain \'/\'',
  ]);
});

it('asks the rules only of an object that is of the right types', () => {
  const plain = { type: 'object', properties: { a: { type: 'integer', maximum: 1 } } };
  const ruled = { ...plain, 'x-kubernetes-validations': [{ rule: 'true' }] };
  const rules = (): ReturnType<ObjectSchema['validate']> => [invalidValue('spec', 1, 'asked')];
  const told = (object: JsonObject, more: OtherErrors = {}, schema: JsonObject = ruled): unknown =>
    schemaOf(schema)
      .validate(object, undefined, { rules, ...more })
      .map(formatFieldError)
      .at(-1);
  const unasked =
    '<nil>: Invalid value: null: some validation rules were not checked because the object was ' +
    'invalid; correct the existing errors to complete validation';
  expect(told({ spec: { a: 2 } })).toBe('spec: Invalid value: 1: asked');
  expect(told({ spec: { a: 'x' } })).toBe(unasked);
  expect(told({ spec: { a: 1 } }, { toldBefore: [required('metadata.name')] })).toBe(unasked);
  const label = invalidValue('metadata.labels', '', '');
  expect(told({ spec: { a: 1 } }, { toldBefore: [label] })).toBe('spec: Invalid value: 1: asked');
  expect(told({ spec: { a: 'x' } }, {}, plain)).toMatch(/^spec\.a: /);
});

it('looks at the status alone where only that was written', () => {
  const status = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const schema = schemaOf({ type: 'string' }, status);
  const before = { spec: 1, status: { n: 1 } };
  const errors = schema.validateStatus({ spec: 1, status: { n: 'x' } }, before);
  expect(errors.map(formatFieldError)).toEqual([
    'status.n: Invalid value: "string": n in body must be of type integer: "string"',
  ]);
});

it('fills in defaults, also within defaults and for null', () => {
  const schema = schemaOf({
    type: 'object',
    default: { kept: true, bogus: 1 },
    properties: {
      kept: { type: 'boolean' },
      size: { type: 'integer', default: 3 },
      note: { type: 'string', nullable: true, default: 'x' },
      list: {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'string', default: 'b' } } },
      },
      map: { type: 'object', additionalProperties: { type: 'integer', default: 7 } },
    },
  });
  const filled = (object: JsonObject): JsonObject => {
    schema.fillDefaults(object);
    return object;
  };
  expect(filled({})).toEqual({ spec: { kept: true, size: 3, note: 'x' } });
  expect(filled({ spec: { size: null, note: null, list: [{}, 1], map: { a: null } } })).toEqual({
    spec: { size: 3, note: null, list: [{ a: 'b' }, 1], map: { a: 7 } },
  });
  const first = filled({});
  Object.assign(first['spec'] as JsonObject, { kept: false });
  expect(filled({})).toEqual({ spec: { kept: true, size: 3, note: 'x' } });
});

it.each<[string, JsonObject, JsonValue]>([
  [
    'of the object',
    { default: { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'a', bogus: 1 } } },
    null,
  ],
  ['of its metadata', { metadata: { type: 'object', default: { name: 'a', bogus: 1 } } }, {}],
  [
    'of fields of its metadata',
    {
      metadata: {
        type: 'object',
        properties: {
          name: { type: 'string', default: 'a' },
          bogus: { type: 'integer', default: 1 },
        },
      },
    },
    { metadata: {} },
  ],
])('fills in metadata of embedded objects as metadata: %s', (_of, given, value) => {
  const { default: whole, ...fields } = given;
  const apiVersion = { type: 'string', default: 'g/v1' };
  const properties = { apiVersion, kind: { type: 'string', default: 'K' }, ...fields };
  const object = { type: 'object', 'x-kubernetes-embedded-resource': true, properties };
  for (const keeps of [false, true]) {
    const more = { 'x-kubernetes-preserve-unknown-fields': keeps };
    const inner = { ...object, ...more, ...(whole === undefined ? {} : { default: whole }) };
    const filled: JsonObject = { spec: value === null ? {} : { inner: value } };
    schemaOf({ type: 'object', properties: { inner } }).fillDefaults(filled);
    expect(filled).toEqual({
      spec: { inner: { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'a' } } },
    });
  }
});

it('takes a key of users for what it is', () => {
  const spec = { type: 'object', additionalProperties: { type: 'integer' } };
  const value = JSON.parse('{"__proto__":"x"}') as JsonObject;
  expect(errorsOf(spec, value)).toEqual([
    'spec.__proto__: Invalid value: "string": spec.__proto__ in body must be of type integer: "string"',
  ]);
  expect(errorsOf({ type: 'object', required: ['toString'] }, {})).toEqual([
    'spec.toString: Required value',
  ]);
});

it('tells so many errors and not more', () => {
  const spec = { type: 'array', items: { type: 'integer' } };
  expect(
    errorsOf(
      spec,
      Array.from({ length: 5_000 }, () => 'x'),
    ),
  ).toHaveLength(1_000);
});
