import { describe, expect, it } from 'vitest';

import type { Authorizer } from '../../authorization/authorizer.ts';
import { configMap, givenControlPlane, pod } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const FINALIZERS = { finalizers: ['example.com/f'] };

describe('a delete', () => {
  it('answers with a Status that names what is gone', async () => {
    const { post, del, get } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('a'));
    const { code, status } = await del(`${MAPS}/a`);
    expect(code).toBe(200);
    expect(status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: object.metadata.uid },
    });
    expect((await get(`${MAPS}/a`)).code).toBe(404);
  });

  it('answers with the object where the kind does', async () => {
    const { post, del, applied } = await givenControlPlane();
    await post(PODS, pod('p'));
    const { code, object } = await del(`${PODS}/p`);
    expect(code).toBe(200);
    expect(object.metadata).toMatchObject({
      name: 'p',
      resourceVersion: String(applied.current),
      deletionGracePeriodSeconds: 0,
    });
  });

  it.each(['system-node-critical', 'system-cluster-critical'])(
    'of %s is forbidden, whether it exists or not; a deletecollection takes it, as upstream',
    async (name) => {
      const { post, del } = await givenControlPlane();
      const url = '/apis/scheduling.k8s.io/v1/priorityclasses';
      const why = 'this is a system priority class and cannot be deleted';
      const refused = {
        code: 403,
        message: `priorityclasses.scheduling.k8s.io "${name}" is forbidden: ${why}`,
        status: { details: { name, group: 'scheduling.k8s.io', kind: 'priorityclasses' } },
      };
      expect(await del(`${url}/${name}`)).toMatchObject(refused);
      const value = name === 'system-node-critical' ? 2_000_001_000 : 2_000_000_000;
      const typed = { kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1' };
      expect((await post(url, { ...typed, metadata: { name }, value })).code).toBe(201);
      expect(await del(`${url}/${name}?dryRun=All`)).toMatchObject(refused);
      expect((await del(url)).names).toEqual([name]);
    },
  );

  it('of a job warns that its pods stay, unless the client says what becomes of them', async () => {
    const { post, del } = await givenControlPlane();
    const url = '/apis/batch/v1/namespaces/default/jobs';
    const containers = [{ name: 'c', image: 'i' }];
    const spec = { template: { spec: { containers, restartPolicy: 'Never' } } };
    const make = (name: string) =>
      post(url, { kind: 'Job', apiVersion: 'batch/v1', metadata: { name }, spec });
    const warned = [expect.stringContaining('child pods are preserved by default')];
    expect((await make('j')).code).toBe(201);
    expect((await del(url)).warnings).toEqual(warned);
    await make('k');
    expect((await del(`${url}/k`)).warnings).toEqual(warned);
    await make('l');
    expect((await del(`${url}/l?propagationPolicy=Orphan`)).warnings).toEqual([]);
    expect((await del(`${url}?orphanDependents=false`)).warnings).toEqual([]);
  });

  it('is 404 where there is nothing', async () => {
    const { del } = await givenControlPlane();
    expect(await del(`${MAPS}/a`)).toMatchObject({
      code: 404,
      message: 'configmaps "a" not found',
    });
  });

  it('names the group of what is gone', async () => {
    const { put, del } = await givenControlPlane();
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const metadata = { name: 'l' };
    await put(`${leases}/l`, { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata });
    const { status } = await del(`${leases}/l`);
    expect(status?.details).toMatchObject({ group: 'coordination.k8s.io', kind: 'leases' });
  });

  it('only marks what a finalizer keeps', async () => {
    const { post, del, get } = await givenControlPlane();
    await post(MAPS, configMap('a', {}, FINALIZERS));
    const { code, object } = await del(`${MAPS}/a`);
    expect(code).toBe(200);
    expect(object.metadata).toMatchObject({
      deletionTimestamp: '1970-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
    });
    expect((await get(`${MAPS}/a`)).object).toEqual(object);
  });

  it('answers 202 to the old way to say Background, when it has to wait', async () => {
    const { post, del } = await givenControlPlane();
    await post(MAPS, configMap('a', {}, FINALIZERS));
    expect((await del(`${MAPS}/a?orphanDependents=false`)).code).toBe(202);
    await post(MAPS, configMap('b'));
    expect((await del(`${MAPS}/b?orphanDependents=false`)).code).toBe(200);
  });

  it('answers so too where a pod is on its way already', async () => {
    const { post, del, applied } = await givenControlPlane();
    await post(PODS, pod('p', { nodeName: 'n' }));
    expect((await del(`${PODS}/p?orphanDependents=false`)).code).toBe(202);
    const before = applied.current;
    const again = await del(`${PODS}/p?orphanDependents=false`);
    expect(again.code).toBe(202);
    expect(again.object.metadata).toMatchObject({ name: 'p', deletionGracePeriodSeconds: 30 });
    expect((await del(`${PODS}/p`)).code).toBe(200);
    expect(applied.current).toBe(before);
  });

  it('needs no plug-in of admission', async () => {
    const { post, del, get } = await givenControlPlane({ plugins: () => [] });
    await post(MAPS, configMap('a'));
    expect((await del(`${MAPS}/a`)).code).toBe(200);
    expect((await get(`${MAPS}/a`)).code).toBe(404);
  });

  it('writes nothing when the object is on its way already', async () => {
    const { post, del, applied } = await givenControlPlane();
    await post(MAPS, configMap('a', {}, FINALIZERS));
    const first = await del(`${MAPS}/a`);
    const before = applied.current;
    const second = await del(`${MAPS}/a`);
    expect(second.object).toEqual(first.object);
    expect(applied.current).toBe(before);
  });

  it('leaves nothing when it is a dry run', async () => {
    const { post, del, get, applied } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('a'));
    await post(PODS, pod('p'));
    const before = applied.current;
    const dry = await del(`${MAPS}/a?dryRun=All`);
    expect(dry.status).toMatchObject({ status: 'Success', details: { uid: object.metadata.uid } });
    expect((await del(`${PODS}/p?dryRun=All`)).object.metadata.name).toBe('p');
    expect(applied.current).toBe(before);
    expect((await get(`${MAPS}/a`)).code).toBe(200);
  });
});

describe('options of a delete', () => {
  it('come in the body, or else in the query', async () => {
    const { post, del, get } = await givenControlPlane();
    await post(PODS, pod('p', { nodeName: 'n' }));
    await del(`${PODS}/p?gracePeriodSeconds=50`);
    expect((await get(`${PODS}/p`)).object.metadata.deletionGracePeriodSeconds).toBe(50);
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 10 };
    await del(`${PODS}/p?gracePeriodSeconds=0`, body);
    expect((await get(`${PODS}/p`)).object.metadata.deletionGracePeriodSeconds).toBe(10);
    await del(`${PODS}/p`, { gracePeriodSeconds: 0 });
    expect((await get(`${PODS}/p`)).code).toBe(404);
  });

  it('that cannot be read are refused, and nothing is deleted', async () => {
    const { post, del, get } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    expect((await del(`${MAPS}/a`, { kind: 'Status' })).code).toBe(400);
    expect((await del(`${MAPS}/a`, { propagationPolicy: 'Never' })).code).toBe(422);
    expect((await del(`${MAPS}/a?gracePeriodSeconds=x`)).code).toBe(400);
    expect((await get(`${MAPS}/a`)).code).toBe(200);
  });

  it('may say which object is meant', async () => {
    const { post, del } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('a'));
    const { uid = '', resourceVersion = '' } = object.metadata;
    expect(await del(`${MAPS}/a`, { preconditions: { uid: 'other' } })).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) ' +
        `does not match the UID in record (${uid}). ` +
        'The object might have been deleted and then recreated',
    });
    expect((await del(`${MAPS}/a`, { preconditions: { resourceVersion: '1' } })).code).toBe(409);
    expect(
      (await del('/api/v1/namespaces/default', { preconditions: { uid: 'other' } })).message,
    ).toMatch(/ on namespaces "default": Precondition failed: UID in precondition: other, UID in/);
    const { code } = await del(`${MAPS}/a`, { preconditions: { uid, resourceVersion } });
    expect(code).toBe(200);
  });
});

describe('a delete that races', () => {
  it('takes what another server left', async () => {
    const { post, del, elsewhere, get } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const mine = del(`${MAPS}/a`);
    await elsewhere('core/configmaps', 'default/a', (object) => {
      object['data'] = { k: 'v' };
      return undefined;
    });
    expect((await mine).code).toBe(200);
    expect((await get(`${MAPS}/a`)).code).toBe(404);
  });

  it('keeps what got a finalizer meanwhile', async () => {
    const { post, del, elsewhere, get } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const mine = del(`${MAPS}/a`);
    await elsewhere('core/configmaps', 'default/a', (object) => {
      object.metadata.finalizers = ['example.com/f'];
      return undefined;
    });
    expect((await mine).object.metadata).toHaveProperty('deletionTimestamp');
    expect((await get(`${MAPS}/a`)).code).toBe(200);
  });

  it('is refused when the version it was meant for is gone', async () => {
    const { post, del, elsewhere, get } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('a'));
    const { resourceVersion = '' } = object.metadata;
    const mine = del(`${MAPS}/a`, { preconditions: { resourceVersion } });
    await elsewhere('core/configmaps', 'default/a', (there) => {
      there['data'] = { k: 'v' };
      return undefined;
    });
    expect((await mine).code).toBe(409);
    expect((await get(`${MAPS}/a`)).code).toBe(200);
  });
});

describe('a namespace', () => {
  const url = '/api/v1/namespaces/n';
  const namespace = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'n' } };

  it('stays until it is finalized, and takes nothing new', async () => {
    const { post, put, del, get } = await givenControlPlane();
    await post('/api/v1/namespaces', namespace);
    const { code, object } = await del(url);
    expect(code).toBe(200);
    expect(object['status']).toEqual({ phase: 'Terminating' });
    expect(object.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    expect((await post(`${url}/configmaps`, configMap('a'))).code).toBe(403);
    expect((await del(url)).object).toEqual(object);

    const finalized = await put(`${url}/finalize`, { ...namespace, spec: { finalizers: [] } });
    expect(finalized.code).toBe(200);
    expect((await get(url)).code).toBe(404);
  });

  it('keeps its finalizers in an ordinary update', async () => {
    const { post, put } = await givenControlPlane();
    await post('/api/v1/namespaces', namespace);
    const { object } = await put(url, { ...namespace, spec: { finalizers: [] } });
    expect(object['spec']).toEqual({ finalizers: ['kubernetes'] });
  });

  it('waits for its ordinary finalizers, too', async () => {
    const { post, put, del, get } = await givenControlPlane();
    const metadata = { ...namespace.metadata, ...FINALIZERS };
    await post('/api/v1/namespaces', { ...namespace, metadata });
    await del(url);
    await put(`${url}/finalize`, { ...namespace, metadata, spec: { finalizers: [] } });
    expect((await get(url)).code).toBe(200);
    await put(url, namespace);
    expect((await get(url)).code).toBe(404);
  });
});

describe('a delete of what cannot be read', () => {
  const OPTION = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
  const flags = ['--feature-gates=AllowUnsafeMalformedObjectDeletion=true'];
  const verb = 'unsafe-delete-ignore-read-errors';

  it('is a delete as any other while its gate is off', async () => {
    const { post, del, get } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    expect((await del(`${MAPS}/a`, { ...OPTION, gracePeriodSeconds: 0 })).code).toBe(200);
    expect((await get(`${MAPS}/a`)).code).toBe(404);
    expect((await del(MAPS, OPTION)).code).toBe(200);
  });

  it('finds none, since what is served can be read', async () => {
    const { post, del, get } = await givenControlPlane({ flags });
    await post(MAPS, configMap('a'));
    const url = '/apis/apps/v1/namespaces/default/deployments/b';
    const why =
      'is exclusively used to delete corrupt object(s), try again by removing this option';
    const about = `is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: ${why}`;
    expect(await del(`${MAPS}/a`, OPTION)).toMatchObject({
      code: 422,
      message: `configmaps "a" ${about}`,
    });
    // As upstream, whether there is one or not; and by the query as well.
    const byQuery = `${url}?ignoreStoreReadErrorWithClusterBreakingPotential=1`;
    expect(await del(byQuery)).toMatchObject({
      code: 422,
      message: `deployments.apps "b" ${about}`,
    });
    expect((await get(`${MAPS}/a`)).code).toBe(200);
    expect((await del(`${MAPS}/a`)).code).toBe(200);
  });

  it.each([
    '/api/v1/namespaces/default',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/a',
    '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings/a',
  ])('is no delete of %s, as upstream', async (url) => {
    const { del } = await givenControlPlane({ flags });
    const { code, message } = await del(url, OPTION);
    const why =
      'no unsafe deleter provided, can not honor ignoreStoreReadErrorWithClusterBreakingPotential';
    expect([code, message]).toEqual([500, `Internal error occurred: ${why}`]);
  });

  it('needs a right of its own, which is asked for by no other delete', async () => {
    const asked: string[] = [];
    const authorizer: Authorizer = {
      authorize({ request }) {
        asked.push(`${request.verb} ${request.resource} ${request.name}`);
        return { verdict: 'noOpinion', reason: 'of ours' };
      },
    };
    const { post, del, get } = await givenControlPlane({ flags, authorizer });
    await post(MAPS, configMap('a'));
    expect(await del(`${MAPS}/a`, OPTION)).toMatchObject({
      code: 403,
      message: `configmaps "a" is forbidden: not permitted to do "${verb}", reason: of ours`,
    });
    expect((await get(`${MAPS}/a`)).code).toBe(200);
    expect((await del(`${MAPS}/a`)).code).toBe(200);
    expect(asked).toEqual([`${verb} configmaps a`]);
  });

  it('is not part of a deletecollection, and says nothing else', async () => {
    const { post, del, get } = await givenControlPlane({ flags });
    await post(MAPS, configMap('a'));
    const field = 'ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true:';
    const start = `DeleteOptions.meta.k8s.io "" is invalid: ${field}`;
    expect(await del(MAPS, OPTION)).toMatchObject({
      code: 422,
      message: `${start} is not allowed with DELETECOLLECTION, try again after removing the option`,
    });
    const { code, message } = await del(`${MAPS}/a`, { ...OPTION, gracePeriodSeconds: 0 });
    expect([code, message]).toEqual([
      422,
      `${start} cannot be set together with .gracePeriodSeconds`,
    ]);
    expect((await get(`${MAPS}/a`)).code).toBe(200);
  });
});
