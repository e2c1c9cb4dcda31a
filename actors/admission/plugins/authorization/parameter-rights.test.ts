import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/json/json.ts';
import { givenRights, type Right, ROOT } from './given-rights.fixture.ts';
import { parameterRights } from './parameter-rights.ts';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const SHOWN = '&{jane u1 [a system:authenticated] map[b:[3] z:[1 2]]}';
const MAPS = { apiVersion: 'v1', kind: 'ConfigMap' };
const SECRETS = { apiVersion: 'v1', kind: 'Secret' };
const LEASES = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
const UNSERVED = { apiVersion: 'example.com/v1', kind: 'Gone' };
const NOTHING = { apiGroup: '', apiVersion: 'v1', resource: 'secrets', subresource: '' };
const ALL = { apiGroup: '*', apiVersion: '*', resource: '*', subresource: '' };

const given = (has: (right: Right) => boolean = () => false) => givenRights(parameterRights, has);

const matchConstraints = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
  ],
};

function validating(paramKind?: JsonObject, metadata: JsonObject = {}): JsonObject {
  const validations = [{ expression: 'true' }];
  const kind = paramKind === undefined ? {} : { paramKind };
  return { metadata: { name: 'p', ...metadata }, spec: { ...kind, matchConstraints, validations } };
}

function mutating(paramKind: JsonObject): JsonObject {
  const applyConfiguration = { expression: 'Object{}' };
  const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration }];
  const spec = { paramKind, matchConstraints, mutations, reinvocationPolicy: 'Never' };
  return { metadata: { name: 'p' }, spec };
}

function binding(paramRef?: JsonObject, metadata: JsonObject = {}): JsonObject {
  const ref = paramRef && { paramRef: { parameterNotFoundAction: 'Deny', ...paramRef } };
  const spec = { policyName: 'p', validationActions: ['Deny'], ...ref };
  return { metadata: { name: 'b', ...metadata }, spec };
}

const POLICIES = `${ADMISSION}/validatingadmissionpolicies`;
const BINDINGS = `${ADMISSION}/validatingadmissionpolicybindings`;
const MUTATING = `${ADMISSION}/mutatingadmissionpolicies`;
const MUTATING_BINDINGS = `${ADMISSION}/mutatingadmissionpolicybindings`;

describe('a policy with parameters', () => {
  const needs = (which: string) =>
    `spec.paramKind: Forbidden: user ${SHOWN} must have "get" permission on all objects of the referenced paramKind (${which})`;

  it.each([
    ['validating', POLICIES, validating(SECRETS), 'ValidatingAdmissionPolicy'],
    ['mutating', MUTATING, mutating(SECRETS), 'MutatingAdmissionPolicy'],
  ])('is refused where its writer may not read all of them: %s', async (_, url, body, kind) => {
    const { write, asked } = await given();
    expect(await write('POST', url, body)).toBe(
      `422 ${kind}.admissionregistration.k8s.io "p" is invalid: ${needs('kind=Secret, apiVersion=v1')}`,
    );
    expect(asked).toEqual([{ ...NOTHING, verb: 'get', namespace: '*', name: '*' }]);
  });

  it('is written by a user that may, and by system:masters', async () => {
    const may = await given(({ verb, resource }) => verb === 'get' && resource === 'leases');
    expect(await may.write('POST', POLICIES, validating(LEASES))).toBe('201');
    expect(may.asked).toMatchObject([{ apiGroup: 'coordination.k8s.io', apiVersion: 'v1' }]);
    const { write, asked } = await given();
    expect(await write('POST', POLICIES, validating(SECRETS), ROOT)).toBe('201');
    expect(asked).toEqual([]);
  });

  it('of a kind that is not served needs everything of its version', async () => {
    const { write, asked } = await given();
    const told = await write('POST', POLICIES, validating(UNSERVED));
    expect(told).toContain(needs('kind=Gone, apiVersion=example.com/v1'));
    const all = { apiGroup: 'example.com', apiVersion: 'v1', resource: '*', verb: 'get' };
    expect(asked).toMatchObject([all]);
  });

  it('is asked for anew where it names another kind, and only there', async () => {
    const { write, asked } = await given();
    expect(await write('POST', POLICIES, validating())).toBe('201');
    expect(await write('PUT', `${POLICIES}/p`, validating(SECRETS))).toContain('422 ');
    expect(await write('PUT', `${POLICIES}/p`, validating(SECRETS), ROOT)).toBe('200');
    asked.length = 0;
    const labelled = validating(SECRETS, { labels: { a: 'b' } });
    expect(await write('PUT', `${POLICIES}/p`, labelled)).toBe('200');
    expect(asked).toEqual([]);
    expect(await write('PUT', `${POLICIES}/p`, validating(MAPS))).toContain('kind=ConfigMap');
    const other = validating({ ...SECRETS, apiVersion: 'example.com/v1' });
    expect(await write('PUT', `${POLICIES}/p`, other)).toContain('apiVersion=example.com/v1');
  });

  it('says what the authorizer could not do', async () => {
    const { write } = await givenRights(parameterRights, () => {
      throw new Error('out of order');
    });
    expect(await write('POST', POLICIES, validating(SECRETS))).toContain('500 ');
  });
});

describe('a binding with parameters', () => {
  const named = { name: 's', namespace: 'shop' };
  const selected = { selector: { matchLabels: { a: 'b' } } };

  it.each([
    ['one by its name', named, { verb: 'get', namespace: 'shop', name: 's' }],
    ['some of one namespace', { ...selected, namespace: 'shop' }, { verb: 'list', name: '' }],
    ['some of that of the request', selected, { verb: 'list', namespace: '', name: '' }],
  ])('needs that its writer may read %s', async (_, paramRef, right) => {
    const { write, asked } = await given();
    expect(await write('POST', POLICIES, validating(SECRETS), ROOT)).toBe('201');
    expect(await write('POST', BINDINGS, binding(paramRef))).toBe(
      '422 ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io "b" is invalid: spec.paramRef: Forbidden: ' +
        `user ${SHOWN} does not have "${right.verb}" permission on the object referenced by paramRef`,
    );
    expect(asked).toMatchObject([{ ...NOTHING, ...right }]);
    const may = await given(({ verb, resource }) => verb === right.verb && resource === 'secrets');
    expect(await may.write('POST', POLICIES, validating(SECRETS), ROOT)).toBe('201');
    expect(await may.write('POST', BINDINGS, binding(paramRef))).toBe('201');
    // Its policy may name another kind by now.
    expect(await may.write('PUT', `${BINDINGS}/b`, binding(paramRef))).toBe('200');
    expect(may.asked).toHaveLength(2);
  });

  it('needs everything where its policy is not there', async () => {
    const { write, asked } = await given();
    expect(await write('POST', BINDINGS, binding(named))).toContain(
      `unable to get policy p to determine minimum required permissions and user ${SHOWN} does not have "get" permission for all groups, versions and resources`,
    );
    expect(asked).toMatchObject([ALL]);
    expect(await write('POST', BINDINGS, binding())).toBe('201');
    expect(await write('PUT', `${BINDINGS}/b`, binding(named))).toContain('422 ');
  });

  it('needs everything of a version of which the kind is not served', async () => {
    const { write, asked } = await given();
    expect(await write('POST', POLICIES, validating(UNSERVED), ROOT)).toBe('201');
    expect(await write('POST', BINDINGS, binding(named))).toContain(
      'unable to resolve paramKind &{example.com/v1 Gone} to determine',
    );
    expect(asked).toMatchObject([{ apiGroup: 'example.com', apiVersion: 'v1', resource: '*' }]);
  });

  it('of a mutating policy is told as upstream tells it', async () => {
    const { write } = await given();
    expect(await write('POST', MUTATING, mutating(SECRETS), ROOT)).toBe('201');
    const { validationActions: _, ...spec } = binding(named)['spec'] as JsonObject;
    const body = { metadata: { name: 'b' }, spec };
    expect(await write('POST', MUTATING_BINDINGS, body)).toContain(
      `user get does not have "${SHOWN}" permission on the object referenced by paramRef`,
    );
  });
});
