import { describe, expect, it } from 'vitest';

import { configMap, givenControlPlane } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('a get', () => {
  it('gives the object', async () => {
    const { post, get } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('a', { k: 'v' }));
    expect(await get(`${MAPS}/a`)).toMatchObject({ code: 200, object });
  });

  it('is 404 where there is nothing, naming what was asked for', async () => {
    const { get } = await givenControlPlane();
    const answer = await get('/apis/apps/v1/namespaces/default/deployments/d');
    expect(answer).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'deployments.apps "d" not found',
    });
    expect(answer.status?.details).toEqual({ name: 'd', group: 'apps', kind: 'deployments' });
  });

  it('shows what was acknowledged before it', async () => {
    const { post, put, get } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    for (const round of ['1', '2', '3']) {
      await put(`${MAPS}/a`, configMap('a', { round }));
      expect((await get(`${MAPS}/a`)).object['data']).toEqual({ round });
    }
  });

  it('waits for the version it asks for, but not for long', async () => {
    const { post, get, applied, clock } = await givenControlPlane();
    const next = String(applied.current + 1);
    const soon = get(`${MAPS}/a?resourceVersion=${next}`);
    await post(MAPS, configMap('a'));
    expect((await soon).code).toBe(200);
    expect((await get(`${MAPS}/a?resourceVersion=0`)).code).toBe(200);
    const never = get(`${MAPS}/a?resourceVersion=18446744073709551`);
    clock.advance(3_000);
    expect((await never).code).toBe(504);
    expect((await get(`${MAPS}/a?resourceVersion=x`)).code).toBe(500);
    // Events are not cached in kube-apiserver, and are read by other code there.
    const event = '/api/v1/namespaces/default/events/a?resourceVersion=x';
    expect((await get(event)).code).toBe(400);
  });

  it.each([
    ['export=true', 400],
    ['export', 400],
    ['export=False', 200],
    ['export=0', 200],
  ])('is refused where it asks for an export: %s', async (query, code) => {
    const { get } = await givenControlPlane();
    for (const path of ['/api/v1/namespaces/default', '/api/v1/namespaces/default/status']) {
      const told = await get(`${path}?${query}`);
      expect([told.code, told.code === 400 ? told.message : '']).toEqual([
        code,
        code === 400 ? 'the export parameter, deprecated since v1.14, is no longer supported' : '',
      ]);
    }
  });

  it('of a subresource gives the object, too', async () => {
    const { get } = await givenControlPlane();
    expect((await get('/api/v1/namespaces/default/status')).object.kind).toBe('Namespace');
  });
});
