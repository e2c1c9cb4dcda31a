import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../api/json/json.ts';
import type { Attributes, Decision } from '../authorization/authorizer.ts';
import { givenVirtual, JANE, type MadeUp } from './given-virtual.fixture.ts';
import { alwaysAllow, alwaysDeny, serverAuthorizer } from '../authorization/server-authorizer.ts';

const GROUP = '/apis/authorization.k8s.io/v1';
const ANY = `${GROUP}/subjectaccessreviews`;
const OWN = `${GROUP}/selfsubjectaccessreviews`;
const LOCAL = `${GROUP}/namespaces/shop/localsubjectaccessreviews`;
const PODS = { verb: 'list', resource: 'pods' };
const SET_BY_CLIENT = {
  manager: 'unknown',
  operation: 'Update',
  apiVersion: 'authorization.k8s.io/v1',
  time: '1970-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:resourceAttributes': { '.': {}, 'f:resource': {}, 'f:verb': {} } } },
};

/** An authorizer that always decides alike, and what it was asked. */
async function given(decision: Decision | Promise<Decision> = { verdict: 'allow', reason: '' }) {
  const asked: Attributes[] = [];
  const virtual = await givenVirtual({
    authorize(attributes) {
      asked.push(attributes);
      return decision;
    },
  });
  return { ...virtual, asked };
}

describe('access reviews', () => {
  it('ask about the client itself', async () => {
    const { post, asked } = await given();
    const { code, body } = await post(OWN, { spec: { resourceAttributes: PODS } });
    expect(code).toBe(201);
    expect(body).toEqual({
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: { managedFields: [SET_BY_CLIENT] },
      spec: { resourceAttributes: PODS },
      status: { allowed: true },
    });
    expect(asked).toMatchObject([{ user: JANE, request: { verb: 'list', apiVersion: '*' } }]);
  });

  it('below /at/, deny what would write, whatever the rules say', async () => {
    const { post, asked } = await given();
    await post('/api/v1/namespaces', { metadata: { name: 'shop' } });
    const review = (verb: string, path = OWN, user = {}) =>
      post(`/at/1${path}`, { spec: { ...user, resourceAttributes: { ...PODS, verb } } });
    expect(await review('list')).toMatchObject({ code: 201, body: { status: { allowed: true } } });
    expect(asked).toHaveLength(1);
    for (const verb of ['create', 'update', 'patch', 'delete', 'deletecollection', '*']) {
      const { body } = await review(verb);
      expect(body['status']).toEqual({
        allowed: false,
        denied: true,
        reason: 'the past is read-only: below /at/ nothing can be written',
      });
    }
    expect((await review('create', ANY, { user: 'bob' })).body['status']).toMatchObject({
      denied: true,
    });
    expect(asked).toHaveLength(1);
  });

  it('ask about another user', async () => {
    const { post, asked } = await given();
    await post(ANY, {
      spec: {
        user: 'bob',
        groups: ['dev'],
        uid: '7',
        extra: { scopes: ['a'] },
        resourceAttributes: {
          namespace: 'shop',
          verb: 'patch',
          group: 'apps',
          version: 'v1',
          resource: 'deployments',
          subresource: 'scale',
          name: 'web',
        },
      },
    });
    expect(asked).toMatchObject([
      {
        user: { name: 'bob', groups: ['dev'], uid: '7', extra: { scopes: ['a'] } },
        request: {
          isResourceRequest: true,
          namespace: 'shop',
          verb: 'patch',
          apiGroup: 'apps',
          apiVersion: 'v1',
          resource: 'deployments',
          subresource: 'scale',
          name: 'web',
        },
      },
    ]);
  });

  it('ask about paths', async () => {
    const { post, asked } = await given();
    const nonResourceAttributes = { path: '/metrics', verb: 'get' };
    await post(ANY, { spec: { groups: ['dev'], nonResourceAttributes } });
    expect(asked).toMatchObject([
      { request: { isResourceRequest: false, path: '/metrics', verb: 'get' } },
    ]);
  });

  it('ask about one namespace, which need not exist', async () => {
    const { post, asked } = await given();
    const resourceAttributes = { ...PODS, namespace: 'shop' };
    const { code, body } = await post(LOCAL, { spec: { user: 'bob', resourceAttributes } });
    expect(code).toBe(201);
    expect(body).toMatchObject({ metadata: { namespace: 'shop' }, status: { allowed: true } });
    expect(asked).toHaveLength(1);
  });

  const broken = new Error('no rules');
  it.each<[Decision, JsonObject]>([
    [
      { verdict: 'allow', reason: 'because' },
      { allowed: true, reason: 'because' },
    ],
    [
      { verdict: 'deny', reason: 'no' },
      { allowed: false, denied: true, reason: 'no' },
    ],
    [{ verdict: 'noOpinion', reason: '' }, { allowed: false }],
    [
      { verdict: 'noOpinion', reason: '', error: broken },
      { allowed: false, evaluationError: 'no rules' },
    ],
  ])('show the decision %j', async (decision, status) => {
    const { post } = await given(decision);
    const { body } = await post(OWN, { spec: { resourceAttributes: PODS } });
    expect(body['status']).toEqual(status);
  });

  it('wait for authorizers that have to ask, and tell when that failed', async () => {
    const { post } = await given(Promise.reject(new Error('the webhook is down')));
    const { body } = await post(OWN, { spec: { resourceAttributes: PODS } });
    expect(body['status']).toEqual({ allowed: false, evaluationError: 'the webhook is down' });
  });

  it.each<[JsonObject, string, string, string]>([
    [{ labelSelector: { rawSelector: 'a in (b,c)' } }, 'a in (b,c)', '', ''],
    [{ fieldSelector: { rawSelector: 'spec.nodeName=n' } }, '', 'spec.nodeName=n', ''],
    [{ labelSelector: requirements(['a', 'In', 'b', 'c']) }, 'a in (b,c)', '', ''],
    [{ labelSelector: requirements(['a', 'Exists'], ['b', 'DoesNotExist']) }, 'a,!b', '', ''],
    [
      { fieldSelector: requirements(['x', 'In', 'a,b'], ['y', 'NotIn', 'c']) },
      '',
      'x=a\\,b,y!=c',
      '',
    ],
    [
      { labelSelector: { rawSelector: 'a===b' } },
      '',
      '',
      'spec.resourceAttributes.labelSelector ignored due to parse error',
    ],
    [
      {
        labelSelector: requirements(['a', 'Exists'], ['b', 'Near']),
        fieldSelector: requirements(['x', 'Exists']),
      },
      'a',
      '',
      'spec.resourceAttributes.fieldSelector ignored due to parse error; ' +
        'spec.resourceAttributes.labelSelector partially ignored due to parse error',
    ],
  ])('read the selectors %j', async (selectors, labelSelector, fieldSelector, problem) => {
    const { post, asked } = await given();
    const { body } = await post(OWN, { spec: { resourceAttributes: { ...PODS, ...selectors } } });
    expect(asked).toMatchObject([{ request: { labelSelector, fieldSelector } }]);
    expect(body['status']).toEqual({
      allowed: true,
      ...(problem === '' ? {} : { evaluationError: problem }),
    });
  });

  const choose = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  const path = { path: '/', verb: 'get' };
  it.each<[string, JsonObject, readonly string[]]>([
    [
      ANY,
      { spec: {} },
      [
        `spec.resourceAttributes: Invalid value: null: ${choose}`,
        'spec.user: Invalid value: "": at least one of user or group must be specified',
      ],
    ],
    [
      OWN,
      { spec: { resourceAttributes: PODS, nonResourceAttributes: path } },
      [
        'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: ' +
          'cannot be specified in combination with resourceAttributes',
      ],
    ],
    [
      OWN,
      { metadata: { name: 'a' }, spec: { resourceAttributes: PODS } },
      ['metadata: Invalid value: {"name":"a","managedFields":['],
    ],
    [
      LOCAL,
      {
        metadata: { name: 'a' },
        spec: { user: 'u', resourceAttributes: { ...PODS, namespace: 'b' } },
      },
      [
        'metadata: Invalid value: {"name":"a","namespace":"shop","managedFields":[',
        'spec.resourceAttributes.namespace: Invalid value: "b": must match metadata.namespace',
      ],
    ],
    [
      LOCAL,
      { spec: { user: 'u', nonResourceAttributes: path } },
      [
        'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: ' +
          'disallowed on this kind of request',
      ],
    ],
    [
      OWN,
      {
        spec: {
          resourceAttributes: {
            ...PODS,
            fieldSelector: {},
            labelSelector: { rawSelector: 'a', ...requirements(['-', 'In'], ['b', 'Exists', '-']) },
          },
        },
      },
      [
        'spec.resourceAttributes.fieldSelector.requirements: Required value: ' +
          'when spec.resourceAttributes.fieldSelector is specified, ' +
          'requirements or rawSelector is required',
        'spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a": ' +
          'may not specified at the same time as requirements',
        'spec.resourceAttributes.labelSelector.requirements[0].values: Required value: ' +
          "must be specified when `operator` is 'In' or 'NotIn'",
        'spec.resourceAttributes.labelSelector.requirements[0].key: Invalid value: "-": ',
        'spec.resourceAttributes.labelSelector.requirements[1].values: Forbidden: ' +
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        'spec.resourceAttributes.labelSelector.requirements[1].values[0]: Invalid value: "-": ',
      ],
    ],
  ])('of %s refuse %j', async (url, review, problems) => {
    const { post, asked } = await given();
    const { code, message } = await post(url, review);
    expect(code).toBe(422);
    expect(message).toMatch(/^\.authorization\.k8s\.io "" is invalid: /);
    for (const problem of problems) expect(message).toContain(problem);
    expect(asked).toEqual([]);
  });

  it('lie in their own scope only', async () => {
    const { post } = await given();
    const review = { spec: { user: 'u', resourceAttributes: PODS } };
    expect(await post(`${GROUP}/localsubjectaccessreviews`, review)).toMatchObject({ code: 404 });
    const inside = `${GROUP}/namespaces/shop/subjectaccessreviews`;
    expect(await post(inside, review)).toMatchObject({ code: 404 });
  });
});

function requirements(...list: readonly (readonly [string, string, ...string[]])[]): JsonObject {
  return { requirements: list.map(([key, operator, ...values]) => ({ key, operator, values })) };
}

const SELF_PATH = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

it('shows the client as the server knows it, whatever it wrote', async () => {
  const { post, plane } = await givenVirtual();
  const review = await post(SELF_PATH, {
    metadata: { name: 'mine' },
    status: { userInfo: { username: 'admin' } },
  });
  expect(review.code).toBe(201);
  expect(review.body).toEqual({
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { creationTimestamp: `${new Date(plane.clock.now()).toISOString().slice(0, 19)}Z` },
    status: {
      userInfo: {
        username: 'jane',
        uid: '42',
        groups: ['dev', 'system:authenticated'],
        extra: { 'example.org/scopes': ['a', 'b'] },
      },
    },
  });
});

const RULES_PATH = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';

function givenRules(rulesFor: NonNullable<MadeUp['rulesFor']>) {
  return givenVirtual({ rulesFor });
}

describe('SelfSubjectRulesReview', () => {
  it('lists what the client may do', async () => {
    const { post } = await givenRules((user, namespace) => ({
      resourceRules: [
        { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [user.name] },
      ],
      pathRules: [{ verbs: ['get'], nonResourceURLs: [`/${namespace}`] }],
      isIncomplete: true,
      problem: 'a webhook has no rules',
    }));
    const { code, body } = await post(RULES_PATH, { spec: { namespace: 'shop' } });
    expect(code).toBe(201);
    expect(body).toEqual({
      kind: 'SelfSubjectRulesReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: {},
      status: {
        resourceRules: [
          { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [JANE.name] },
        ],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/shop'] }],
        incomplete: true,
        evaluationError: 'a webhook has no rules',
      },
    });
  });

  it('needs a namespace', async () => {
    const { post } = await givenRules(() => Promise.reject(new Error('is not asked')));
    const message = 'no namespace on request';
    expect(await post(RULES_PATH, { spec: {} })).toMatchObject({ code: 400, message });
  });

  it.each([
    ['AlwaysAllow', alwaysAllow, 1],
    ['AlwaysDeny', alwaysDeny, 0],
  ] as const)('with the mode %s shows its rules', async (_mode, member, count) => {
    const resolver = serverAuthorizer([member]);
    const { post } = await givenRules((user, namespace) => resolver.rulesFor(user, namespace));
    const { body } = await post(RULES_PATH, { spec: { namespace: 'shop' } });
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    expect(body['status']).toEqual({
      resourceRules: [everything].slice(0, count),
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }].slice(0, count),
      incomplete: false,
    });
  });
});
