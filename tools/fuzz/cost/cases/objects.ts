/** Objects of every kind with each of their fields grown, on the whole way to being stored. */
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../../../api/json/json.ts';
import type { ControlPlane } from '../../../../actors/registry/given-registry.fixture.ts';
import { OBJECTS, REVIEWS } from '../../seeds.ts';
import { collectionOf, costControlPlane, sent } from '../control-plane.ts';
import type { CostCase } from '../cost-case.ts';
import { growthsOf } from '../grown-objects.ts';
import type { ShapeChoice, TextShape } from '../text-shapes.ts';

/** What all objects have; grown of one kind only, since it is the same code for all. */
const METADATA: JsonObject = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: {
    name: 'grown',
    generateName: 'grown-',
    labels: { a: 'b' },
    annotations: { a: 'b' },
    finalizers: ['example.com/a'],
    ownerReferences: [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u', controller: true },
    ],
    managedFields: [
      {
        manager: 'a',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-01-02T03:04:05Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:a': {}, 'k:{"name":"a"}': {}, 'v:"a"': {} } },
      },
    ],
  },
  data: { a: 'b' },
  binaryData: { c: 'AAAA' },
};

/** Whose rules show all of a list beside each of its items. */
const SCOPED_QUOTA: JsonObject = {
  kind: 'ResourceQuota',
  apiVersion: 'v1',
  metadata: { name: 'grown' },
  spec: {
    hard: { pods: '1', 'requests.storage': '1' },
    scopes: ['a'],
    scopeSelector: { matchExpressions: [{ scopeName: 'BestEffort', operator: 'Exists' }] },
  },
};

export async function cases({ fields }: ShapeChoice): Promise<CostCase[]> {
  const plane = await costControlPlane();
  const seeds = [...OBJECTS, ...REVIEWS].map((text) => JSON.parse(text) as JsonObject);
  return [METADATA, SCOPED_QUOTA, ...seeds].flatMap((seed) => casesOf(plane, seed, fields));
}

function casesOf(plane: ControlPlane, seed: JsonObject, fields: readonly TextShape[]): CostCase[] {
  const collection = collectionOf(seed);
  if (collection === undefined) return [];
  const placed = inDefault(seed);
  return growthsOf(placed, fields).map(({ name, grown }) => ({
    name: `${stringAt(seed, 'apiVersion')} ${stringAt(seed, 'kind')}: ${name}`,
    stage: 'after authentication',
    make(bytes) {
      const body = Buffer.from(JSON.stringify(grown(bytes)));
      const request = { method: 'POST', url: `${collection}?dryRun=All`, bytes: body };
      return { bytes: body.length, run: () => sent(plane, request) };
    },
  }));
}

/** Some seeds name another namespace, where they would be refused at once. */
function inDefault(seed: JsonObject): JsonObject {
  const metadata = { ...objectAt(seed, 'metadata') };
  if (metadata['namespace'] !== undefined) metadata['namespace'] = 'default';
  return isJsonObject(seed['metadata']) ? { ...seed, metadata } : seed;
}
