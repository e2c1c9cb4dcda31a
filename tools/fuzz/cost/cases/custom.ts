/** Custom resources: lists with keys, sets, maps, rules in CEL, patterns and formats. */
import type { JsonObject } from '../../../../api/json/json.ts';
import type { ControlPlane } from '../../../../actors/registry/given-registry.fixture.ts';
import { costControlPlane, sent } from '../control-plane.ts';
import type { CostCase } from '../cost-case.ts';
import { growthsOf } from '../grown-objects.ts';
import type { ShapeChoice } from '../text-shapes.ts';

const TEXT = { type: 'string' };
const ITEM = {
  type: 'object',
  required: ['k'],
  properties: { k: TEXT, j: { type: 'string', default: 'd' }, v: { type: 'integer' } },
};

const SPEC: JsonObject = {
  type: 'object',
  properties: {
    byKey: { type: 'array', items: ITEM, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k', 'j'] },
    set: { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'set' },
    atomic: { type: 'array', items: ITEM, 'x-kubernetes-list-type': 'atomic' },
    plain: { type: 'array', items: ITEM },
    unique: { type: 'array', items: { type: 'integer' } },
    map: { type: 'object', additionalProperties: TEXT },
    patterned: { type: 'string', pattern: '^([a-z]+[0-9]?)*$' },
    formatted: { type: 'string', format: 'uri' },
    short: { type: 'string', maxLength: 64 },
    quantity: { 'x-kubernetes-int-or-string': true, pattern: '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' },
    choice: { type: 'string', enum: ['a', 'b'] },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    ruled: {
      type: 'array',
      maxItems: 100000,
      items: { type: 'string', maxLength: 10 },
      'x-kubernetes-validations': [{ rule: 'self.all(x, x != "no")' }],
    },
    either: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, oneOf: [{ required: ['a'] }, { required: ['b'] }] } },
  },
}; // prettier-ignore

const DEFINITION: JsonObject = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: SPEC } } },
    })),
  },
};

const THING: JsonObject = {
  kind: 'Thing',
  apiVersion: 'example.com/v1',
  metadata: { name: 'grown' },
  spec: {
    byKey: [{ k: 'a', v: 1 }],
    set: ['a'],
    atomic: [{ k: 'a' }],
    plain: [{ k: 'a' }],
    unique: [1],
    map: { a: 'b' },
    patterned: 'a',
    formatted: 'a:b',
    short: 'a',
    quantity: '1Gi',
    choice: 'a',
    free: { a: [1, { b: 'c' }] },
    ruled: ['a'],
    either: [{ a: 1 }],
  },
};

/** Where they are written. */
export const THINGS = '/apis/example.com/v1/namespaces/default/things';

export async function cases({ fields }: ShapeChoice): Promise<CostCase[]> {
  const plane = await costControlPlane();
  await serveThings(plane);
  return growthsOf(THING, fields).flatMap(({ name, grown }): CostCase[] =>
    [
      { verb: 'POST', url: `${THINGS}?dryRun=All`, type: 'application/json' },
      {
        verb: 'PATCH',
        url: `${THINGS}/grown?dryRun=All&fieldManager=a`,
        type: 'application/apply-patch+yaml',
      },
    ].map(({ verb: method, url, type: contentType }) => ({
      name: `custom resource ${method}: ${name}`,
      stage: 'after authentication',
      make(bytes) {
        const body = Buffer.from(JSON.stringify(grown(bytes)));
        const request = { method, url, contentType, bytes: body };
        return { bytes: body.length, run: () => sent(plane, request) };
      },
    })),
  );
}

/** Once for a control plane. */
export async function serveThings(plane: ControlPlane): Promise<void> {
  const url = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const { object } = await plane.post(url, DEFINITION);
  const conditions = [
    { type: 'Established', status: 'True', reason: 'a', message: '', lastTransitionTime: NOW },
    { type: 'NamesAccepted', status: 'True', reason: 'a', message: '', lastTransitionTime: NOW },
  ];
  const names = (DEFINITION['spec'] as JsonObject)['names'] ?? null;
  const status = { conditions, acceptedNames: names, storedVersions: ['v1'] };
  await plane.put(`${url}/things.example.com/status`, { ...object, status });
}

const NOW = '2026-01-02T03:04:05Z';
