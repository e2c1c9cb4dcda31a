/** For tests: the creation of a ConfigMap, as plug-ins are asked about it. */
import { givenAuthenticated } from '../request/given.fixture.ts';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import { RunningAttempt } from '../slots/key-slots.ts';
import type { UserInfo } from '../request/request.ts';
import { AdmissionAttributes } from './admission-attributes.ts';

export async function givenAttributes(user: Partial<UserInfo> = {}): Promise<AdmissionAttributes> {
  const { served: all, objects } = await givenControlPlane();
  const served = all.lookup({ apiGroup: '', apiVersion: 'v1', resource: 'configmaps' });
  if (served === undefined) throw new Error('there are config maps');
  const { request } = givenAuthenticated({ url: '/api/v1/namespaces/default/configmaps' }, user);
  return new AdmissionAttributes({
    ...{ request, served, operation: 'CREATE', subresource: '', name: 'a', namespace: 'default' },
    ...{ kind: served.facts, object: undefined, oldObject: undefined, options: { dryRun: false } },
    ...{ attempt: new RunningAttempt(), objects },
  });
}
