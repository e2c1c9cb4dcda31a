import { expect, it } from 'vitest';

import { requestEntityTooLarge } from '../../../api/meta/status.ts';
import { configMap, deployment, givenControlPlane } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SCALE = '/apis/apps/v1/namespaces/default/deployments/d/scale';
const TYPE = 'application/';

it.each<[string, string, string]>([
  ['POST', MAPS, `${TYPE}json`],
  ['PUT', `${MAPS}/a`, `${TYPE}json`],
  ['PATCH', `${MAPS}/a`, `${TYPE}merge-patch+json`],
  ['PATCH', `${MAPS}/a`, `${TYPE}json-patch+json`],
  ['PATCH', `${MAPS}/a?fieldManager=me`, `${TYPE}apply-patch+yaml`],
  ['DELETE', `${MAPS}/a`, `${TYPE}json`],
  ['DELETE', MAPS, `${TYPE}json`],
  ['PUT', SCALE, `${TYPE}json`],
  ['PATCH', SCALE, `${TYPE}merge-patch+json`],
  ['PATCH', `${SCALE}?fieldManager=me`, `${TYPE}apply-patch+yaml`],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', `${TYPE}json`],
])(
  '%s %s with a body that cannot be read changes nothing: %s',
  async (method, url, contentType) => {
    const { post, send, get, applied } = await givenControlPlane();
    await post(MAPS, configMap('a', { was: 'first' }));
    await post('/apis/apps/v1/namespaces/default/deployments', deployment('d', 2));
    const before = applied.current;

    const unreadable = requestEntityTooLarge('limit is 3145728');
    const { code, status } = await send({ method, url, contentType, unreadable });
    expect([code, status]).toEqual([413, unreadable]);
    expect(applied.current).toBe(before);
    expect((await get(`${MAPS}/a`)).object['data']).toEqual({ was: 'first' });
  },
);
