import { beforeAll, describe, expect, it } from 'vitest';

import type { JsonObject } from '../../api/json/json.ts';
import { objectAt } from '../../api/json/json.ts';
import { resourceFacts } from '../../api/scheme/resource-facts.ts';
import type { CustomKind } from './custom-kind.ts';
import { CustomOpenApiView } from './custom-openapi-view.ts';
import { OpenApiView, type OpenApiBody } from './openapi-view.ts';

const TYPE = 'com.example.stable.v1.Tab';
const OBJECT_META = '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

const schema: JsonObject = {
  type: 'object',
  description: 'A tab.',
  properties: {
    spec: {
      type: 'object',
      required: ['port', 'maybe'],
      properties: {
        port: { 'x-kubernetes-int-or-string': true },
        maybe: { type: 'string', nullable: true, default: 'x' },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        part: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { a: { type: 'string' } },
        },
        either: { type: 'string', anyOf: [{ minLength: 1 }, { pattern: 'x' }] },
      },
    },
  },
};

const EITHER = [{ type: 'integer' }, { type: 'string' }];

const kind = (more: Partial<CustomKind> = {}): CustomKind => ({
  group: 'stable.example.com',
  version: 'v1',
  plural: 'tabs',
  kind: 'Tab',
  listKind: 'TabList',
  namespaced: true,
  hasStatus: true,
  hasScale: true,
  selectableFields: ['spec.either'],
  preserveUnknownFields: false,
  key: 'one',
  schema: () => schema,
  ...more,
});

const builtIn = new OpenApiView(
  resourceFacts().filter(({ group }) => group === '' || group === 'autoscaling'),
  () => new Map(),
);
const NAME = 'apis/stable.example.com/v1';

const parsed = (body: OpenApiBody | undefined): JsonObject =>
  JSON.parse(Buffer.from(body?.bytes ?? []).toString()) as JsonObject;

const schemasIn = (document: JsonObject): JsonObject =>
  objectAt(objectAt(document, 'components'), 'schemas') ?? {};

const specIn = (type: JsonObject | undefined): JsonObject =>
  objectAt(objectAt(objectAt(type, 'properties'), 'spec'), 'properties') ?? {};

describe('the OpenAPI documents with custom resources', () => {
  const view = new CustomOpenApiView(builtIn, [kind()]);

  it('name one for each group version, beside the built-in ones', () => {
    const { paths } = parsed(view.v3Index());
    expect(paths).toHaveProperty([NAME]);
    expect(paths).toHaveProperty(['api/v1']);
    expect(view.v3Address(NAME)).toMatch(/^\/openapi\/v3\/apis\/stable\.example\.com\/v1\?hash=/);
    expect(view.v3('apis/stable.example.com/v2')).toBeUndefined();
    expect(view.v3('api/v1')).toBe(builtIn.v3('api/v1'));
  });

  it.each([
    [true, ['namespace']],
    [false, []],
  ])('ask for a namespace where objects are in one (%s)', (namespaced, expected) => {
    const given = new CustomOpenApiView(builtIn, [kind({ namespaced })]);
    const paths = objectAt(parsed(given.v3(NAME)), 'paths') ?? {};
    for (const [path, item] of Object.entries(paths)) {
      const text = JSON.stringify(item);
      const asked = path.includes('/tabs/{name}') ? ['name', ...expected] : [];
      for (const name of asked) expect(text).toContain(`"name":"${name}","in":"path"`);
      if (!path.includes('{namespace}'))
        expect(text).not.toContain('"name":"namespace","in":"path"');
    }
    expect(Object.keys(paths).some((path) => path.includes('{namespace}'))).toBe(namespaced);
  });

  it('name the fields that can be selected by, in both forms', async () => {
    const both = [
      schemasIn(parsed(view.v3(NAME))),
      objectAt(parsed(await view.v2Json()), 'definitions') ?? {},
    ];
    for (const schemas of both) {
      for (const type of [TYPE, `${TYPE}List`]) {
        expect(objectAt(schemas, type)).toMatchObject({
          'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.either' }],
        });
      }
    }
  });

  it('are other ones when a definition changes, and only then', () => {
    const same = new CustomOpenApiView(builtIn, [kind()]);
    const other = new CustomOpenApiView(builtIn, [kind({ key: 'two' })]);
    expect(same.v3(NAME)?.etag).toBe(view.v3(NAME)?.etag);
    expect(other.v3(NAME)?.etag).not.toBe(view.v3(NAME)?.etag);
    expect(other.v3Index().etag).not.toBe(view.v3Index().etag);
  });

  it('say what the schema says, and what every object has', () => {
    const document = parsed(view.v3(NAME));
    const type = objectAt(schemasIn(document), TYPE);
    expect(type).toMatchObject({
      description: 'A tab.',
      properties: { kind: { type: 'string' } },
      'x-kubernetes-group-version-kind': [
        { group: 'stable.example.com', kind: 'Tab', version: 'v1' },
      ],
      'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.either' }],
    });
    const metadata = objectAt(objectAt(type, 'properties'), 'metadata');
    expect(JSON.stringify(metadata)).toContain(OBJECT_META);
    expect(specIn(type)).toMatchObject({
      port: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
      maybe: { nullable: true, default: 'x' },
      part: { required: ['kind', 'apiVersion'] },
    });
    expect(schemasIn(document)).toHaveProperty([OBJECT_META.slice('#/components/schemas/'.length)]);
    expect(schemasIn(document)).toHaveProperty(['com.example.stable.v1.TabList']);
    const paths = Object.keys(objectAt(document, 'paths') ?? {});
    expect(paths).toContain('/apis/stable.example.com/v1/namespaces/{namespace}/tabs/{name}/scale');
  });

  it.each<readonly [JsonObject, JsonObject]>([
    [{ maximum: 5 }, { maximum: 5, anyOf: EITHER }],
    [
      { anyOf: [{ maximum: 5 }, { pattern: '%$' }], allOf: [{ minimum: 1 }] },
      {
        anyOf: [{ maximum: 5 }, { pattern: '%$' }],
        allOf: [{ anyOf: EITHER }, { minimum: 1 }],
      },
    ],
    [
      { anyOf: EITHER, allOf: [{ minimum: 1 }] },
      { anyOf: EITHER, allOf: [{ minimum: 1 }] },
    ],
    [
      { anyOf: [{ maximum: 5 }], allOf: [{ anyOf: EITHER }] },
      { anyOf: [{ maximum: 5 }], allOf: [{ anyOf: EITHER }] },
    ],
  ])('say that a number or a text is either, beside %j', (said, shown) => {
    const port = { 'x-kubernetes-int-or-string': true, ...said };
    const spec = { type: 'object', properties: { port } };
    const of = { type: 'object', properties: { spec } };
    const either = new CustomOpenApiView(builtIn, [kind({ schema: () => of })]);
    const type = objectAt(schemasIn(parsed(either.v3(NAME))), TYPE);
    expect(specIn(type)['port']).toEqual({ 'x-kubernetes-int-or-string': true, ...shown });
  });

  it.each([[undefined], [{ type: 'object', properties: { a: {} } }]])(
    'know nothing of what is not structural: %j',
    (unstructural) => {
      const open = new CustomOpenApiView(builtIn, [kind({ schema: () => unstructural })]);
      const type = objectAt(schemasIn(parsed(open.v3(NAME))), TYPE);
      expect(type).toEqual({
        type: 'object',
        'x-kubernetes-group-version-kind': [
          { group: 'stable.example.com', kind: 'Tab', version: 'v1' },
        ],
        'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.either' }],
      });
    },
  );
});

describe('the OpenAPI v2 document with custom resources', () => {
  let document: JsonObject;

  beforeAll(async () => {
    document = parsed(await new CustomOpenApiView(builtIn, [kind()]).v2Json());
  });

  it('is the built-in one and more', () => {
    const paths = objectAt(document, 'paths') ?? {};
    expect(paths).toHaveProperty(['/api/v1/namespaces/{namespace}/configmaps']);
    expect(paths).toHaveProperty(['/apis/stable.example.com/v1/namespaces/{namespace}/tabs']);
    expect(objectAt(paths, '/apis/stable.example.com/v1/tabs')).toMatchObject({
      get: { operationId: 'listStableExampleComV1TabForAllNamespaces' },
    });
  });

  it('refers to parameters that it has', () => {
    const parameters = objectAt(document, 'parameters') ?? {};
    const references = JSON.stringify(document['paths']).match(/#\/parameters\/[^"]+/g) ?? [];
    const missing = references.filter((one) => !(one.slice('#/parameters/'.length) in parameters));
    expect([...new Set(missing)]).toEqual([]);
  });

  it('says nothing that older clients would take amiss', () => {
    const spec = objectAt(
      objectAt(objectAt(objectAt(document, 'definitions'), TYPE), 'properties'),
      'spec',
    );
    expect(spec).toMatchObject({
      required: ['port'],
      properties: {
        port: { 'x-kubernetes-int-or-string': true },
        maybe: {},
        any: { 'x-kubernetes-preserve-unknown-fields': true },
        either: { type: 'string' },
      },
    });
    const properties = objectAt(spec, 'properties') ?? {};
    expect(Object.keys(objectAt(properties, 'any') ?? {})).not.toContain('type');
    expect(Object.keys(objectAt(properties, 'either') ?? {})).toEqual(['type']);
    expect(objectAt(properties, 'maybe')).toEqual({});
  });

  it('is one message in protobuf too', async () => {
    const { bytes } = await new CustomOpenApiView(builtIn, [kind()]).v2Protobuf();
    expect(bytes.length).toBeGreaterThan(builtIn.v2Protobuf().bytes.length);
    expect(Buffer.from(bytes).includes('listStableExampleComV1NamespacedTab')).toBe(true);
  });

  it('names a type anew whose name a built-in type has', async () => {
    const api = { group: 'core.api.k8s.io', version: 'v1', plural: 'podlists', kind: 'Pod' };
    const view = new CustomOpenApiView(builtIn, [kind({ ...api, listKind: 'PodList' })]);
    const text = Buffer.from((await view.v2Json()).bytes).toString();
    expect(text.split('"io.k8s.api.core.v1.Pod":{')).toHaveLength(2);
    const { definitions, paths } = parsed(await view.v2Json());
    const before = objectAt(parsed(builtIn.v2Json()), 'definitions');
    const after = definitions as JsonObject;
    expect(after['io.k8s.api.core.v1.Pod']).toEqual(before?.['io.k8s.api.core.v1.Pod']);
    expect(after['io.k8s.api.core.v1.Pod_v2']).toHaveProperty('description', 'A tab.');
    const list = after['io.k8s.api.core.v1.PodList_v2'];
    const items = { $ref: '#/definitions/io.k8s.api.core.v1.Pod_v2' };
    expect(list).toHaveProperty('properties.items.items', items);
    const path = '/apis/core.api.k8s.io/v1/namespaces/{namespace}/podlists/{name}';
    expect((paths as JsonObject)[path]).toHaveProperty('get.responses.200.schema', items);
  });
});

it('says of every property what it is, of __proto__ too', async () => {
  const spec = '{"type":"object","properties":{"__proto__":{"type":"string"}}}';
  const said = `{"type":"object","properties":{"spec":${spec}}}`;
  const schemaOfIt = JSON.parse(said) as JsonObject; // An object, as can be seen.
  const view = new CustomOpenApiView(builtIn, [kind({ schema: () => schemaOfIt })]);
  for (const body of [view.v3(NAME), await view.v2Json()]) {
    expect(JSON.stringify(parsed(body))).toContain(`"spec":${spec}`);
  }
});

describe('of what lies in lists, maps and objects', () => {
  const part: JsonObject = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: { a: { 'x-kubernetes-int-or-string': true } },
  };
  const open: JsonObject = { ...part, 'x-kubernetes-preserve-unknown-fields': true };
  const given: JsonObject = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          list: { type: 'array', items: part },
          map: { type: 'object', additionalProperties: part },
          open,
        },
      },
    },
  };
  const identity = { kind: { type: 'string' }, apiVersion: { type: 'string' } };
  const view = new CustomOpenApiView(builtIn, [kind({ schema: () => given })]);

  it('an object says what it is, and a number that may be a text says both', () => {
    const spec = specIn(objectAt(schemasIn(parsed(view.v3(NAME))), TYPE));
    const shown = {
      required: ['kind', 'apiVersion'],
      properties: { a: { anyOf: EITHER }, ...identity },
    };
    expect(spec).toMatchObject({
      list: { items: shown },
      map: { additionalProperties: shown },
      open: { required: ['kind', 'apiVersion'] },
    });
  });

  it('an open object says nothing to older clients', async () => {
    const { definitions } = parsed(await view.v2Json());
    const spec = specIn(objectAt(definitions as JsonObject, TYPE));
    expect(spec).toMatchObject({ list: { items: { required: ['kind', 'apiVersion'] } } });
    expect(spec['open']).not.toHaveProperty('required');
  });
});

it('a kind has the paths of the subresources that it has, and no others', () => {
  const pathsOf = (more: Partial<CustomKind>): string[] =>
    Object.keys(
      objectAt(parsed(new CustomOpenApiView(builtIn, [kind(more)]).v3(NAME)), 'paths') ?? {},
    );
  const below = (more: Partial<CustomKind>): string[] =>
    pathsOf(more).flatMap((path) => path.split('/tabs/{name}/')[1] ?? []);
  expect(below({}).sort()).toEqual(['scale', 'status']);
  expect(below({ hasStatus: false })).toEqual(['scale']);
  expect(below({ hasScale: false })).toEqual(['status']);
});

it('everything that a document refers to stands in it', () => {
  const view = new CustomOpenApiView(builtIn, [kind()]);
  for (const name of [NAME, 'api/v1', 'apis/autoscaling/v2']) {
    const document = parsed(view.v3(name));
    const there = new Set(Object.keys(schemasIn(document)));
    const named = JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
    const wanted = [...named].map(([, id = '']) => id);
    expect(wanted.length).toBeGreaterThan(10);
    expect(wanted.filter((id) => !there.has(id))).toEqual([]);
  }
});
