import { expect, test } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import { configMap, deployment } from '../../registry/given-registry.fixture.ts';
import { aboutConfigMaps, givenPolicies, MAPS } from './given-policies.fixture.ts';
import { validatingAdmissionPolicy } from './validating-admission-policy.ts';

const given = (authorizer?: Authorizer) =>
  givenPolicies('Validating', validatingAdmissionPolicy, authorizer);

const denied = (name: string, why: string): string =>
  `configmaps "${name}" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${why}`;

test('a policy holds from the next request on, as soon as it is bound', async () => {
  const plane = await given();
  await plane.policy('p', { validations: [{ expression: 'has(object.data.good)' }] });
  expect((await plane.post(MAPS, configMap('before'))).code).toBe(201);
  await plane.bind('b', 'p');
  const told = await plane.post(MAPS, configMap('bad', { k: 'v' }));
  expect(told).toMatchObject({
    code: 422,
    reason: 'Invalid',
    message: denied('bad', 'failed expression: has(object.data.good)'),
  });
  expect(told.status?.details?.causes).toEqual([
    {
      message:
        "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: " +
        'failed expression: has(object.data.good)',
    },
  ]);
  expect((await plane.post(MAPS, configMap('good', { good: '1' }))).code).toBe(201);
  await plane.del('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/b');
  expect((await plane.post(MAPS, configMap('bad', { k: 'v' }))).code).toBe(201);
});

test.each<[JsonObject, number, string]>([
  [{ message: ' said ' }, 422, 'said'],
  [{ message: 'said', reason: 'Forbidden' }, 403, 'said'],
  [{ message: 'said', reason: 'RequestEntityTooLarge' }, 413, 'said'],
  [{ messageExpression: '"name: " + object.metadata.name' }, 422, 'name: one'],
  [{ messageExpression: 'string(object.none)', message: 'said' }, 422, 'said'],
  [{ messageExpression: '"two\\nlines"', message: 'said' }, 422, 'said'],
  [{ messageExpression: '" "' }, 422, 'failed expression: false'],
])('a validation may say why: %j', async (validation, code, why) => {
  const plane = await given();
  await plane.policy('p', { validations: [{ expression: 'false', ...validation }] });
  await plane.bind('b', 'p');
  expect(await plane.post(MAPS, configMap('one'))).toMatchObject({
    code,
    message: denied('one', why),
  });
});

test.each([
  [
    'Fail',
    422,
    denied('one', "expression 'object.none == 1' resulted in error: no such key: none"),
  ],
  ['Ignore', 201, ''],
])('what goes wrong is for the failure policy: %s', async (failurePolicy, code, message) => {
  const plane = await given();
  const validations = [{ expression: 'object.none == 1' }];
  await plane.policy('p', { failurePolicy, validations });
  await plane.bind('b', 'p');
  expect(await plane.post(MAPS, configMap('one'))).toMatchObject({ code, message });
});

test('variables may use one another, and are evaluated once', async () => {
  const plane = await given();
  await plane.policy('p', {
    variables: [
      { name: 'keys', expression: 'has(object.data) ? object.data.map(k, k) : []' },
      { name: 'count', expression: 'size(variables.keys)' },
    ],
    validations: [
      {
        expression: 'variables.count < 2',
        messageExpression: '"too many: " + variables.keys.join(", ")',
      },
    ],
  });
  await plane.bind('b', 'p');
  expect((await plane.post(MAPS, configMap('one', { a: '' }))).code).toBe(201);
  const told = await plane.post(MAPS, configMap('two', { a: '', b: '' }));
  expect(told.message).toBe(denied('two', 'too many: a, b'));
});

test('conditions decide whether it is asked at all', async () => {
  const plane = await given();
  await plane.policy('p', {
    matchConditions: [{ name: 'mine', expression: 'request.userInfo.username != "jane"' }],
    validations: [{ expression: 'false' }],
  });
  await plane.bind('b', 'p');
  expect((await plane.post(MAPS, configMap('one'))).code).toBe(201);
});

test('a binding may warn and write down instead of refusing', async () => {
  const plane = await given();
  await plane.policy('p', { validations: [{ expression: 'false', message: 'no' }] });
  await plane.bind('b', 'p', { validationActions: ['Warn', 'Audit'] });
  const told = await plane.post(MAPS, configMap('one'));
  expect(told.code).toBe(201);
  expect(told.warnings).toEqual([
    "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no",
  ]);
});

test('an audit annotation is noted below its policy and key, and one that is null is not', async () => {
  const plane = await given();
  await plane.policy('p', {
    auditAnnotations: [
      { key: 'name', valueExpression: '" " + object.metadata.name' },
      { key: 'none', valueExpression: 'null' },
      { key: 'blank', valueExpression: '" "' },
    ],
  });
  await plane.bind('b', 'p');
  expect(await plane.post(MAPS, configMap('one'))).toMatchObject({ code: 201 });
  expect([...plane.noted]).toEqual([['p/name', 'one']]);
});

test('an audit annotation that fails is for the failure policy', async () => {
  const plane = await given();
  await plane.policy('p', {
    auditAnnotations: [{ key: 'k', valueExpression: 'string(object.none)' }],
  });
  await plane.bind('b', 'p');
  const { code, message } = await plane.post(MAPS, configMap('one'));
  expect([code, message]).toEqual([
    422,
    denied('one', "expression 'string(object.none)' resulted in error: no such key: none"),
  ]);
});

const limit = {
  paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
  validations: [
    {
      expression: 'params == null || size(object.data) <= int(params.data.max)',
      message: 'too many',
    },
  ],
  matchConstraints: aboutConfigMaps({ operations: ['UPDATE'] }),
};

test('a parameter is read as it is, by name or by its labels', async () => {
  const plane = await given();
  await plane.post(MAPS, configMap('limit', { max: '1' }, { labels: { limits: 'yes' } }));
  await plane.post(MAPS, configMap('one', { a: '' }));
  await plane.policy('p', limit);
  const selector = { matchLabels: { limits: 'yes' } };
  await plane.bind('b', 'p', { paramRef: { selector, parameterNotFoundAction: 'Deny' } });
  const two = configMap('one', { a: '', b: '' });
  expect((await plane.put(`${MAPS}/one`, two)).message).toBe(denied('one', 'too many'));
  const max = configMap('limit', { max: '2' }, { labels: { limits: 'yes' } });
  expect((await plane.put(`${MAPS}/limit`, max)).code).toBe(200);
  expect((await plane.put(`${MAPS}/one`, two)).code).toBe(200);
});

test.each([
  [
    'Deny',
    422,
    denied(
      'one',
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    ),
  ],
  ['Allow', 200, ''],
])('without its parameter: %s', async (parameterNotFoundAction, code, message) => {
  const plane = await given();
  await plane.post(MAPS, configMap('one', { a: '' }));
  await plane.policy('p', limit);
  await plane.bind('b', 'p', { paramRef: { name: 'none', parameterNotFoundAction } });
  const told = await plane.put(`${MAPS}/one`, configMap('one', { a: '', b: '' }));
  expect(told).toMatchObject({ code, message });
});

test('a kind of parameters that is not served is a problem of the policy', async () => {
  const plane = await given();
  await plane.policy('p', {
    paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' },
    validations: [{ expression: 'true' }],
  });
  await plane.bind('b', 'p', { paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } });
  expect((await plane.post(MAPS, configMap('one'))).message).toBe(
    `configmaps "one" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to ` +
      `configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'`,
  );
});

test('the namespace, the old object and the authorizer can be spoken of', async () => {
  const plane = await given({
    authorize: ({ user, request }) =>
      request.verb === 'approve' && user.name === 'system:serviceaccount:ns:bot'
        ? { verdict: 'allow', reason: '' }
        : { verdict: 'deny', reason: 'never' },
  });
  await plane.policy('p', {
    validations: [
      { expression: 'namespaceObject.metadata.name == "default"' },
      { expression: 'oldObject == null' },
      { expression: '!authorizer.requestResource.check("approve").allowed()' },
      {
        expression:
          'authorizer.serviceAccount("ns", "bot").group("").resource("configmaps").check("approve").allowed()',
      },
      { expression: 'authorizer.path("/x").check("get").reason() == "never"' },
    ],
  });
  await plane.bind('b', 'p');
  expect(await plane.post(MAPS, configMap('one'))).toMatchObject({ code: 201 });
});

test('a loop without end ends where the budget does', async () => {
  const plane = await given();
  const data = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`k${String(i)}`, 'v']));
  await plane.policy('p', {
    validations: [
      { expression: 'object.data.all(a, object.data.all(b, object.data.all(c, a != b + c)))' },
    ],
  });
  await plane.bind('b', 'p');
  const { code, message } = await plane.post(MAPS, configMap('one', data));
  expect(code).toBe(422);
  expect(message).toMatch(/operation cancelled: actual cost limit exceeded$/);
});

test('excluded rules and names are left alone, other versions are not', async () => {
  const plane = await given();
  const rule = { operations: ['*'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['*'] };
  await plane.policy('p', {
    matchConstraints: {
      resourceRules: [{ ...rule, resources: ['deployments'] }],
      excludeResourceRules: [{ ...rule, resourceNames: ['spared'] }],
    },
    validations: [{ expression: 'object.spec.replicas <= 3' }],
  });
  await plane.bind('b', 'p');
  const path = '/apis/apps/v1/namespaces/default/deployments';
  expect((await plane.post(path, deployment('spared', 5))).code).toBe(201);
  expect((await plane.post(path, deployment('other', 5))).code).toBe(422);
});

test('policies are not asked about policies', async () => {
  const plane = await given();
  const rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
  await plane.policy('p', {
    matchConstraints: { resourceRules: [rule] },
    validations: [{ expression: 'false' }],
  });
  await plane.bind('b', 'p');
  const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/b';
  expect((await plane.post(MAPS, configMap('one'))).code).toBe(422);
  expect((await plane.del(path)).code).toBe(200);
});

test('figures are told of what follows, and of conditions that do not hold', async () => {
  const plane = await given();
  const validations = [
    { expression: 'object.metadata.name != "bad"' },
    { expression: 'object.metadata.name != "odd" || object.none' },
  ];
  const matchConditions = [{ name: 'c', expression: 'object.metadata.name != "other"' }];
  await plane.policy('p', { validations, matchConditions, failurePolicy: 'Ignore' });
  await plane.bind('b', 'p', { validationActions: ['Audit', 'Warn'] });
  for (const name of ['good', 'bad', 'odd', 'other']) await plane.post(MAPS, configMap(name));
  expect(plane.told).toEqual([
    'validated p b invalid_error audit',
    'validated p b invalid_error warn',
    'validated p b invalid_error allow',
    'conditions of policy p validate CREATE 0',
  ]);
});
