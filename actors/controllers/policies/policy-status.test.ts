import { describe, expect, it } from 'vitest';
import { objectAt, type JsonObject } from '../../../api/json/json.ts';
import { KindSchemas } from '../../served-resources/kind-schemas.ts';
import { givenControllers } from '../given-controllers.fixture.ts';
import { startPolicyStatus } from './policy-status.ts';

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';

function policy(expression: string): JsonObject {
  const rule = {
    apiGroups: ['apps'],
    apiVersions: ['v1'],
    operations: ['*'],
    resources: ['deployments'],
  };
  return {
    kind: 'ValidatingAdmissionPolicy',
    apiVersion: 'admissionregistration.k8s.io/v1',
    metadata: { name: 'p' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression, messageExpression: '"no " + object.metadata.name' }],
    },
  };
}

async function given(expression: string) {
  const plane = await givenControllers();
  await plane.post(POLICIES, policy(expression));
  const schemas = new KindSchemas(plane.served);
  const start = () => plane.started((parts) => startPolicyStatus({ ...parts, schemas }));
  const status = async () => objectAt((await plane.get(`${POLICIES}/p`)).object, 'status') ?? {};
  const untilSeen = (generation: number) =>
    plane.until(`generation ${String(generation)} is looked at`, async () => {
      return (await status())['observedGeneration'] === generation;
    });
  return { ...plane, start, status, untilSeen };
}

describe('the status of a ValidatingAdmissionPolicy', () => {
  it('says what does not fit the objects, and follows the policy', async () => {
    const { start, status, untilSeen, put, get } = await given('object.spec.replica > 1');
    const controller = await start();
    await untilSeen(1);
    expect(await status()).toEqual({
      observedGeneration: 1,
      typeChecking: {
        expressionWarnings: [
          {
            fieldRef: 'spec.validations[0].expression',
            warning:
              "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replica'\n" +
              ' | object.spec.replica > 1\n | ...........^\n',
          },
        ],
      },
    });
    const { object } = await get(`${POLICIES}/p`);
    await put(`${POLICIES}/p`, {
      ...object,
      spec: policy('object.spec.replicas > 1')['spec'] ?? {},
    });
    await untilSeen(2);
    // As upstream's merge leaves it, where a map is emptied.
    expect(await status()).toEqual({ observedGeneration: 2 });
    const { metadata } = (await get(`${POLICIES}/p`)).object;
    expect(metadata['managedFields']).toContainEqual({
      manager: 'validatingadmissionpolicy-status',
      operation: 'Apply',
      apiVersion: 'admissionregistration.k8s.io/v1',
      time: expect.any(String) as string,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:status': { 'f:observedGeneration': {}, 'f:typeChecking': {} } },
      subresource: 'status',
    });
    await controller.stop();
  });

  it('is written once for a change, and not by two', async () => {
    const { start, standAside, status, until, objects, untilSeen } = await given('true');
    standAside(true);
    const controller = await start();
    let turns = 0;
    await until('time has passed', () => (turns += 1) > 100);
    expect(await status()).toEqual({});
    standAside(false);
    await controller.begin();
    await untilSeen(1);
    const versionOf = () =>
      objects.versionOf('admissionregistration.k8s.io/validatingadmissionpolicies', 'p');
    const written = versionOf();
    await controller.begin();
    turns = 0;
    await until('time has passed', () => (turns += 1) > 100);
    expect(versionOf()).toBe(written);
    await controller.stop();
  });
});
