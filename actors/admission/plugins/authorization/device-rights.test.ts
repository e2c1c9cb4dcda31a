import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/json/json.ts';
import type { UserInfo } from '../../../request/request.ts';
import { deviceRights } from './device-rights.ts';
import { givenRights, JANE, type Right, ROOT } from './given-rights.fixture.ts';

const DEVICES = '/apis/resource.k8s.io/v1/namespaces/default';
const CLAIMS = `${DEVICES}/resourceclaims`;
const STATUS = `${CLAIMS}/c/status`;
const NEEDS =
  'adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace';

function requests(adminAccess: boolean): JsonObject[] {
  const one = { name: 'one', exactly: { deviceClassName: 'c' } };
  return [one, { name: 'two', exactly: { deviceClassName: 'c', adminAccess } }];
}

function claim(adminAccess: boolean, status: JsonObject = {}): JsonObject {
  return {
    metadata: { name: 'c' },
    spec: { devices: { requests: requests(adminAccess) } },
    status,
  };
}

function template(adminAccess: boolean): JsonObject {
  return {
    metadata: { name: 't' },
    spec: { spec: { devices: { requests: requests(adminAccess) } } },
  };
}

const NODE = {
  nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
};

function allocated(more: JsonObject = {}, nodeSelector: JsonObject = NODE): JsonObject {
  const result = { request: 'two', driver: 'd.io', pool: 'p', device: 'x', ...more };
  return { allocation: { devices: { results: [result] }, nodeSelector } };
}

const DEVICE = { driver: 'd.io', pool: 'p', device: 'x' };

/** Told by a driver of a device. */
function told(status: JsonObject, ...data: number[]): JsonObject {
  const devices = data.map((at) => ({ ...DEVICE, data: { at } }));
  return { ...status, devices };
}

async function given(has: (right: Right) => boolean = () => false, isForAdmins = false) {
  const plane = await givenRights(deviceRights, has);
  const label = { 'resource.kubernetes.io/admin-access': 'true' };
  if (isForAdmins) {
    await plane.patch('/api/v1/namespaces/default', 'merge', { metadata: { labels: label } });
  }
  return plane;
}

describe('administrative access to devices', () => {
  it('is for namespaces whose label says so, whichever user asks', async () => {
    const { write } = await given();
    for (const user of [JANE, ROOT]) {
      expect(await write('POST', CLAIMS, claim(true), user)).toBe(
        `422 ResourceClaim.resource.k8s.io "c" is invalid: spec.devices.requests[1].${NEEDS}`,
      );
      expect(await write('POST', `${DEVICES}/resourceclaimtemplates`, template(true), user)).toBe(
        `422 ResourceClaimTemplate.resource.k8s.io "t" is invalid: spec.devices.requests[1].${NEEDS}`,
      );
    }
    expect(await write('POST', CLAIMS, claim(false))).toBe('201');
    expect(await write('POST', `${DEVICES}/resourceclaimtemplates`, template(false))).toBe('201');
    const admins = await given(() => false, true);
    expect(await admins.write('POST', CLAIMS, claim(true))).toBe('201');
  });

  it('is given to none in other namespaces, and stays where it was given', async () => {
    const { write, patch } = await given(() => true, true);
    expect(await write('POST', CLAIMS, claim(true))).toBe('201');
    const granted = allocated({ adminAccess: true });
    const label = { 'resource.kubernetes.io/admin-access': null };
    await patch('/api/v1/namespaces/default', 'merge', { metadata: { labels: label } });
    expect(await write('PUT', STATUS, claim(true, granted))).toContain(
      `status.allocation.devices.results[0].${NEEDS}`,
    );
    const back = { 'resource.kubernetes.io/admin-access': 'true' };
    await patch('/api/v1/namespaces/default', 'merge', { metadata: { labels: back } });
    expect(await write('PUT', STATUS, claim(true, granted))).toBe('200');
    await patch('/api/v1/namespaces/default', 'merge', { metadata: { labels: label } });
    expect(await write('PUT', STATUS, claim(true, told(granted, 1)))).toBe('200');
  });
});

describe('what became of a claim', () => {
  const cannot = (verb: string, what: string, where: string) =>
    `User "jane" cannot ${verb} resource "resourceclaims/${what}" in API group "resource.k8s.io" ${where}`;
  const toBind = ({ subresource }: Right): boolean => subresource === 'binding';
  const toTell =
    (...verbs: string[]) =>
    (right: Right) =>
      toBind(right) || (right.subresource === 'driver' && verbs.includes(right.verb));

  it('is allocated, and reserved, by users that may bind claims of all namespaces', async () => {
    const { write, asked } = await given();
    expect(await write('POST', CLAIMS, claim(false))).toBe('201');
    const needs =
      'status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" permission: ' +
      `resourceclaims.resource.k8s.io is forbidden: ${cannot('update', 'binding', 'at the cluster scope')}`;
    expect(await write('PUT', STATUS, claim(false, allocated()))).toBe(
      `422 ResourceClaim.resource.k8s.io "c" is invalid: ${needs}`,
    );
    expect(asked).toMatchObject([{ subresource: 'binding', namespace: '', name: '' }]);
    expect(await write('PUT', STATUS, claim(false))).toBe('200');
    const may = await given(toBind);
    expect(await may.write('POST', CLAIMS, claim(false))).toBe('201');
    expect(await may.write('PUT', STATUS, claim(false, allocated()))).toBe('200');
    const reservedFor = [{ resource: 'pods', name: 'a', uid: 'u' }];
    const { asked: both } = may;
    both.length = 0;
    const reserved = claim(false, { ...allocated(), reservedFor });
    expect(await may.write('PUT', STATUS, reserved)).toBe('200');
    expect(both).toHaveLength(1);
  });

  it('is refused for rights and for rules in one answer, the rights first', async () => {
    const { write } = await given();
    expect(await write('POST', CLAIMS, claim(false))).toBe('201');
    const answer = await write('PUT', STATUS, claim(false, allocated({ request: 'nope' })));
    expect(answer).toMatch(
      /^422 ResourceClaim.* is invalid: \[status.allocation: Forbidden: .*, status.allocation.devices.results\[0\].request: Invalid value: "nope": /,
    );
    const broken = claim(true);
    Object.assign(broken, { metadata: { name: 'no name' } });
    expect(await write('POST', CLAIMS, broken)).toMatch(
      /^422 ResourceClaim.* is invalid: \[spec.devices.requests\[1\].adminAccess: Forbidden: .*, metadata.name: Invalid value: "no name": /,
    );
  });

  it('is told of a device by its driver, for each that comes, changes or goes', async () => {
    const { write, asked } = await given(toTell('arbitrary-node:update'));
    expect(await write('POST', CLAIMS, claim(false))).toBe('201');
    expect(await write('PUT', STATUS, claim(false, allocated()))).toBe('200');
    for (const [devices, questions] of [
      [[1], 1],
      [[1], 0],
      [[2], 1],
      [[], 1],
    ] as const) {
      asked.length = 0;
      expect(await write('PUT', STATUS, claim(false, told(allocated(), ...devices)))).toBe('200');
      expect(asked).toHaveLength(questions);
    }
    const right = { subresource: 'driver', namespace: 'default', name: 'd.io' };
    expect(asked).toMatchObject([{ ...right, verb: 'arbitrary-node:update' }]);
  });

  it('is told of a device also where raw data changes by a field that is null', async () => {
    const { write, asked } = await given(toTell('arbitrary-node:update'));
    const saying = (data: JsonObject) =>
      claim(false, { ...allocated(), devices: [{ ...DEVICE, data }] });
    expect(await write('POST', CLAIMS, claim(false))).toBe('201');
    expect(await write('PUT', STATUS, claim(false, allocated()))).toBe('200');
    expect(await write('PUT', STATUS, saying({ at: 1 }))).toBe('200');
    asked.length = 0;
    expect(await write('PUT', STATUS, saying({ at: 1, n: null }))).toBe('200');
    expect(asked).toMatchObject([{ subresource: 'driver' }]);
  });

  it('is refused to others', async () => {
    const { write } = await given(toBind);
    expect(await write('POST', CLAIMS, claim(false))).toBe('201');
    expect(await write('PUT', STATUS, claim(false, allocated()))).toBe('200');
    expect(await write('PUT', STATUS, claim(false, told(allocated(), 1)))).toBe(
      '422 ResourceClaim.resource.k8s.io "c" is invalid: status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:update]" permission: ' +
        `resourceclaims.resource.k8s.io "d.io" is forbidden: ${cannot('arbitrary-node:update', 'driver', 'in the namespace "default"')}`,
    );
    // With the allocation goes what was told of its devices.
    expect(await write('PUT', STATUS, claim(false, told({}, 1)))).toBe('200');
  });

  it.each([
    ['a pod of that node', 'n1', {}, true],
    ['a pod of another node', 'n2', {}, false],
    [
      'a claim of several nodes',
      'n1',
      { nodeSelectorTerms: [...NODE.nodeSelectorTerms, ...NODE.nodeSelectorTerms] },
      false,
    ],
    [
      'a claim of some nodes',
      'n1',
      {
        nodeSelectorTerms: [
          { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] },
        ],
      },
      false,
    ],
  ] as const)('is told by %s', async (_, node, selector, isAllowed) => {
    const nodeSelector = { ...NODE, ...structuredClone(selector) } as JsonObject;
    const { write } = await given(toTell('associated-node:update'));
    expect(await write('POST', CLAIMS, claim(false))).toBe('201');
    const status = allocated({}, nodeSelector);
    expect(await write('PUT', STATUS, claim(false, status))).toBe('200');
    const driver: UserInfo = {
      ...{ name: 'system:serviceaccount:kube-system:driver', uid: '', groups: [] },
      extra: { 'authentication.kubernetes.io/node-name': [node] },
    };
    const answer = await write('PUT', STATUS, claim(false, told(status, 1)), driver);
    expect(answer.slice(0, 3)).toBe(isAllowed ? '200' : '422');
    const person = { ...driver, name: 'jane' };
    expect(await write('PUT', STATUS, claim(false, told(status, 2)), person)).toContain('422 ');
  });
});
