import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { mergeOpenApiV2, type MergedV2 } from './merge-openapi-v2.ts';

const KINDS = 'x-kubernetes-group-version-kind';
const kind = (group: string): JsonObject => ({ group, kind: 'Thing', version: 'v1' });
const reference = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });

function using(...names: string[]): JsonObject {
  return { get: { responses: { 200: { schema: { allOf: names.map(reference) } } } } };
}

function merged(own: Partial<MergedV2>, ...others: JsonObject[]): MergedV2 {
  const result = { paths: {}, definitions: {}, parameters: {}, ...own };
  for (const other of others) mergeOpenApiV2(result, other, '/apis/g/v1/');
  return result;
}

describe('OpenAPI v2 of another server', () => {
  it('adds the paths of its group version, and the types that these use', () => {
    const document = {
      paths: { '/apis/g/v1/ones': using('One'), '/apis/other/v1/twos': using('Two') },
      definitions: {
        One: { properties: { spec: reference('Spec') } },
        Spec: { type: 'object' },
        Two: { type: 'object' },
        Unused: { type: 'string' },
      },
    };
    const { paths, definitions } = merged({}, document);
    expect(Object.keys(paths)).toEqual(['/apis/g/v1/ones']);
    expect(Object.keys(definitions)).toEqual(['One', 'Spec', 'Unused']);
  });

  it('keeps the paths that are there, and adds no type for the sake of others', () => {
    const own = { paths: { '/apis/g/v1/ones': { get: 1 } } };
    const document = {
      paths: { '/apis/g/v1/ones': using('One'), '/apis/g/v1/twos': using('Two') },
      definitions: { One: { type: 'object' }, Two: { type: 'object' } },
    };
    const { paths, definitions } = merged(own, document);
    expect(paths['/apis/g/v1/ones']).toEqual({ get: 1 });
    expect(Object.keys(definitions)).toEqual(['Two']);
  });

  it('gives another type of the same name a name of its own, wherever it is meant', () => {
    const own = { definitions: { One: { type: 'string' }, One_v2: { type: 'number' } } };
    const document = {
      paths: { '/apis/g/v1/ones': using('List') },
      definitions: { List: { items: reference('One') }, One: { type: 'object' } },
    };
    const { definitions } = merged(own, document);
    expect(definitions).toEqual({
      ...own.definitions,
      List: { items: reference('One_v3') },
      One_v3: { type: 'object' },
    });
  });

  it('uses the new name again for the same type of a further server', () => {
    const document = (path: string): JsonObject => ({
      paths: { [`/apis/g/v1/${path}`]: using('One') },
      definitions: { One: { type: 'object' } },
    });
    const own = { definitions: { One: { type: 'string' } } };
    const { definitions, paths } = merged(own, document('a'), document('b'));
    expect(Object.keys(definitions)).toEqual(['One', 'One_v2']);
    expect(paths['/apis/g/v1/b']).toEqual(using('One_v2'));
  });

  it('lets a type that both have stand once, with the kinds of both in order', () => {
    const type = (group: string): JsonObject => ({ type: 'object', [KINDS]: [kind(group)] });
    const document = {
      paths: { '/apis/g/v1/ones': using('One') },
      definitions: { One: { [KINDS]: [kind('a'), kind('m')], type: 'object' } },
    };
    const { definitions } = merged({ definitions: { One: type('m') } }, document);
    expect(definitions).toEqual({ One: { type: 'object', [KINDS]: [kind('a'), kind('m')] } });
  });

  it('does the same with parameters', () => {
    const path = { parameters: [{ $ref: '#/parameters/p' }] };
    const document = {
      paths: { '/apis/g/v1/ones': path },
      parameters: { p: { name: 'p', in: 'query', schema: reference('One') } },
      definitions: { One: { type: 'object' } },
    };
    const own = { parameters: { p: { name: 'p', in: 'path' } } };
    const { paths, parameters, definitions } = merged(own, document);
    expect(Object.keys(parameters)).toEqual(['p', 'p_v2']);
    expect(paths['/apis/g/v1/ones']).toEqual({ parameters: [{ $ref: '#/parameters/p_v2' }] });
    expect(Object.keys(definitions)).toEqual(['One']);
  });

  it('reads keys that JavaScript knows as any other, and references in a circle', () => {
    const document = JSON.parse(
      '{"paths":{"/apis/g/v1/ones":{"$ref":"#/definitions/__proto__"}},' +
        '"definitions":{"__proto__":{"a":{"$ref":"#/definitions/__proto__"}},"constructor":{}}}',
    ) as JsonObject;
    expect(Object.keys(merged({}, document).definitions)).toEqual(['__proto__', 'constructor']);
  });
});
