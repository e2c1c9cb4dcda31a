/** What holds of the v2 document as a whole, whatever is served. */
import { expect, test } from 'vitest';
import { isJsonObject, objectAt, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { resourceFacts } from '../../api/scheme/resource-facts.ts';
import { OpenApiView } from './openapi-view.ts';

const { bytes } = new OpenApiView(resourceFacts(), () => new Map()).v2Json();
const document = JSON.parse(Buffer.from(bytes).toString()) as JsonObject;

function referencesIn(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  const { $ref: own, ...others } = value;
  const within = Object.values(others).flatMap(referencesIn);
  return typeof own === 'string' ? [own, ...within] : within;
}

test('every reference leads to a definition or a parameter of the same document', () => {
  const references = [...new Set(referencesIn(document))];
  expect(references.length).toBeGreaterThan(500);
  const isThere = (reference: string): boolean => {
    const [root, section = '', name = ''] = reference.split('/');
    return root === '#' && objectAt(objectAt(document, section), name) !== undefined;
  };
  expect(references.filter((one) => !isThere(one))).toEqual([]);
});

test('every definition but the root of an operation is referred to, so what is in lists and maps is', () => {
  const names = Object.keys(objectAt(document, 'definitions') ?? {});
  const referred = new Set(referencesIn(document).map((one) => one.slice('#/definitions/'.length)));
  expect(names.filter((name) => !referred.has(name))).toEqual([]);
});

test.each(['paths', 'parameters'])('%s are in the order of their names', (section) => {
  const names = Object.keys(objectAt(document, section) ?? {});
  expect(names.length).toBeGreaterThan(10);
  expect(names).toEqual(names.toSorted());
});

test('says whose it is', () => {
  expect(document['info']).toEqual({ title: 'Kubernetes', version: 'unversioned' });
});
