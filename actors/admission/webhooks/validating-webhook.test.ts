import { expect, test } from 'vitest';

import type { Authorizer } from '../../authorization/authorizer.ts';
import { configMap } from '../../registry/given-registry.fixture.ts';
import { givenWebhooks, patchResponse } from './given-webhooks.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const allowing = () => ({ allowed: true });

test('one webhook that says no is enough, and all are asked', async () => {
  const plane = await givenWebhooks();
  await plane.hook('validating', { name: 'a' }, allowing);
  await plane.hook('validating', { name: 'b' }, () => ({
    allowed: false,
    status: { code: 403, message: 'never' },
  }));
  await plane.hook('validating', { name: 'c' }, allowing);
  const told = await plane.post(MAPS, configMap('one'));
  expect(told).toMatchObject({
    code: 403,
    message: 'admission webhook "b.example.com" denied the request: never',
  });
  expect(plane.names()).toEqual(['a', 'b', 'c']);
  expect(plane.meters.told).toContain('rejected b.example.com no_error 403');
});

test('an answer that allows is not counted as a refusal', async () => {
  const plane = await givenWebhooks();
  await plane.hook('validating', { name: 'a' }, allowing);
  await plane.post(MAPS, configMap('one'));
  expect(plane.meters.told).toContain('asked a.example.com 200');
  expect(plane.meters.told.filter((line) => line.includes('rejected'))).toEqual([]);
});

test('it sees what is going to be written, with all that was changed', async () => {
  const plane = await givenWebhooks();
  await plane.hook('mutating', { name: 'm' }, () =>
    patchResponse({ op: 'add', path: '/data', value: { added: 'yes' } }),
  );
  await plane.hook('validating', { name: 'v' }, allowing);
  await plane.post(MAPS, configMap('one'));
  expect(plane.asked[1]?.request).toMatchObject({
    object: { data: { added: 'yes' }, metadata: { namespace: 'default', name: 'one' } },
  });
});

test('warnings are passed on, and a patch is not taken', async () => {
  const plane = await givenWebhooks();
  await plane.hook('validating', { name: 'a' }, () => ({ allowed: true, warnings: ['mind it'] }));
  expect((await plane.post(MAPS, configMap('one'))).warnings).toEqual(['mind it']);
  await plane.hook('validating', { name: 'b' }, () => patchResponse({ op: 'remove', path: '/x' }));
  expect((await plane.post(MAPS, configMap('two'))).message).toMatch(
    /validating webhook may not return response\.patch$/,
  );
});

test('namespaces and objects are selected by their labels, an old object as well', async () => {
  const plane = await givenWebhooks();
  await plane.post('/api/v1/namespaces', {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name: 'watched', labels: { watch: 'yes' } },
  });
  const namespaceSelector = { matchLabels: { watch: 'yes' } };
  const objectSelector = { matchLabels: { mine: 'yes' } };
  await plane.hook('validating', { name: 'a', namespaceSelector, objectSelector }, allowing);
  const mine = (name: string) => configMap(name, {}, { labels: { mine: 'yes' } });
  await plane.post(MAPS, mine('elsewhere'));
  await plane.post('/api/v1/namespaces/watched/configmaps', configMap('unlabelled'));
  expect(plane.names()).toEqual([]);
  await plane.post('/api/v1/namespaces/watched/configmaps', mine('labelled'));
  expect(plane.names()).toEqual(['a']);
  await plane.put('/api/v1/namespaces/watched/configmaps/labelled', configMap('labelled'));
  expect(plane.names()).toEqual(['a', 'a']);
});

const condition = (expression: string) => ({
  matchConditions: [{ name: 'condition', expression }],
});

test('conditions decide whether it is asked; what goes wrong is for the failure policy', async () => {
  const plane = await givenWebhooks();
  await plane.hook('validating', { name: 'a', ...condition('object.data.ask == "yes"') }, allowing);
  expect((await plane.post(MAPS, configMap('no', { ask: 'no' }))).code).toBe(201);
  expect(plane.meters.told).toEqual([
    'conditions of webhook a.example.com validate CREATE 0',
    'excluded a.example.com',
  ]);
  await plane.post(MAPS, configMap('yes', { ask: 'yes' }));
  expect(plane.names()).toEqual(['a']);
  expect(await plane.post(MAPS, configMap('none', {}))).toMatchObject({
    code: 403,
    message:
      'configmaps "none" is forbidden: ' +
      `expression 'object.data.ask == "yes"' resulted in error: no such key: data`,
  });
});

test('conditions may ask what the requester may do, of authorizers that have to ask others', async () => {
  const asked: string[] = [];
  const slow: Authorizer = {
    async authorize({ request: { verb, resource, name } }) {
      await Promise.resolve();
      asked.push(`${verb} ${resource} ${name}`);
      return { verdict: name === 'one' ? 'allow' : 'deny', reason: '' };
    },
  };
  const plane = await givenWebhooks(slow);
  const expression = '!authorizer.requestResource.check("break").allowed()';
  await plane.hook('validating', { name: 'a', ...condition(expression) }, allowing);
  await plane.post(MAPS, configMap('one'));
  expect(plane.names()).toEqual([]);
  await plane.post(MAPS, configMap('two'));
  expect(plane.names()).toEqual(['a']);
  expect(asked).toEqual(['break configmaps one', 'break configmaps two']);
});

test('a change of the configuration counts from the next request on', async () => {
  const plane = await givenWebhooks();
  await plane.hook('validating', { name: 'a' }, () => ({ allowed: false }));
  expect((await plane.post(MAPS, configMap('one'))).code).toBe(400);
  await plane.del('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/a');
  expect((await plane.post(MAPS, configMap('one'))).code).toBe(201);
});
