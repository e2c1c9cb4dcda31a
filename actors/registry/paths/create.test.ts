import { describe, expect, it } from 'vitest';

import type { Random } from '../../../api/meta/clock.ts';
import { configMap, deployment, givenControlPlane, pod } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('a create', () => {
  it('answers 201 with the object and what the server adds to its metadata', async () => {
    const { post, applied } = await givenControlPlane();
    const { code, object } = await post(MAPS, configMap('a', { k: 'v' }));
    expect(code).toBe(201);
    expect(object).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        name: 'a',
        namespace: 'default',
        uid: expect.stringMatching(/^uuid-/) as string,
        resourceVersion: String(applied.current),
        creationTimestamp: '1970-01-01T00:00:00Z',
        managedFields: [expect.objectContaining({ manager: 'tests' })],
      },
      data: { k: 'v' },
    });
  });

  it('does not believe what the client says of the metadata that is the server’s', async () => {
    const { post } = await givenControlPlane();
    const lies = {
      uid: 'mine',
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      generation: 7,
      selfLink: '/x',
    };
    const { object } = await post(MAPS, configMap('a', {}, lies));
    const { metadata } = object;
    expect(metadata.uid).not.toBe('mine');
    expect(metadata.creationTimestamp).toBe('1970-01-01T00:00:00Z');
    expect(Object.keys(metadata)).not.toContain('deletionTimestamp');
    expect(Object.keys(metadata)).not.toContain('deletionGracePeriodSeconds');
    expect(Object.keys(metadata)).not.toContain('selfLink');
  });

  it('is refused with 409 where the name is taken', async () => {
    const { post, get } = await givenControlPlane();
    await post(MAPS, configMap('a', { first: '1' }));
    const second = await post(MAPS, configMap('a', { second: '2' }));
    expect(second).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
    });
    expect((await get(`${MAPS}/a`)).object['data']).toEqual({ first: '1' });
  });

  it('says so when what takes the name is on its way out', async () => {
    const { post, del } = await givenControlPlane();
    await post(MAPS, configMap('a', {}, { finalizers: ['example.com/f'] }));
    await del(`${MAPS}/a`);
    const { code, message } = await post(MAPS, configMap('a'));
    expect([code, message]).toEqual([
      409,
      'object is being deleted: configmaps "a" already exists',
    ]);
  });

  it('is refused in a namespace that is not there', async () => {
    const { post } = await givenControlPlane();
    const answer = await post('/api/v1/namespaces/nowhere/configmaps', configMap('a'));
    expect(answer).toMatchObject({ code: 404, message: 'namespaces "nowhere" not found' });
  });

  // As kube-apiserver answered each of them.
  it.each(['5', '0', 'abc', 'a"\u00e9', '99999999999999999999'])(
    'with the resourceVersion %j shows it in a dry run, which reaches no store',
    async (resourceVersion) => {
      const { post } = await givenControlPlane();
      const dry = await post(`${MAPS}?dryRun=All`, configMap('a', {}, { resourceVersion }));
      expect(dry.code).toBe(201);
      expect(dry.object.metadata.resourceVersion).toBe(resourceVersion);
    },
  );

  it.each([
    ['abc', 201, 500],
    ['99999999999999999999', 201, 500],
    ['5', 500, 201],
    ['0', 201, 201],
    ['', 201, 201],
  ])(
    'with the resourceVersion %j answers %i to a POST, %i to a PUT',
    async (version, post, put) => {
      const plane = await givenControlPlane();
      const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
      const lease = (name: string) => ({ metadata: { name, resourceVersion: version } });
      expect((await plane.post(leases, lease('a'))).code).toBe(post);
      const replaced = await plane.put(`${leases}/b`, lease('b'));
      expect(replaced.code).toBe(put);
      if (put === 500)
        expect(replaced.message).toContain(`strconv.ParseUint: parsing "${version}"`);
    },
  );

  it('is refused for what is wrong with it, all of it', async () => {
    const { post } = await givenControlPlane();
    const answer = await post(MAPS, configMap('A_b', { 'no spaces': 'x' }));
    expect(answer).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(answer.status?.details?.causes?.map(({ field }) => field)).toEqual([
      'metadata.name',
      'data[no spaces]',
    ]);
  });

  it('leaves nothing when it is a dry run, and answers as if it did', async () => {
    const { post, get, applied } = await givenControlPlane();
    const before = applied.current;
    const { code, object } = await post(`${MAPS}?dryRun=All`, configMap('a', { k: 'v' }));
    expect(code).toBe(201);
    expect(object['data']).toEqual({ k: 'v' });
    expect(object.metadata).not.toHaveProperty('resourceVersion');
    expect(applied.current).toBe(before);
    expect((await get(`${MAPS}/a`)).code).toBe(404);
    await post(MAPS, configMap('a'));
    expect((await post(`${MAPS}?dryRun=All`, configMap('a'))).code).toBe(409);
  });

  it('takes effect for one of two that come at the same time', async () => {
    const { post } = await givenControlPlane();
    const both = await Promise.all([
      post(MAPS, configMap('a', { from: 'one' })),
      post(MAPS, configMap('a', { from: 'two' })),
    ]);
    expect(both.map(({ code }) => code)).toEqual([201, 409]);
  });

  it('loses against another server that was first', async () => {
    const { post, elsewhere, get } = await givenControlPlane();
    const mine = post(MAPS, configMap('a', { from: 'me' }));
    await elsewhere('core/configmaps', 'default/a', (object) => {
      Object.assign(object, configMap('a', { from: 'elsewhere' }));
      return 'added';
    });
    expect(await mine).toMatchObject({ code: 409, message: 'configmaps "a" already exists' });
    expect((await get(`${MAPS}/a`)).object['data']).toEqual({ from: 'elsewhere' });
  });
});

describe('a create that races with a change of its namespace', () => {
  it('is refused when the namespace began to go away', async () => {
    const { post, elsewhere, get } = await givenControlPlane();
    const mine = post(MAPS, configMap('late'));
    await elsewhere('core/namespaces', '/default', (object) => {
      object.metadata.deletionTimestamp = '1970-01-01T00:00:01Z';
      return undefined;
    });
    const answer = await mine;
    expect(answer).toMatchObject({
      code: 403,
      message:
        'configmaps "late" is forbidden: unable to create new content in namespace default ' +
        'because it is being terminated',
    });
    expect(answer.status?.details?.causes).toEqual([
      {
        reason: 'NamespaceTerminating',
        message: 'namespace default is being terminated',
        field: 'metadata.namespace',
      },
    ]);
    expect((await get(`${MAPS}/late`)).code).toBe(404);
  });

  it('is made all the same when the namespace only got a label', async () => {
    const { post, elsewhere } = await givenControlPlane();
    const mine = post(MAPS, configMap('a', { k: 'v' }));
    await elsewhere('core/namespaces', '/default', (object) => {
      object.metadata.labels = { team: 'x' };
      return undefined;
    });
    expect(await mine).toMatchObject({ code: 201, object: { data: { k: 'v' } } });
  });

  it('prepares the object anew, so that nothing of the first attempt is left in it', async () => {
    const { post, elsewhere } = await givenControlPlane();
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const job = {
      kind: 'Job',
      apiVersion: 'batch/v1',
      metadata: { name: 'j' },
      spec: { template },
    };
    const mine = post('/apis/batch/v1/namespaces/default/jobs', job);
    await elsewhere('core/namespaces', '/default', (object) => {
      object.metadata.labels = { team: 'x' };
      return undefined;
    });
    const { code, object } = await mine;
    expect(code).toBe(201);
    // The selector of a Job is made of its uid.
    expect(object['spec']).toMatchObject({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': object.metadata.uid } },
    });
  });
});

/** Suffixes of five times the same letter, in the order of the alphabet. */
function countingRandom(): Random & { readonly names: number } {
  let calls = 0;
  return {
    integer: () => Math.floor(calls++ / 5),
    uuid: () => `uuid-${String(calls)}`,
    get names() {
      return calls / 5;
    },
  };
}

describe('a generated name', () => {
  it('is the prefix and five characters', async () => {
    const { post, get } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('', {}, { generateName: 'web-' }));
    expect(object.metadata).toMatchObject({ name: 'web-99999', generateName: 'web-' });
    expect((await get(MAPS)).names).toEqual(['web-99999']);
  });

  it('are UUIDs of limit ranges that bring nothing, and of no other kind', async () => {
    const { get, post } = await givenControlPlane();
    const ranges = '/api/v1/namespaces/default/limitranges';
    for (const metadata of [undefined, {}, { name: '' }]) {
      const sent = metadata === undefined ? {} : { metadata };
      const { code, object } = await post(ranges, sent);
      const { name = '', uid } = object.metadata;
      expect([code, name]).toEqual([201, expect.stringMatching(/^uuid-\d+$/)]);
      expect(uid).not.toBe(name);
      expect((await get(`${ranges}/${name}`)).code).toBe(200);
    }
    const begun = await post(ranges, { metadata: { generateName: 'x-' } });
    expect(begun.object.metadata.name).toBe('x-99999');
    const nameless = await post(MAPS, configMap(''));
    expect(nameless).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  it('leaves room for its suffix', async () => {
    const { post } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('', {}, { generateName: 'x'.repeat(80) }));
    expect(object.metadata.name).toBe(`${'x'.repeat(58)}99999`);
  });

  it('is given up for another one where it is taken', async () => {
    const random = countingRandom();
    const { post } = await givenControlPlane({ random });
    await post(MAPS, configMap('web-bbbbb'));
    await post(MAPS, configMap('web-ccccc'));
    const { code, object } = await post(MAPS, configMap('', {}, { generateName: 'web-' }));
    expect([code, object.metadata.name]).toEqual([201, 'web-ddddd']);
    expect(random.names).toBe(3);
  });

  it('is tried eight times, and then given up', async () => {
    const random = countingRandom();
    const { post } = await givenControlPlane({ random });
    for (const letter of 'bcdfghjk') await post(MAPS, configMap(`web-${letter.repeat(5)}`));
    const answer = await post(MAPS, configMap('', {}, { generateName: 'web-' }));
    expect(answer).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message:
        'configmaps "web-kkkkk" already exists, ' +
        'the server was not able to generate a unique name for the object',
    });
    expect(answer.status?.details?.retryAfterSeconds).toBe(1);
    expect(random.names).toBe(8);
  });

  it('that another server takes meanwhile is given up as well', async () => {
    const { post, elsewhere } = await givenControlPlane({ random: countingRandom() });
    const mine = post(MAPS, configMap('', {}, { generateName: 'web-' }));
    await elsewhere('core/configmaps', 'default/web-bbbbb', (object) => {
      Object.assign(object, configMap('web-bbbbb'));
      return 'added';
    });
    expect((await mine).object.metadata.name).toBe('web-ccccc');
  });

  it('is not used where a name is given, but blamed where that is taken', async () => {
    const { post } = await givenControlPlane();
    const both = configMap('a', {}, { generateName: 'web-' });
    expect((await post(MAPS, both)).object.metadata.name).toBe('a');
    expect((await post(MAPS, both)).message).toBe(
      'configmaps "a" already exists, ' +
        'the server was not able to generate a unique name for the object',
    );
  });
});

describe('names and namespaces of what is sent', () => {
  it('must fit the URL', async () => {
    const { post } = await givenControlPlane();
    const answer = await post(MAPS, configMap('a', {}, { namespace: 'kube-system' }));
    expect(answer).toMatchObject({
      code: 400,
      message:
        'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  it('lose the namespace where there is none', async () => {
    const { post } = await givenControlPlane();
    const body = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'n', namespace: 'x' } };
    const { code, object } = await post('/api/v1/namespaces', body);
    expect(code).toBe(201);
    expect(object.metadata).not.toHaveProperty('namespace');
  });

  it('may not be longer than a key, also where the kind sets no limit', async () => {
    const { post } = await givenControlPlane();
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const role = (name: string) => ({
      kind: 'ClusterRole',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name },
      rules: [],
    });
    const { code, message } = await post(roles, role('x'.repeat(1_024)));
    expect(code).toBe(422);
    expect(message).toContain('metadata.name: Too long: may not be more than 1024 bytes');
    expect((await post(roles, role('x'.repeat(1_000)))).code).toBe(201);
  });

  it('make no trouble when they are those of Object.prototype', async () => {
    const { post, get } = await givenControlPlane();
    for (const name of ['constructor', 'tostring', 'valueof']) {
      expect((await post(MAPS, configMap(name))).code).toBe(201);
      expect((await get(`${MAPS}/${name}`)).object.metadata.name).toBe(name);
    }
    const body = JSON.parse('{"metadata":{"name":"p"},"data":{"__proto__":"x"}}') as object;
    const { object } = await post(MAPS, { ...configMap(''), ...body });
    expect(JSON.stringify(object['data'])).toBe('{"__proto__":"x"}');
    expect(({} as { x?: string }).x).toBeUndefined();
  });
});

describe('what is sent in another version', () => {
  it('is stored in the storage version and shown in the one that was asked for', async () => {
    const { post, get, objects } = await givenControlPlane();
    const v1 = {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'h' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
        targetCPUUtilizationPercentage: 70,
      },
    };
    const path = (version: string): string =>
      `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
    const made = await post(path('v1'), v1);
    expect(made.code).toBe(201);
    expect(made.object).toMatchObject({
      apiVersion: 'autoscaling/v1',
      spec: { targetCPUUtilizationPercentage: 70 },
    });
    const inV2 = await get(`${path('v2')}/h`);
    expect(inV2.object.apiVersion).toBe('autoscaling/v2');
    expect(inV2.object['spec']).toHaveProperty('metrics');
    expect(objects.get('autoscaling/horizontalpodautoscalers', 'default/h')).toBeDefined();
    const dry = await post(`${path('v1')}?dryRun=All`, { ...v1, metadata: { name: 'i' } });
    expect(dry.object).toMatchObject({
      apiVersion: 'autoscaling/v1',
      spec: { targetCPUUtilizationPercentage: 70 },
    });
  });

  it('is refused when it says another version than the URL', async () => {
    const { post } = await givenControlPlane();
    const url = '/apis/apps/v1/namespaces/default/deployments';
    const answer = await post(url, { ...deployment('d', 1), apiVersion: 'apps/v1beta1' });
    expect(answer.code).toBe(400);
    expect((await post(MAPS, pod('p'))).code).toBe(400);
  });
});
