/** What clients are told of requests that cannot be carried out, and that nothing else is told. */
import { describe, expect, it } from 'vitest';
import { ALLOW, type Authorizer } from '../authorization/authorizer.ts';
import { configMap, givenControlPlane } from './given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

describe('a body', () => {
  it.each([
    ['"text"', 'string'],
    ['3', 'number'],
    ['true', 'bool'],
    ['[]', 'array'],
  ])('that is %s is told to be a %s', async (text, type) => {
    const { send } = await givenControlPlane();
    const { code, message } = await send({ method: 'POST', url: MAPS, text });
    expect(code).toBe(400);
    expect(message).toContain(`json: cannot unmarshal ${type} into Go value of type struct`);
  });

  it.each([
    ['{"a":', '({"a":)'],
    ['{"a":"012345678901234567890123456789', '({"a":"012345678901234567890123 ...)'],
  ])('%s that ends too early is told with its beginning', async (text, head) => {
    const { post, send } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const { code, message } = await send({ method: 'PUT', url: `${MAPS}/a`, text });
    expect(code).toBe(400);
    expect(message.endsWith(head), message).toBe(true);
  });
});

describe('a patch', () => {
  const patch = (type: string, text: string, query = '') => ({
    ...{ method: 'PATCH', url: `${MAPS}/a${query}`, text },
    contentType: `application/${type}`,
  });

  it('with options that are none changes nothing', async () => {
    const { post, send, applied } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const before = applied.current;
    const told = await send(
      patch('merge-patch+json', '{"data":{"k":"v"}}', '?fieldValidation=Odd'),
    );
    expect([told.code, told.message]).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Odd": ' +
        'supported values: "", "Ignore", "Strict", "Warn"',
    ]);
    expect(applied.current).toBe(before);
  });

  it.each([
    ['merge-patch+json', true],
    ['json-patch+json', true],
    ['strategic-merge-patch+json', false],
  ])('as %s that is no JSON is told to be one that cannot be decoded: %s', async (type, isSaid) => {
    const { post, send } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const { code, message } = await send(patch(type, '{'));
    expect([code, message.startsWith('error decoding patch: ')]).toEqual([400, isSaid]);
  });
});

it('a PUT that would create needs the right to create, and is told of what', async () => {
  const authorizer: Authorizer = {
    authorize: ({ request, user }) =>
      request.verb === 'create' && user.name === 'jane'
        ? { verdict: 'noOpinion', reason: '' }
        : ALLOW,
  };
  const { put } = await givenControlPlane({ authorizer });
  const lease = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata: { name: 'a' } };
  const { code, message, status } = await put(`${LEASES}/a`, lease);
  expect([code, message]).toEqual([
    403,
    'leases.coordination.k8s.io "a" is forbidden: User "jane" cannot create resource "leases" ' +
      'in API group "coordination.k8s.io" in the namespace "default"',
  ]);
  expect(status?.details).toEqual({ name: 'a', group: 'coordination.k8s.io', kind: 'leases' });
});

it('labels and names are judged at a PUT as at a POST', async () => {
  const { post, put } = await givenControlPlane();
  await post(MAPS, configMap('a'));
  const labelled = configMap('a', {}, { labels: { '-a': 'b' } });
  const { code, message } = await put(`${MAPS}/a`, labelled);
  expect(code).toBe(422);
  expect(message).toContain('metadata.labels: Invalid value: "-a"');
});

it('an orphaning delete leaves its own finalizer and no other', async () => {
  const { post, del } = await givenControlPlane();
  await post(MAPS, configMap('a'));
  const { object, warnings } = await del(`${MAPS}/a`, { propagationPolicy: 'Orphan' });
  expect(object.metadata.finalizers).toEqual(['orphan']);
  expect(warnings).toEqual([]);
});

it('a read that fails is a fault of the server', async () => {
  const { context, get, post } = await givenControlPlane();
  await post(MAPS, configMap('a'));
  Object.assign(context.objects, {
    get: () => {
      throw new Error('out of order');
    },
  });
  expect(await get(`${MAPS}/a`)).toMatchObject({ code: 500, reason: 'InternalError' });
});
