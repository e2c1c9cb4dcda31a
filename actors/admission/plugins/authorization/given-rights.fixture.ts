/** For tests: a control plane with one plug-in that asks for rights, and what it asked the authorizer. */
import { type JsonObject, objectAt } from '../../../../api/json/json.ts';
import {
  ALLOW,
  type Attributes,
  type Authorizer,
  NO_OPINION,
} from '../../../authorization/authorizer.ts';
import { givenControlPlane } from '../../../registry/given-registry.fixture.ts';
import type { RequestInfo, UserInfo } from '../../../request/request.ts';
import type { AdmissionPlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld } from '../../admission-world.ts';

/** What the authorizer is asked about. */
export type Right = Pick<
  RequestInfo,
  'verb' | 'apiGroup' | 'apiVersion' | 'resource' | 'subresource' | 'namespace' | 'name'
>;

/** A user that has all that a user can have. */
export const JANE: UserInfo = {
  ...{ name: 'jane', uid: 'u1', groups: ['a', 'system:authenticated'] },
  extra: { z: ['1', '2'], b: ['3'] },
};

/** A member of the group that may do everything. */
export const ROOT: UserInfo = { name: 'root', uid: '', groups: ['system:masters'], extra: {} };

/** @param has which rights the user has, whatever the authorization mode is. */
export async function givenRights(
  plugin: (world: AdmissionWorld) => AdmissionPlugin,
  has: (right: Right) => boolean,
) {
  const asked: Right[] = [];
  const authorizer: Authorizer = {
    authorize({ request }: Attributes) {
      const { verb, apiGroup, apiVersion, resource, subresource, namespace, name } = request;
      const right = { verb, apiGroup, apiVersion, resource, subresource, namespace, name };
      asked.push(right);
      return has(right) ? ALLOW : NO_OPINION;
    },
  };
  const plane = await givenControlPlane({ authorizer, plugins: (world) => [plugin(world)] });
  return {
    ...plane,
    asked,
    /** `201`, or the code and what it was told. An update is of the object as it is. */
    async write(method: 'POST' | 'PUT', url: string, sent: JsonObject, user = JANE) {
      const body = structuredClone(sent);
      if (method === 'PUT') {
        const { object } = await plane.get(url.replace(/\/status$/, ''));
        Object.assign(objectAt(body, 'metadata') ?? {}, {
          resourceVersion: object.metadata.resourceVersion,
        });
      }
      const { code, message } = await plane.send({ method, url, body, user });
      return message === '' ? String(code) : `${String(code)} ${message}`;
    },
  };
}
