import { expect, test } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import { configMap, deployment } from '../../registry/given-registry.fixture.ts';
import { makeTabs, TAB, TABS2 } from '../given-tabs.fixture.ts';
import { aboutConfigMaps, givenPolicies, MAPS } from './given-policies.fixture.ts';
import { mutatingAdmissionPolicy } from './mutating-admission-policy.ts';

const given = () => givenPolicies('Mutating', mutatingAdmissionPolicy);

const jsonPatch = (expression: string): JsonObject => ({
  patchType: 'JSONPatch',
  jsonPatch: { expression },
});
const applying = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const spec = (...mutations: JsonObject[]): JsonObject => ({
  reinvocationPolicy: 'Never',
  mutations,
});

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const aboutDeployments = {
  matchConstraints: aboutConfigMaps({ apiGroups: ['apps'], resources: ['deployments'] }),
};

test('patches of several mutations are applied one behind the other', async () => {
  const plane = await given();
  const key = 'jsonpatch.escapeKey("example.com/name")';
  await plane.policy(
    'p',
    spec(
      jsonPatch('[JSONPatch{op: "add", path: "/data/first", value: object.metadata.name}]'),
      jsonPatch(`[
        JSONPatch{op: "add", path: "/metadata/annotations", value: {"kept": "yes"}},
        JSONPatch{op: "copy", from: "/data/first", path: "/metadata/annotations/" + ${key}}
      ]`),
    ),
  );
  await plane.bind('b', 'p');
  const { object } = await plane.post(MAPS, configMap('one', { k: 'v' }));
  expect(object['data']).toEqual({ first: 'one', k: 'v' });
  expect(object.metadata.annotations).toEqual({ 'example.com/name': 'one', kept: 'yes' });
});

test('a patch that is tested and does not apply changes nothing', async () => {
  const plane = await given();
  const testing =
    'JSONPatch{op: "test", path: "/data/k", value: "v"}, JSONPatch{op: "add", path: "/data/x", value: "y"}';
  await plane.policy('p', spec(jsonPatch(`[${testing}]`)));
  await plane.bind('b', 'p');
  expect((await plane.post(MAPS, configMap('one', { k: 'v' }))).object['data']).toEqual({
    k: 'v',
    x: 'y',
  });
  expect((await plane.post(MAPS, configMap('two', { k: 'w' }))).object['data']).toEqual({ k: 'w' });
});

test('an object is merged over the one that is there, lists by their keys', async () => {
  const plane = await given();
  await plane.policy('p', {
    ...spec(
      applying(`Object{
        metadata: Object.metadata{labels: {"added": "yes"}},
        spec: Object.spec{
          template: Object.spec.template{
            spec: Object.spec.template.spec{
              initContainers: [Object.spec.template.spec.initContainers{name: "mesh", image: "mesh"}]
            }
          }
        }
      }`),
    ),
    ...aboutDeployments,
  });
  await plane.bind('b', 'p');
  const { code, object, message } = await plane.post(DEPLOYMENTS, deployment('d', 1));
  expect([code, message]).toEqual([201, '']);
  expect(object).toMatchObject({
    metadata: { labels: { added: 'yes' } },
    spec: {
      template: {
        spec: {
          initContainers: [{ name: 'mesh', image: 'mesh', imagePullPolicy: 'Always' }],
          containers: [{ name: 'main', image: 'nginx' }],
        },
      },
    },
  });
});

test.each([
  [
    'Object{spec: Object.spec{template: Object.spec.wrong{}}}',
    'type mismatch: unexpected type name "Object.spec.wrong", expected "Object.spec.template", which matches field name path from root Object type',
  ],
  [
    'Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"a": "b"}}}}',
    'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector',
  ],
])('%s is refused', async (expression, why) => {
  const plane = await given();
  await plane.policy('p', { ...spec(applying(expression)), ...aboutDeployments });
  await plane.bind('b', 'p');
  const told = await plane.post(DEPLOYMENTS, deployment('d', 1));
  const message = `policy 'p' with binding 'b' denied request: ${why}`;
  expect(told).toMatchObject({ code: 403, reason: 'Invalid', message });
  expect(told.status?.details?.causes).toEqual([{ message }]);
});

test('what goes wrong may be ignored', async () => {
  const plane = await given();
  await plane.policy('p', {
    ...spec(jsonPatch('[JSONPatch{op: "remove", path: "/data/none"}]')),
    failurePolicy: 'Ignore',
  });
  await plane.bind('b', 'p');
  expect((await plane.post(MAPS, configMap('one', { k: 'v' }))).code).toBe(201);
});

test('a policy that wants to is asked again when another one changed something behind it', async () => {
  const plane = await given();
  await plane.policy('a', {
    reinvocationPolicy: 'IfNeeded',
    mutations: [
      jsonPatch(
        'has(object.data.b) ? [JSONPatch{op: "add", path: "/data/a", value: "saw b"}] : []',
      ),
    ],
  });
  await plane.policy('b', spec(jsonPatch('[JSONPatch{op: "add", path: "/data/b", value: "1"}]')));
  await plane.bind('a', 'a');
  await plane.bind('b', 'b');
  const { object } = await plane.post(MAPS, configMap('one', { k: 'v' }));
  expect(object['data']).toEqual({ a: 'saw b', b: '1', k: 'v' });
});

test('parameters, variables and conditions', async () => {
  const plane = await given();
  await plane.post(MAPS, configMap('settings', { label: 'blue' }));
  await plane.policy('p', {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    matchConditions: [{ name: 'other', expression: 'object.metadata.name != "settings"' }],
    variables: [{ name: 'label', expression: 'params.data.label' }],
    ...spec(applying('Object{metadata: Object.metadata{labels: {"colour": variables.label}}}')),
  });
  await plane.bind('b', 'p', {
    paramRef: { name: 'settings', parameterNotFoundAction: 'Deny' },
  });
  const { object } = await plane.post(MAPS, configMap('one'));
  expect(object.metadata.labels).toEqual({ colour: 'blue' });
});

test('figures are told of each mutation, and of what keeps one from being made', async () => {
  const plane = await givenPolicies('Mutating', mutatingAdmissionPolicy);
  const expression = 'Object{metadata: Object.metadata{labels: {"a": object.data.a}}}';
  const matchConditions = [{ name: 'c', expression: 'object.metadata.name != "other"' }];
  await plane.policy('p', {
    matchConditions,
    failurePolicy: 'Ignore',
    reinvocationPolicy: 'Never',
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
  });
  await plane.bind('b', 'p');
  await plane.post(MAPS, configMap('one', { a: 'x' }));
  await plane.post(MAPS, configMap('two'));
  await plane.post(MAPS, configMap('other'));
  expect(plane.told).toEqual([
    'mutated p b no_error',
    'mutated p b invalid_error',
    'conditions of policy p validate CREATE 0',
  ]);
});

test('a kind of parameters that is not served is for the failure policy', async () => {
  const plane = await given();
  const paramKind = { apiVersion: 'example.com/v1', kind: 'Limit' };
  const adding = jsonPatch('[JSONPatch{op: "add", path: "/data/x", value: "y"}]');
  await plane.policy('p', { ...spec(adding), paramKind });
  await plane.bind('b', 'p', { paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } });
  expect((await plane.post(MAPS, configMap('one', { k: 'v' }))).message).toContain(
    `failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'`,
  );
});

const ADDING = '[JSONPatch{op: "add", path: "/metadata/labels", value: {}}]';
const NOT_CONFIGURED = "policy 'p' with binding 'b' denied request: failed to configure policy: ";

test('a policy whose namespace cannot be looked up fails the request, without a reason', async () => {
  const plane = await given();
  const namespaceSelector = { matchLabels: { team: 'web' } };
  const matchConstraints = { ...aboutConfigMaps(), namespaceSelector };
  await plane.policy('p', { ...spec(jsonPatch(ADDING)), matchConstraints });
  await plane.bind('b', 'p');
  const version = await plane.elsewhere('core/configmaps', 'gone/a', (object) => {
    Object.assign(object, configMap('a', {}, { namespace: 'gone', uid: 'u' }));
    return undefined;
  });
  await plane.applied.whenApplied(version, 1_000);
  const told = await plane.put('/api/v1/namespaces/gone/configmaps/a', configMap('a', { k: 'v' }));
  const message = `policy "p" denied request: failed to configure policy: namespaces "gone" not found`;
  expect(told).toMatchObject({ code: 403, reason: 'Forbidden', message });
  expect(told.status?.details?.causes).toEqual([{ message }]);
});

test('a policy for whose version an object cannot be converted fails the request, without a reason', async () => {
  const plane = await given();
  await makeTabs(plane);
  const rule = { apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['tabs'] };
  await plane.policy('p', {
    ...spec(jsonPatch(ADDING)),
    matchConstraints: { ...aboutConfigMaps(rule), matchPolicy: 'Equivalent' },
  });
  await plane.bind('b', 'p');
  plane.webhooks.answer = () => 'connection refused';
  const told = await plane.post(TABS2, TAB);
  expect(told).toMatchObject({ code: 403, reason: 'Forbidden' });
  expect(told.message).toContain(
    `${NOT_CONFIGURED}conversion webhook for example.com/v2, Kind=Tab`,
  );
  expect(told.status?.details?.causes).toEqual([{ message: told.message }]);
});
