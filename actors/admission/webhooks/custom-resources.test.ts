/** Webhooks that are asked about custom resources in the versions that they know, and old webhooks. */
import { expect, test } from 'vitest';

import { objectAt } from '../../../api/json/json.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { configMap } from '../../registry/given-registry.fixture.ts';
import { makeTabs, TAB, TABS2 } from '../given-tabs.fixture.ts';
import { configMaps, givenWebhooks, patchResponse } from './given-webhooks.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

async function givenTabs() {
  const plane = await givenWebhooks();
  await makeTabs(plane);
  return {
    ...plane,
    stored() {
      const found = plane.objects.get('example.com/tabs', 'default/a');
      return found === undefined ? {} : parsedObject(found);
    },
  };
}

const rules = [
  { operations: ['*'], apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['tabs'] },
];
test('a custom resource is shown in the version that the webhook is about, and taken back', async () => {
  const plane = await givenTabs();
  await plane.hook('mutating', { name: 'm', rules }, () =>
    patchResponse({ op: 'replace', path: '/spec/size', value: 7 }),
  );
  await plane.hook('validating', { name: 'v', rules }, () => ({ allowed: true }));
  const told = await plane.post(TABS2, TAB);
  expect(told.object['spec'], told.message).toEqual({ width: 7 });
  expect(plane.asked.map(({ request }) => objectAt(request, 'object'))).toMatchObject([
    { apiVersion: 'example.com/v1', spec: { size: 3 } },
    { apiVersion: 'example.com/v1', spec: { size: 7 } },
  ]);
  expect(plane.asked[0]?.request).toMatchObject({
    kind: { group: 'example.com', version: 'v1', kind: 'Tab' },
    resource: { group: 'example.com', version: 'v1', resource: 'tabs' },
    requestKind: { group: 'example.com', version: 'v2', kind: 'Tab' },
    requestResource: { group: 'example.com', version: 'v2', resource: 'tabs' },
  });
  expect(plane.stored()).toMatchObject({ apiVersion: 'example.com/v1', spec: { size: 7 } });
});

test('an update shows both objects so, and a webhook that wants nothing but its version is not asked', async () => {
  const plane = await givenTabs();
  await plane.hook('validating', { name: 'exact', rules, matchPolicy: 'Exact' }, () => ({
    allowed: false,
  }));
  await plane.hook('validating', { name: 'v', rules }, () => ({ allowed: true }));
  await plane.post(TABS2, TAB);
  const told = await plane.patch(`${TABS2}/a`, 'merge', { spec: { width: 4 } });
  expect(told.code, told.message).toBe(200);
  expect(plane.names()).toEqual(['v', 'v']);
  expect(plane.asked[1]?.request).toMatchObject({
    object: { apiVersion: 'example.com/v1', spec: { size: 4 } },
    oldObject: { apiVersion: 'example.com/v1', spec: { size: 3 } },
  });
});

test('a webhook is not asked about what cannot be converted for it', async () => {
  const plane = await givenTabs();
  await plane.hook('validating', { name: 'v', rules }, () => ({ allowed: true }));
  plane.webhooks.answer = () => 'connection refused';
  const told = await plane.post(TABS2, TAB);
  expect(told.code).toBe(500);
  expect(told.message).toContain('conversion webhook for example.com/v2, Kind=Tab failed');
  expect(plane.asked).toEqual([]);
});

const OLD = { admissionReviewVersions: ['v1beta1'], rules: [configMaps()] };

test('a webhook that speaks v1beta1 alone is asked in it, and needs to say less', async () => {
  const plane = await givenWebhooks();
  const patch = Buffer.from('[{"op":"add","path":"/data","value":{"a":"b"}}]').toString('base64');
  // Neither the uid of the question nor the type of the patch.
  await plane.hook('mutating', { name: 'm', ...OLD }, () => ({ uid: '', allowed: true, patch }));
  const told = await plane.post(MAPS, configMap('one'));
  expect(told.object['data'], told.message).toEqual({ a: 'b' });
  expect(plane.asked[0]).toMatchObject({
    apiVersion: 'admission.k8s.io/v1beta1',
    request: { operation: 'CREATE', name: 'one', object: { kind: 'ConfigMap' } },
  });
});

test('a webhook that was asked in v1beta1 has to answer in it, and its no counts', async () => {
  const plane = await givenWebhooks();
  await plane.hook('validating', { name: 'a', ...OLD }, () => ({
    allowed: false,
    status: { message: 'never' },
  }));
  expect((await plane.post(MAPS, configMap('one'))).message).toBe(
    'admission webhook "a.example.com" denied the request: never',
  );
  const newer = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' };
  await plane.hook('validating', { name: '0', ...OLD }, () =>
    Buffer.from(JSON.stringify({ ...newer, response: { allowed: true } })),
  );
  const told = await plane.post(MAPS, configMap('two'));
  expect(told.code).toBe(500);
  expect(told.message).toContain('failed calling webhook "0.example.com": failed to call webhook');
});
