import { describe, expect, it } from 'vitest';

import { configMap, deployment, givenControlPlane } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MEDIA_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};
const JOBS = '/apis/batch/v1/namespaces/default/jobs';

describe('a patch', () => {
  it('changes what it names', async () => {
    const { post, patch } = await givenControlPlane();
    await post(MAPS, configMap('a', { keep: '1', drop: '2' }));
    const { code, object } = await patch(`${MAPS}/a`, 'merge', { data: { drop: null, add: '3' } });
    expect([code, object['data']]).toEqual([200, { add: '3', keep: '1' }]);
  });

  it('may be JSON operations', async () => {
    const { post, patch } = await givenControlPlane();
    await post(MAPS, configMap('a', { k: '1' }));
    const operations = [
      { op: 'test', path: '/data/k', value: '1' },
      { op: 'replace', path: '/data/k', value: '2' },
    ];
    expect((await patch(`${MAPS}/a`, 'json', operations)).object['data']).toEqual({ k: '2' });
    const again = await patch(`${MAPS}/a`, 'json', operations);
    expect(again).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  it('may go by the merge keys of lists', async () => {
    const { post, patch } = await givenControlPlane();
    await post(DEPLOYMENTS, deployment('d', 1));
    const containers = [{ name: 'side', image: 'busybox' }];
    const { object } = await patch(`${DEPLOYMENTS}/d`, 'strategic-merge', {
      spec: { template: { spec: { containers } } },
    });
    expect(object['spec']).toMatchObject({
      template: { spec: { containers: [{ name: 'side' }, { name: 'main' }] } },
    });
  });

  it('that changes nothing keeps the version', async () => {
    const { post, patch, applied } = await givenControlPlane();
    const { object: made } = await post(MAPS, configMap('a', { k: '1' }));
    const before = applied.current;
    expect((await patch(`${MAPS}/a`, 'merge', { data: { k: '1' } })).object).toEqual(made);
    expect(applied.current).toBe(before);
  });

  it('is 404 where there is nothing', async () => {
    const { patch } = await givenControlPlane();
    expect((await patch(`${MAPS}/a`, 'merge', {})).code).toBe(404);
  });

  it('is refused in a type that is none', async () => {
    const { send } = await givenControlPlane();
    const url = `${MAPS}/a`;
    for (const contentType of ['application/json', '', 'constructor']) {
      expect(await send({ method: 'PATCH', url, body: {}, contentType })).toMatchObject({
        code: 415,
        message: '415: Unsupported Media Type',
      });
    }
  });

  it('may carry the version it is based on', async () => {
    const { post, patch } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('a'));
    const { resourceVersion = '' } = object.metadata;
    const wanted = { metadata: { resourceVersion }, data: { k: '1' } };
    expect((await patch(`${MAPS}/a`, 'merge', wanted)).code).toBe(200);
    const late = await patch(`${MAPS}/a`, 'merge', { ...wanted, data: { k: '2' } });
    expect(late).toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it('cannot rename', async () => {
    const { post, patch } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const renaming = await patch(`${MAPS}/a`, 'merge', { metadata: { name: 'b' } });
    expect(renaming).toMatchObject({
      code: 400,
      message: 'the name of the object (b) does not match the name on the URL (a)',
    });
    const moving = await patch(`${MAPS}/a`, 'merge', { metadata: { namespace: 'kube-system' } });
    expect(moving.code).toBe(400);
  });

  it('that makes something else is named as what is wrong', async () => {
    const { post, patch } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const answer = await patch(`${MAPS}/a`, 'merge', { data: 5 });
    expect(answer).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(answer.message).toMatch(
      /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion.*json: cannot unmarshal number/,
    );
    expect((await patch(`${MAPS}/a`, 'merge', { kind: 'Secret' })).message).toContain(
      'converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    );
  });

  it.each([
    [{ metadata: { labels: 'invalid' } }, 'cannot restore map from string'],
    [{ data: 5 }, 'cannot restore map from int64'],
    [{ data: { k: 5 } }, 'cannot convert int64 to string'],
    [{ data: { k: [] } }, 'unrecognized type: string'],
    [{ immutable: 'x' }, 'unrecognized type: bool'],
    [{ metadata: 5 }, 'cannot restore struct from: int64'],
    [{ binaryData: { k: '!' } }, 'error decoding from json: illegal base64 data at input byte 0'],
    // In the order of the struct's fields, whatever the order of the patch.
    [{ binaryData: { k: '!' }, metadata: { generation: 'x' } }, 'unrecognized type: int64'],
    [{ metadata: { ownerReferences: 'invalid' } }, 'cannot restore slice from string'],
  ])('that merges %j strategically says %s', async (body, why) => {
    const { post, patch } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const answer = await patch(`${MAPS}/a`, 'strategic-merge', body);
    expect(answer).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(answer.message).toContain(why);
  });

  it('leaves nothing when it is a dry run', async () => {
    const { post, patch, get } = await givenControlPlane();
    await post(MAPS, configMap('a', { k: '1' }));
    const dry = await patch(`${MAPS}/a?dryRun=All`, 'merge', { data: { k: '2' } });
    expect(dry.object['data']).toEqual({ k: '2' });
    expect((await get(`${MAPS}/a`)).object['data']).toEqual({ k: '1' });
  });

  it('of the status leaves the spec alone', async () => {
    const { post, patch } = await givenControlPlane();
    await post(DEPLOYMENTS, deployment('d', 1));
    const { object } = await patch(`${DEPLOYMENTS}/d/status`, 'merge', {
      spec: { replicas: 5 },
      status: { replicas: 1 },
    });
    expect(object['spec']).toMatchObject({ replicas: 1 });
    expect(object['status']).toMatchObject({ replicas: 1 });
  });

  it('may use keys that are those of every object', async () => {
    const { post, patch } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const wanted = JSON.parse('{"data":{"__proto__":"x","constructor":"y"}}') as object;
    const { object } = await patch(`${MAPS}/a`, 'merge', { ...wanted });
    expect(JSON.stringify(object['data'])).toBe('{"__proto__":"x","constructor":"y"}');
    expect(Object.prototype).not.toHaveProperty('x');
  });
});

describe('fields that are not known', () => {
  const strange = { data: { k: '1' }, foo: 1 };

  it('are warned of, refused or dropped, as the client wishes', async () => {
    const { post, patch } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const url = `${MAPS}/a`;
    expect((await patch(url, 'merge', strange)).warnings).toEqual(['unknown field "foo"']);
    const strict = await patch(`${url}?fieldValidation=Strict`, 'merge', strange);
    expect(strict.code).toBe(422);
    expect(strict.message).toContain('strict decoding error: unknown field "foo"');
    const silent = await patch(`${url}?fieldValidation=Ignore`, 'merge', strange);
    expect([silent.code, silent.warnings]).toEqual([200, []]);
  });

  it('of a strategic merge are shown as Go shows them', async () => {
    const { post, patch } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const url = `${MAPS}/a?fieldValidation=Strict`;
    expect((await patch(url, 'strategic-merge', { foo: 1 })).message).toBe(
      ' "" is invalid: patch: Invalid value: "map[foo:1]": ' +
        'strict decoding error: unknown field "foo"',
    );
  });

  it('of JSON operations are fields of the operations, too', async () => {
    const { post, patch } = await givenControlPlane();
    await post(MAPS, configMap('a', { k: '1' }));
    const operations = [{ op: 'replace', path: '/data/k', value: '2', why: 'x' }];
    const { code, warnings } = await patch(`${MAPS}/a`, 'json', operations);
    expect([code, warnings.length]).toEqual([200, 1]);
  });
});

describe('numbers that are spelled as floats', () => {
  const unfit = (number: string, field: string): string =>
    `: json: cannot unmarshal number ${number} into Go struct field ${field} of type int32`;
  const REPLICAS = 'DeploymentSpec.spec.replicas';

  /** As the server is asked by a client, in text. */
  async function patched(type: keyof typeof MEDIA_TYPES, text: string, query = '') {
    const { post, send } = await givenControlPlane();
    expect((await post(DEPLOYMENTS, deployment('d', 1))).code).toBe(201);
    const url = `${DEPLOYMENTS}/d${query}`;
    return send({ method: 'PATCH', url, contentType: MEDIA_TYPES[type], text });
  }

  // Asked of kube-apiserver 1.36.3, as the ones below.
  it.each<[keyof typeof MEDIA_TYPES, string, string, string?]>([
    ['merge', '{"spec":{"replicas":2.0}}', unfit('2.0', REPLICAS)],
    ['merge', '{"spec":{"replicas":2e0}}', unfit('2e0', REPLICAS), '?fieldValidation=Ignore'],
    ['merge', '{"spec":{"replicas":2e0}}', unfit('2e0', REPLICAS), '?fieldValidation=Strict'],
    [
      'merge',
      '{"spec":{"replicas":99999999999999999999}}',
      unfit('99999999999999999999', REPLICAS),
    ],
    [
      'merge',
      '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":1.0}}}}',
      unfit('1.0', 'RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge'),
    ],
    [
      'merge',
      '{"metadata":{"labels":{"a":1.0}}}',
      ': json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'json',
      '[{"op":"replace","path":"/spec/replicas","value":2.0}]',
      unfit('2.0', REPLICAS),
      '?fieldValidation=Ignore',
    ],
    [
      'json',
      '[{"op":"add","path":"/spec/template/spec/containers/0/ports","value":[{"containerPort":81.0}]}]',
      unfit('81.0', 'ContainerPort.spec.template.spec.containers.ports.containerPort'),
    ],
    [
      'json',
      '[{"op":"add","path":"/metadata/labels","value":{"x":1.50}}]',
      ': json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    ['strategic', '{"spec":{"replicas":2.5}}', ': cannot convert float64 to int32'],
  ])('are refused for ints: %s %s', async (type, text, why, query) => {
    const { code, reason, message } = await patched(type, text, query);
    expect([code, reason]).toEqual([422, 'Invalid']);
    expect(message.slice(-why.length)).toBe(why);
  });

  it('are shown as they were spelled, and differ from the same number spelled otherwise', async () => {
    const { message } = await patched('merge', '{"spec":{"replicas":2.0,"paused":true}}');
    expect(message).toContain('\\"replicas\\":2.0');
    const path = '/spec/replicas';
    const test = (value: string) => `{"op":"test","path":"${path}","value":${value}}`;
    const replace = (value: string) => `{"op":"replace","path":"${path}","value":${value}}`;
    expect((await patched('json', `[${replace('1')},${test('1.0')}]`)).code).toBe(422);
    const round = await patched('json', `[${replace('2.0')},${test('2.0')},${replace('3')}]`);
    expect([round.code, round.object['spec']]).toMatchObject([200, { replicas: 3 }]);
  });

  it('are taken for ints by a strategic merge, and for quantities by every patch', async () => {
    const strategic = await patched('strategic', '{"spec":{"replicas":2.0}}');
    expect([strategic.code, strategic.object['spec']]).toMatchObject([200, { replicas: 2 }]);
    const operation = '"op":"add","path":"/spec/template/spec/containers/0/resources"';
    const quantity = await patched('json', `[{${operation},"value":{"limits":{"cpu":1.0}}}]`);
    expect(quantity.code).toBe(200);
    expect(JSON.stringify(quantity.object)).toContain('"limits":{"cpu":"1"}');
  });

  it('are judged anew in a second attempt', async () => {
    const { post, send, elsewhere } = await givenControlPlane();
    await post(DEPLOYMENTS, deployment('d', 1));
    const text = '{"spec":{"replicas":2.0}}';
    const url = `${DEPLOYMENTS}/d`;
    const mine = send({ method: 'PATCH', url, contentType: MEDIA_TYPES.merge, text });
    await elsewhere('apps/deployments', 'default/d', () => undefined);
    expect((await mine).code).toBe(422);
    const body = await send({
      ...{ method: 'POST', url: `${DEPLOYMENTS}?fieldValidation=Ignore` },
      text: '{"metadata":{"name":"e"},"spec":{"replicas":1.0}}',
    });
    expect(body).toMatchObject({
      code: 400,
      message: expect.stringContaining('number 1.0') as string,
    });
  });
});

describe('two clients that patch one object', () => {
  it('both have their way', async () => {
    const { post, patch, get } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    await Promise.all(
      ['x', 'y', 'z'].map((key) => patch(`${MAPS}/a`, 'merge', { data: { [key]: '1' } })),
    );
    expect((await get(`${MAPS}/a`)).object['data']).toEqual({ x: '1', y: '1', z: '1' });
  });

  it('both have their way on different servers', async () => {
    const { post, patch, elsewhere } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const mine = patch(`${MAPS}/a`, 'merge', { data: { mine: '1' } });
    await elsewhere('core/configmaps', 'default/a', (object) => {
      object['data'] = { elsewhere: '1' };
      return undefined;
    });
    expect(await mine).toMatchObject({
      code: 200,
      object: { data: { elsewhere: '1', mine: '1' } },
    });
  });

  it('have their patches tried anew on what the other left', async () => {
    const { post, patch, elsewhere } = await givenControlPlane();
    await post(MAPS, configMap('a', { k: '1' }));
    const mine = patch(`${MAPS}/a`, 'json', [
      { op: 'test', path: '/data/k', value: '1' },
      { op: 'replace', path: '/data/k', value: 'mine' },
    ]);
    await elsewhere('core/configmaps', 'default/a', (object) => {
      object['data'] = { k: 'elsewhere' };
      return undefined;
    });
    expect((await mine).code).toBe(422);
  });

  it('find nothing of the first attempt in the second', async () => {
    const { post, patch, elsewhere } = await givenControlPlane();
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const job = {
      kind: 'Job',
      apiVersion: 'batch/v1',
      metadata: { name: 'j' },
      spec: { template },
    };
    await post(JOBS, { ...job, spec: { ...job.spec, suspend: true } });
    const before = { labels: { a: '1' } };
    const mine = patch(`${JOBS}/j`, 'merge', { metadata: before, spec: { suspend: false } });
    await elsewhere('batch/jobs', 'default/j', (object) => {
      object.metadata.labels = { ...object.metadata.labels, b: '2' };
      return undefined;
    });
    const { code, object } = await mine;
    expect(code).toBe(200);
    expect(object.metadata.labels).toMatchObject({ a: '1', b: '2' });
    expect(object['spec']).toMatchObject({ suspend: false });
  });
});
