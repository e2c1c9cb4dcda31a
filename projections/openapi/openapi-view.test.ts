import { existsSync, readdirSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isJsonObject, itemsAt, listAt, objectAt, stringAt } from '../../api/json/json.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { resourceFacts } from '../../api/scheme/resource-facts.ts';
import { findKubernetes, parseObject, readObject } from '../../tools/generate/golden.fixture.ts';
import { OpenApiView } from './openapi-view.ts';

const kubernetes = findKubernetes();
const DEPLOYMENT_PATH = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}';
const DEPLOYMENT = 'io.k8s.api.apps.v1.Deployment';
const nothingSaid = new OpenApiView(resourceFacts(), () => new Map());
const withCbor = new OpenApiView(resourceFacts(), () => new Map(), true, true);

describe('the index', () => {
  test('names each document with the hash of its bytes', () => {
    const paths = objectAt(parseObject(nothingSaid.v3Index().bytes), 'paths') ?? {};
    expect(Object.keys(paths)).toContain('api/v1');
    expect(Object.keys(paths)).toContain('apis/apps');
    const address = stringAt(objectAt(paths, 'apis/apps/v1'), 'serverRelativeURL');
    const body = nothingSaid.v3('apis/apps/v1');
    expect(body?.hash).toMatch(/^[0-9A-F]{128}$/);
    expect(address).toBe(`/openapi/v3/apis/apps/v1?hash=${body?.hash}`);
    expect(address).toBe(nothingSaid.v3Address('apis/apps/v1'));
    expect(body?.etag).toBe(`"${body?.hash}"`);
  });

  test('knows no other documents', () => {
    expect(nothingSaid.v3('apis/apps/v2')).toBeUndefined();
    expect(nothingSaid.v3Address('logs')).toBeUndefined();
  });

  test('shows only what is served', () => {
    const served = resourceFacts()
      .filter((one) => one.resource === 'configmaps')
      .map((one) => ({ ...one, subresources: [], verbs: ['get', 'list'] }));
    const view = new OpenApiView(served, () => new Map());
    const document = v3(view, 'api/v1');
    expect(Object.keys(objectAt(document, 'paths') ?? {})).toEqual([
      '/api/v1/',
      '/api/v1/namespaces/{namespace}/configmaps',
      '/api/v1/configmaps',
      '/api/v1/namespaces/{namespace}/configmaps/{name}',
    ]);
    expect(view.v3('apis/apps/v1')).toBeUndefined();
    expect(Object.keys(schemas(document))).not.toContain('io.k8s.api.core.v1.Pod');
  });
});

test.each([
  'v2',
  ...Object.keys(objectAt(parseObject(nothingSaid.v3Index().bytes), 'paths') ?? {}),
])('the document %s names no media type that is refused', (name) => {
  const body = name === 'v2' ? nothingSaid.v2Json() : nothingSaid.v3(name);
  expect(Buffer.from(body?.bytes ?? []).toString()).not.toContain('cbor');
});

describe('a document', () => {
  test('shows clients that field validation and dry run are served', () => {
    const paths = objectAt(v3(nothingSaid, 'apis/apps/v1'), 'paths');
    const patch = objectAt(objectAt(paths, DEPLOYMENT_PATH), 'patch');
    const names = itemsAt(patch, 'parameters').map((one) => stringAt(one, 'name'));
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });

  test('has the same paths in v2, where they stand in the operations themselves', () => {
    const paths = objectAt(parseObject(nothingSaid.v2Json().bytes), 'paths');
    const patch = objectAt(objectAt(paths, DEPLOYMENT_PATH), 'patch');
    const names = itemsAt(patch, 'parameters').map((one) => stringAt(one, 'name'));
    expect(names.filter((name) => name !== '')).toEqual(['dryRun', 'fieldValidation']);
  });

  test('has descriptions where there are some, on references too', () => {
    const said = new Map([
      ['', 'A deployment.'],
      ['spec', 'What is wanted.'],
    ]);
    const view = new OpenApiView(resourceFacts(), (id) => (id === DEPLOYMENT ? said : new Map()));
    const schema = objectAt(schemas(v3(view, 'apis/apps/v1')), DEPLOYMENT);
    expect(stringAt(schema, 'description')).toBe('A deployment.');
    expect(objectAt(objectAt(schema, 'properties'), 'spec')).toEqual({
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec' }],
      description: 'What is wanted.',
      default: {},
    });
    expect(view.v3('apis/apps/v1')?.hash).not.toBe(nothingSaid.v3('apis/apps/v1')?.hash);
  });

  test('has an article for one, and none for many', () => {
    const paths = objectAt(parseObject(nothingSaid.v2Json().bytes), 'paths');
    const said = (path: string, method: string): string =>
      stringAt(objectAt(objectAt(paths, path), method), 'description');
    expect(said('/api/v1/namespaces/{namespace}/endpoints', 'post')).toBe('create Endpoints');
    expect(said('/apis/networking.k8s.io/v1/ingressclasses', 'post')).toBe(
      'create an IngressClass',
    );
    expect(said('/api/v1/namespaces/{namespace}/pods/{name}', 'delete')).toBe('delete a Pod');
  });

  test('names the values of an enum', () => {
    const schema = objectAt(
      schemas(v3(nothingSaid, 'apis/apps/v1')),
      'io.k8s.api.core.v1.ContainerPort',
    );
    expect(objectAt(objectAt(schema, 'properties'), 'protocol')).toEqual({
      type: 'string',
      default: 'TCP',
      enum: ['SCTP', 'TCP', 'UDP'],
    });
  });

  test('names none where that is switched off, and has a field of that name all the same', () => {
    const silent = new OpenApiView(resourceFacts(), () => new Map(), false);
    const port = objectAt(schemas(v3(silent, 'apis/apps/v1')), 'io.k8s.api.core.v1.ContainerPort');
    const { protocol } = objectAt(port, 'properties') ?? {};
    expect(protocol).toEqual({ type: 'string', default: 'TCP' });
    const custom = schemas(v3(silent, 'apis/apiextensions.k8s.io/v1'));
    const id = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
    expect(objectAt(objectAt(custom, id), 'properties')).toHaveProperty('enum');
  });

  test('comes compressed with the same content', () => {
    const body = nothingSaid.v3('apis/policy/v1');
    if (body === undefined) throw new Error('no document');
    expect(gunzipSync(body.gzipped())).toEqual(Buffer.from(body.bytes));
    expect(body.gzipped()).toBe(body.gzipped());
  });
});

// Left out of the comparison, because they differ on purpose: descriptions, which are upstream's
// sentences; enums, which upstream records with the feature switched off that shows them; and the
// names of v2's shared parameters, which upstream makes of their descriptions. CBOR is served there.
describe.skipIf(kubernetes === undefined)('equals what kube-apiserver recorded', () => {
  const folder = join(kubernetes ?? '', 'api', 'openapi-spec');
  const index = objectAt(parseObject(withCbor.v3Index().bytes), 'paths') ?? {};

  test.each(Object.keys(index))('v3 %s', (name) => {
    const path = join(folder, 'v3', `${name.replaceAll('/', '__')}_openapi.json`);
    expect(existsSync(path)).toBe(true);
    expect(comparable(v3(withCbor, name))).toEqual(comparable(readObject(path)));
  });

  test('has every document of upstream but those of other group versions and of /logs', () => {
    const theirs = readdirSync(join(folder, 'v3'))
      .map((file) => file.replace(/_openapi\.json$/, '').replaceAll('__', '/'))
      .filter((name) => !isUnserved(name));
    expect(Object.keys(index)).toEqual(theirs.sort());
  });

  test('v2 has every path of upstream that is served', () => {
    const ours = Object.keys(objectAt(parseObject(withCbor.v2Json().bytes), 'paths') ?? {});
    const theirs = Object.keys(objectAt(readObject(join(folder, 'swagger.json')), 'paths') ?? {});
    expect(ours).toEqual(theirs.filter((path) => !isUnserved(path.slice(1))).sort());
  });

  test('v2, its served part', () => {
    const ours = withoutShared(parseObject(withCbor.v2Json().bytes));
    const upstream = withoutShared(readObject(join(folder, 'swagger.json')));
    for (const part of ['paths', 'definitions']) {
      const mine = objectAt(ours, part) ?? {};
      const theirs = objectAt(upstream, part) ?? {};
      expect(Object.keys(mine).length).toBeGreaterThan(400);
      for (const key of Object.keys(mine)) {
        expect(comparable(groupsServed(mine[key])), key).toEqual(
          comparable(groupsServed(theirs[key])),
        );
      }
    }
  });
});

function v3(view: OpenApiView, name: string): JsonObject {
  const body = view.v3(name);
  if (body === undefined) throw new Error(`no document ${name}`);
  return parseObject(body.bytes);
}

function schemas(document: JsonObject): JsonObject {
  return objectAt(objectAt(document, 'components'), 'schemas') ?? {};
}

/** Without what differs on purpose, and a lone reference in its shortest form. */
function comparable(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((one) => comparable(one) ?? null);
  if (!isJsonObject(value)) return value;
  const made: JsonObject = {};
  for (const [key, one] of Object.entries(value)) {
    if (key === 'description' && typeof one === 'string') continue;
    if (key === 'enum' && Array.isArray(one)) continue;
    made[key] = comparable(one);
  }
  const [only, ...others] = listAt(made, 'allOf');
  const isLone = Object.keys(made).length === 1 && others.length === 0;
  return isLone && only !== undefined ? only : made;
}

/** Logs take a flag that is refused; groups and versions that are not served take another. */
function isUnserved(name: string): boolean {
  const [root = '', group = '', version = ''] = name.split('/');
  if (root === 'logs') return true;
  if (root !== 'apis' || group === '') return false;
  return !resourceFacts().some(
    (one) => one.group === group && (version === '' || one.version === version),
  );
}

/** With each shared parameter in the place of its name. */
function withoutShared(document: JsonObject): JsonObject {
  const shared = objectAt(document, 'parameters') ?? {};
  const resolve = (one: JsonObject): JsonObject => {
    const name = stringAt(one, '$ref').slice('#/parameters/'.length);
    return objectAt(shared, name) ?? one;
  };
  const visit = (value: JsonValue | undefined): JsonValue | undefined => {
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).map(([key, one]) => {
      const isList = key === 'parameters' && Array.isArray(one);
      return [key, isList ? itemsAt(value, key).map(resolve) : visit(one)];
    });
    return Object.fromEntries(entries) as JsonObject;
  };
  return { ...document, paths: visit(document['paths']) };
}

/** DeleteOptions and WatchEvent name every group that there is, served or not. */
function groupsServed(value: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(value)) return value;
  const kinds = itemsAt(value, 'x-kubernetes-group-version-kind');
  if (kinds.length < 2) return value;
  const isServed = (one: JsonObject): boolean =>
    resourceFacts().some(
      ({ group, version }) =>
        group === stringAt(one, 'group') && version === stringAt(one, 'version'),
    );
  return { ...value, 'x-kubernetes-group-version-kind': kinds.filter(isServed) };
}
