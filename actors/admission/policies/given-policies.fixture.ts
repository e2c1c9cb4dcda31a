/** For tests: a control plane that asks policies, and short ways to write them. */
import type { JsonObject } from '../../../api/json/json.ts';
import type { AdmissionPlugin, AdmissionStep } from '../admission-plugin.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { testMeters } from '../test-meters.fixture.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import { givenControlPlane } from '../../registry/given-registry.fixture.ts';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const apiVersion = 'admissionregistration.k8s.io/v1';

export const MAPS = '/api/v1/namespaces/default/configmaps';

export async function givenPolicies(
  sort: 'Validating' | 'Mutating',
  plugin: (world: AdmissionWorld) => AdmissionPlugin,
  authorizer?: Authorizer,
) {
  const meters = testMeters();
  const noted = new Map<string, string>();
  const plane = await givenControlPlane({
    plugins: (world) => [plugin({ ...world, meters }), noting(noted)],
    ...(authorizer === undefined ? {} : { authorizer }),
  });
  const kind = `${sort}AdmissionPolicy`;
  const written = async (path: string, object: JsonObject): Promise<void> => {
    const told = await plane.post(path, object);
    if (told.code !== 201) throw new Error(told.message);
  };
  const plural = `${sort.toLowerCase()}admissionpolic`;
  return {
    ...plane,
    /** What was told of policies, in order. */
    told: meters.told,
    /** What the record of audit of all requests holds by now. */
    noted,
    written,
    policy: (name: string, spec: JsonObject) =>
      written(`${ADMISSION}/${plural}ies`, {
        kind,
        apiVersion,
        metadata: { name },
        spec: { matchConstraints: aboutConfigMaps(), ...spec },
      }),
    bind: (name: string, policyName: string, spec: JsonObject = {}) =>
      written(`${ADMISSION}/${plural}ybindings`, {
        kind: `${kind}Binding`,
        apiVersion,
        metadata: { name },
        spec: {
          policyName,
          ...(sort === 'Validating' ? { validationActions: ['Deny'] } : {}),
          ...spec,
        },
      }),
  };
}

function noting(noted: Map<string, string>): AdmissionPlugin {
  const validate: AdmissionStep = ({ request }) => {
    for (const [key, value] of request.annotations) noted.set(key, value);
    return undefined;
  };
  return { name: 'Noting', validatesAt: () => validate };
}

export function aboutConfigMaps(more: JsonObject = {}): JsonObject {
  const rule = {
    operations: ['CREATE', 'UPDATE'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['configmaps'],
  };
  return { resourceRules: [{ ...rule, ...more }] };
}
