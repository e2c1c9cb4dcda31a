/** Field managers of custom resources whose entries were left through another version. */
import { describe, expect, it } from 'vitest';

import { listAt, objectAt, type JsonObject } from '../../../api/json/json.ts';
import { givenControlPlane } from '../given-registry.fixture.ts';
import {
  changeDefinition,
  definition,
  given,
  tab,
  TABS,
  TABS2,
  V1,
  version,
} from './given-tabs.fixture.ts';

const APPLIED = '?fieldManager=me';
const SCALERS = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';

function entries({ metadata }: { readonly metadata: JsonObject }): unknown[] {
  return listAt(metadata, 'managedFields').map((entry) => [
    (entry as JsonObject)['manager'],
    (entry as JsonObject)['apiVersion'],
  ]);
}

/** A field less than V1. */
const OLDER = version('v2', { size: { type: 'integer' } });
/** The fields of V1. */
const ALIKE = version('v2', { size: { type: 'integer' }, color: { type: 'string' } });

const inV2 = (spec: JsonObject): JsonObject => tab('a', spec, 'example.com/v2');

describe('what a manager has applied in another version', () => {
  it('is taken over from one that is served', async () => {
    const plane = await given(definition([V1, ALIKE]));
    const first = await plane.patch(`${TABS2}/a${APPLIED}`, 'apply', inV2({ size: 3 }));
    expect([first.code, first.message]).toEqual([201, '']);
    const told = await plane.patch(`${TABS}/a${APPLIED}`, 'apply', tab('a', { color: 'red' }));
    expect([told.code, told.message]).toEqual([200, '']);
    expect(told.object).toMatchObject({
      ...{ apiVersion: 'example.com/v1', spec: { color: 'red', size: 1 } },
    });
    expect(entries(told.object)).toEqual([['me', 'example.com/v1']]);
  });

  it('is taken over from one that is not served any more', async () => {
    const plane = await given(definition([V1, ALIKE]));
    await plane.patch(`${TABS2}/a${APPLIED}`, 'apply', inV2({ size: 3 }));
    await changeDefinition(plane, (spec) => {
      spec['versions'] = [V1, { ...ALIKE, served: false }];
    });
    expect((await plane.get(`${TABS2}/a`)).code).toBe(404);
    const same = await plane.patch(`${TABS}/a${APPLIED}`, 'apply', tab('a', { size: 3 }));
    expect([same.code, same.message]).toEqual([200, '']);
    const told = await plane.patch(`${TABS}/a${APPLIED}`, 'apply', tab('a', { color: 'red' }));
    expect([told.code, told.message]).toEqual([200, '']);
    expect(told.object['spec']).toEqual({ color: 'red', size: 1 });
    expect(entries(told.object)).toEqual([['me', 'example.com/v1']]);
    const merged = await plane.patch(`${TABS}/a?fieldManager=you`, 'merge', { spec: { size: 2 } });
    expect([merged.code, merged.message]).toEqual([200, '']);
  });

  it('is taken over through a webhook, which is asked for objects with metadata alone', async () => {
    const clientConfig = { url: 'https://converter.example.com/' };
    const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
    const conversion = { strategy: 'Webhook', webhook };
    const plane = await given(definition([V1, ALIKE], { conversion }));
    plane.webhooks.answer = (objects) => ({
      result: { status: 'Success' },
      convertedObjects: objects.map((one) => {
        const isFirst = one['apiVersion'] === 'example.com/v1';
        return { ...one, apiVersion: `example.com/${isFirst ? 'v2' : 'v1'}` };
      }),
    });
    const labelled = { ...inV2({ size: 3 }), metadata: { name: 'a', labels: { x: 'y' } } };
    const first = await plane.patch(`${TABS2}/a${APPLIED}`, 'apply', labelled);
    expect([first.code, first.message]).toEqual([201, '']);
    const told = await plane.patch(`${TABS}/a${APPLIED}`, 'apply', tab('a', { color: 'red' }));
    expect([told.code, told.message]).toEqual([200, '']);
    expect(told.object['spec']).toEqual({ color: 'red', size: 1 });
    expect(entries(told.object)).toEqual([['me', 'example.com/v1']]);
    for (const one of plane.webhooks.asked.flat()) expect(one).toHaveProperty('metadata');
  });

  it('cannot be pruned in a version that lacks a field', async () => {
    const plane = await given(definition([V1, OLDER]));
    await plane.patch(`${TABS2}/a${APPLIED}`, 'apply', inV2({ size: 3 }));
    const told = await plane.patch(`${TABS}/a${APPLIED}`, 'apply', tab('a', { color: 'red' }));
    expect(told.code).toBe(500);
    expect(told.message).toContain('.spec.color: field not declared in schema');
  });

  it('of a built-in kind comes back in the version of the request', async () => {
    const plane = await givenControlPlane();
    const scaler = (version: string, spec: JsonObject): JsonObject => ({
      kind: 'HorizontalPodAutoscaler',
      apiVersion: `autoscaling/${version}`,
      metadata: { name: 'h' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        ...spec,
      },
    });
    const url = `${SCALERS}/h${APPLIED}`;
    const first = { minReplicas: 2, targetCPUUtilizationPercentage: 50 };
    const made = await plane.patch(url.replace('v2', 'v1'), 'apply', scaler('v1', first));
    expect([made.code, made.message]).toEqual([201, '']);
    const target = { type: 'Utilization', averageUtilization: 50 };
    const metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
    const told = await plane.patch(url, 'apply', scaler('v2', { metrics }));
    expect([told.code, told.message]).toEqual([200, '']);
    expect(told.object['apiVersion']).toBe('autoscaling/v2');
    expect(objectAt(told.object, 'spec')).toMatchObject({ minReplicas: 1, metrics });
    expect(entries(told.object)).toEqual([['me', 'autoscaling/v2']]);
  });
});

describe('null that is applied', () => {
  const inner = { type: 'object', properties: { a: { type: 'string' } } };
  const field = (more: JsonObject): JsonObject => ({ ...inner, ...more });
  const plain = { type: 'object', properties: { inner } };
  const FIELDS = version(
    'v1',
    {
      plain,
      needed: { ...plain, required: ['inner'] },
      nullable: { type: 'object', properties: { inner: field({ nullable: true }) } },
      port: { 'x-kubernetes-int-or-string': true },
      free: { 'x-kubernetes-preserve-unknown-fields': true },
      given: { type: 'integer', default: 7 },
    },
    { storage: true },
  );
  const withInner = (name: string, value: JsonObject | null): JsonObject =>
    tab(name, { [name]: { inner: value } });

  it.each(['plain', 'needed'])('is refused where the type is not nullable: %s', async (name) => {
    const plane = await given(definition([FIELDS]));
    await plane.patch(`${TABS}/${name}${APPLIED}`, 'apply', withInner(name, { a: '1' }));
    const told = await plane.patch(`${TABS}/${name}${APPLIED}`, 'apply', withInner(name, null));
    expect([told.code, told.message]).toEqual([
      422,
      `Tab.example.com "${name}" is invalid: spec.${name}.inner: Invalid value: "null": spec.${name}.inner in body must be of type object: "null"`,
    ]);
  });

  it.each<[string, JsonObject]>([
    ['nullable', { nullable: { inner: null } }],
    ['free', {}],
    ['given', { given: 7 }],
  ])('is what the schema makes of it: %s', async (name, spec) => {
    const plane = await given(definition([FIELDS]));
    const wanted = name === 'nullable' ? { inner: null } : null;
    const told = await plane.patch(`${TABS}/a${APPLIED}`, 'apply', tab('a', { [name]: wanted }));
    expect([told.code, told.message]).toEqual([201, '']);
    expect(told.object['spec']).toEqual({ given: 7, ...spec });
  });

  it('is left out of what comes in another way', async () => {
    const plane = await given(definition([FIELDS]));
    const told = await plane.post(TABS, withInner('plain', null));
    expect([told.code, told.object['spec']]).toEqual([201, { given: 7, plain: {} }]);
  });

  it('is refused where a number or a text is wanted', async () => {
    const plane = await given(definition([FIELDS]));
    const told = await plane.patch(`${TABS}/a${APPLIED}`, 'apply', tab('a', { port: null }));
    expect(told.code).toBe(422);
    expect(told.message).toContain('spec.port in body must be of type integer,string: "null"');
  });
});
