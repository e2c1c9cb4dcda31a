// The documents of a built server: the descriptions of parameters, lists and custom resources.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject, itemsAt, objectAt, stringAt } from '../api/json/json.ts';
import type { JsonObject } from '../api/json/json.ts';
import { resourceFacts } from '../api/scheme/resource-facts.ts';
import { buildDescriptions } from './build-descriptions.ts';
import { findKubernetes, parseObject, readObject } from './generate/golden.fixture.ts';
import { CustomOpenApiView } from '../projections/openapi/custom-openapi-view.ts';
import type { CustomKind } from '../projections/openapi/custom-kind.ts';
import { OpenApiView, type OpenApiBody } from '../projections/openapi/openapi-view.ts';

const kubernetes = findKubernetes();
const said = buildDescriptions();
const builtIn = new OpenApiView(resourceFacts(), (id) => new Map(Object.entries(said[id] ?? {})));
/** What is recorded was made without the gate OpenAPIEnums. */
const recorded = new OpenApiView(
  resourceFacts(),
  (id) => new Map(Object.entries(said[id] ?? {})),
  false,
);
const documents = Object.keys(objectAt(parsed(builtIn.v3Index()), 'paths') ?? {});
/** Newer than the client from whose comments the build takes descriptions. */
const UNKNOWN = 'query shardSelector';
/** Its paragraphs are restored here; upstream's document has two spaces in their place. */
const RESTORED = 'query insecureSkipTLSVerifyBackend';

/** The one type that is described by no package. */
const UNSAID = 'io.k8s.apimachinery.pkg.api.resource.Quantity';

const TAB: CustomKind = {
  group: 'stable.example.com',
  version: 'v1',
  plural: 'tabs',
  kind: 'Tab',
  listKind: 'TabList',
  namespaced: true,
  hasStatus: true,
  hasScale: true,
  selectableFields: [],
  preserveUnknownFields: false,
  key: 'one',
  schema: () => ({ type: 'object', properties: { spec: { type: 'object' } } }),
};
const custom = new CustomOpenApiView(builtIn, [TAB]);
const CUSTOM_DOCUMENT = 'apis/stable.example.com/v1';
const CUSTOM_TYPE = 'com.example.stable.v1.Tab';

describe('every parameter says what it is for', () => {
  test.each([...documents, CUSTOM_DOCUMENT])('in v3 %s', (name) => {
    expect(undescribed(parsed(custom.v3(name)))).toEqual([]);
  });

  test('in v2, of custom resources too', async () => {
    const document = parsed(await custom.v2Json());
    expect(undescribed(document)).toEqual([]);
    const byPlace = descriptions(document);
    const path = `/${CUSTOM_DOCUMENT}/namespaces/{namespace}/tabs/{name}`;
    expect(byPlace.get(`${path} parameters path name`)).toBe('name of the Tab');
    expect(byPlace.get(`${path} get query resourceVersion`)).toBeDefined();
  });
});

describe('a custom resource and its list', () => {
  const commonOf = (document: JsonObject, id: string): JsonObject => {
    const schemas = objectAt(objectAt(document, 'components'), 'schemas');
    const type = objectAt(schemas ?? objectAt(document, 'definitions'), id);
    const { apiVersion, kind, metadata } = objectAt(type, 'properties') ?? {};
    const { default: _, ...shown } = isJsonObject(metadata) ? metadata : {};
    return { apiVersion, kind, metadata: shown };
  };
  const described = (common: JsonObject): boolean[] =>
    Object.values(common).map((one) => isJsonObject(one) && stringAt(one, 'description') !== '');

  test.each(['', 'List'])('say of apiVersion, kind and metadata what Pod%s says', async (end) => {
    const [v2, core, own] = [
      await custom.v2Json(),
      builtIn.v3('api/v1'),
      custom.v3(CUSTOM_DOCUMENT),
    ];
    const builtInId = `io.k8s.api.core.v1.Pod${end}`;
    const expected = commonOf(parsed(core), builtInId);
    expect(described(expected)).toEqual([true, true, true]);
    expect(commonOf(parsed(own), CUSTOM_TYPE + end)).toEqual(expected);
    const inV2 = parsed(v2);
    expect(commonOf(inV2, CUSTOM_TYPE + end)).toEqual(commonOf(inV2, builtInId));
  });

  test('tell the metadata of an object from that of a list', () => {
    const document = parsed(builtIn.v3('api/v1'));
    expect(commonOf(document, 'io.k8s.api.core.v1.ConfigMapList')['metadata']).not.toEqual(
      commonOf(document, 'io.k8s.api.core.v1.ConfigMap')['metadata'],
    );
  });
});

describe.skipIf(kubernetes === undefined)('what kube-apiserver recorded', () => {
  const folder = join(kubernetes ?? '', 'api', 'openapi-spec');
  let ours: JsonObject;
  let theirs: JsonObject;

  beforeAll(() => {
    ours = parsed(builtIn.v2Json());
    theirs = readObject(join(folder, 'swagger.json'));
  });

  test('is said of every parameter in v2', () => {
    const { agreeing, others } = compared(ours, theirs);
    expect(others).toEqual([RESTORED, UNKNOWN]);
    expect(agreeing).toBeGreaterThan(5_000);
  });

  test.each(documents)('is said of every parameter in v3 %s', (name) => {
    const path = join(folder, 'v3', `${name.replaceAll('/', '__')}_openapi.json`);
    expect(existsSync(path)).toBe(true);
    const { others } = compared(parsed(builtIn.v3(name)), readObject(path));
    expect([RESTORED, UNKNOWN]).toEqual(expect.arrayContaining([...others]));
  });

  test('names the parameters that are shared', () => {
    const known = Object.keys(objectAt(theirs, 'parameters') ?? {});
    const names = Object.keys(objectAt(ours, 'parameters') ?? {});
    const other = names.filter((name) => !known.includes(name));
    expect(other.map((name) => `query ${name.replace(/-.{8}$/, '')}`)).toEqual([RESTORED, UNKNOWN]);
    expect(names.length).toBeGreaterThan(40);
  });

  test('is said of every type and field in v2', () => {
    const upstream = saidOfTypes(theirs);
    const own = saidOfTypes(parsed(recorded.v2Json()));
    const others = [...own.keys()].filter((place) => own.get(place) !== upstream.get(place));
    expect(others).toEqual([]);
    const served = new Set(Object.keys(objectAt(ours, 'definitions') ?? {}));
    const missing = [...upstream.keys()].filter(
      (place) => served.has(place.split(' ', 1)[0] ?? '') && !own.has(place),
    );
    expect(missing).toEqual([UNSAID]);
    expect(own.size).toBeGreaterThan(2_900);
  });

  test('is said of every operation in v2 and v3', () => {
    const upstream = saidOfOperations(theirs);
    const own = saidOfOperations(ours);
    const others = [...own].filter(([id, text]) => upstream.get(id) !== text);
    expect(others).toEqual([]);
    expect(own.size).toBeGreaterThan(750);
    const inV3 = documents.flatMap((name) => [...saidOfOperations(parsed(builtIn.v3(name)))]);
    expect(new Map(inV3)).toEqual(own);
  });

  test('is said of every list and its fields', () => {
    const definitions = objectAt(ours, 'definitions') ?? {};
    const lists = Object.keys(definitions).filter((id) => id.endsWith('List') && hasItems(id));
    const aboutLists = (document: JsonObject): unknown[] =>
      lists.map((id) => {
        const { description, properties } = objectAt(objectAt(document, 'definitions'), id) ?? {};
        const fields = ['apiVersion', 'items', 'kind', 'metadata'].map((name) =>
          stringAt(objectAt(isJsonObject(properties) ? properties : {}, name), 'description'),
        );
        return { id, description, fields };
      });
    expect(lists.length).toBeGreaterThan(50);
    expect(aboutLists(ours)).toEqual(aboutLists(theirs));
  });

  const hasItems = (id: string): boolean =>
    objectAt(objectAt(objectAt(objectAt(ours, 'definitions'), id), 'properties'), 'items') !==
    undefined;
});

function parsed(body: OpenApiBody | undefined): JsonObject {
  if (body === undefined) throw new Error('no such document');
  return parseObject(body.bytes);
}

/** By type, and by type and field; types and fields of which nothing is said are left out. */
function saidOfTypes(document: JsonObject): Map<string, string> {
  const found = new Map<string, string>();
  for (const [id, type] of Object.entries(objectAt(document, 'definitions') ?? {})) {
    if (!isJsonObject(type)) continue;
    const fields = Object.entries(objectAt(type, 'properties') ?? {});
    for (const [name, one] of [['', type], ...fields] as const) {
      const text = isJsonObject(one) ? stringAt(one, 'description') : '';
      if (text !== '') found.set(`${id} ${name}`.trim(), text);
    }
  }
  return found;
}

/** By the operation's id. */
function saidOfOperations(document: JsonObject): Map<string, string> {
  const items = Object.values(objectAt(document, 'paths') ?? {});
  const operations = items.flatMap((item) => (isJsonObject(item) ? Object.values(item) : []));
  return new Map(
    operations
      .filter((one) => isJsonObject(one))
      .filter((one) => stringAt(one, 'operationId') !== '')
      .map((one) => [stringAt(one, 'operationId'), stringAt(one, 'description')]),
  );
}

/** The description of each parameter, or '', by path, operation, place and name. */
function descriptions(document: JsonObject): Map<string, string> {
  const shared = objectAt(document, 'parameters') ?? {};
  const found = new Map<string, string>();
  for (const [where, one] of parameters(document)) {
    const name = stringAt(one, '$ref').slice('#/parameters/'.length);
    const parameter = objectAt(shared, name) ?? one;
    const place = `${stringAt(parameter, 'in')} ${stringAt(parameter, 'name')}`;
    if (place !== 'body body') found.set(`${where} ${place}`, stringAt(parameter, 'description'));
  }
  return found;
}

/** As they stand below paths and below operations, with the path and the operation's method. */
function parameters(document: JsonObject): [string, JsonObject][] {
  return Object.entries(objectAt(document, 'paths') ?? {}).flatMap(([path, item]) =>
    Object.entries(isJsonObject(item) ? item : {}).flatMap(([method, part]) => {
      const holder = Array.isArray(part) ? { parameters: part } : part;
      const list = isJsonObject(holder) ? itemsAt(holder, 'parameters') : [];
      return list.map((one): [string, JsonObject] => [`${path} ${method}`, one]);
    }),
  );
}

function undescribed(document: JsonObject): string[] {
  const found = [...descriptions(document)].filter(([, text]) => text === '');
  return found.map(([place]) => place).filter((place) => !place.endsWith(UNKNOWN));
}

interface Compared {
  readonly agreeing: number;
  /** Places and names of the parameters that upstream describes otherwise. */
  readonly others: readonly string[];
}

function compared(ours: JsonObject, theirs: JsonObject): Compared {
  const upstream = descriptions(theirs);
  const others = new Set<string>();
  let agreeing = 0;
  for (const [place, text] of descriptions(ours)) {
    if (upstream.get(place) === text) agreeing += 1;
    else others.add(place.split(' ').slice(-2).join(' '));
  }
  return { agreeing, others: [...others].sort() };
}
