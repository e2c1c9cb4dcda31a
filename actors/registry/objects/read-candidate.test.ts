import { describe, expect, it } from 'vitest';

import type { JsonValue } from '../../../api/json/json.ts';
import { configMap, deployment, givenControlPlane } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

describe('fields that are not known', () => {
  const strange = { ...configMap('a'), foo: 1, metadata: { name: 'a', bar: { baz: 1 } } };

  it('are warned of', async () => {
    const { post, put } = await givenControlPlane();
    const sentences = ['unknown field "foo"', 'unknown field "metadata.bar"'];
    const { code, warnings, object } = await post(MAPS, strange);
    expect([code, [...warnings].sort()]).toEqual([201, sentences]);
    expect(object).not.toHaveProperty('foo');
    expect([...(await put(`${MAPS}/a`, strange)).warnings].sort()).toEqual(sentences);
  });

  it('are refused, if the client wants that', async () => {
    const { post, get } = await givenControlPlane();
    const answer = await post(`${MAPS}?fieldValidation=Strict`, { ...configMap('a'), foo: 1 });
    expect(answer).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
        'strict decoding error: unknown field "foo"',
    });
    expect((await get(`${MAPS}/a`)).code).toBe(404);
  });

  it('are dropped in silence, if the client wants that', async () => {
    const { post } = await givenControlPlane();
    const { code, warnings } = await post(`${MAPS}?fieldValidation=Ignore`, strange);
    expect([code, warnings]).toEqual([201, []]);
  });

  it('are refused, warned of or ignored, and nothing else', async () => {
    const { post } = await givenControlPlane();
    expect((await post(`${MAPS}?fieldValidation=Maybe`, strange)).code).toBe(422);
  });

  it('are told of once, however often it is tried', async () => {
    const { post, elsewhere } = await givenControlPlane();
    const mine = post(MAPS, strange);
    await elsewhere('core/namespaces', '/default', (object) => {
      object.metadata.labels = { a: 'b' };
      return undefined;
    });
    expect((await mine).warnings).toHaveLength(2);
  });
});

describe('fields that stand there twice', () => {
  const text =
    '{"metadata":{"name":"a","name":"b","labels":{"x":"1","x":"2"}},"data":{"k":"v"},"data":{"l":"w"}}';
  const sentences = [
    'duplicate field "metadata.name"',
    'duplicate field "metadata.labels.x"',
    'duplicate field "data"',
  ];

  it('are warned of, and read as Go reads them', async () => {
    const { send } = await givenControlPlane();
    const { code, warnings, object } = await send({ method: 'POST', url: MAPS, text });
    expect([code, warnings]).toEqual([201, sentences]);
    expect(object).toMatchObject({
      metadata: { name: 'b', labels: { x: '2' } },
      data: { k: 'v', l: 'w' },
    });
  });

  it('are refused, if the client wants that', async () => {
    const { send } = await givenControlPlane();
    const url = `${MAPS}?fieldValidation=Strict`;
    expect(await send({ method: 'POST', url, text })).toMatchObject({
      code: 400,
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
        `strict decoding error: ${sentences.join(', ')}`,
    });
  });

  it('are not spoken of, if the client wants that', async () => {
    const { send } = await givenControlPlane();
    const url = `${MAPS}?fieldValidation=Ignore`;
    const { code, warnings, object } = await send({ method: 'POST', url, text });
    expect([code, warnings, object['data']]).toEqual([201, [], { k: 'v', l: 'w' }]);
  });

  it.each([
    ['merge-patch', '{"data":{"k":"1","k":"2"}}', 'duplicate field "data.k"'],
    ['strategic-merge-patch', '{"data":{"k":"1","k":"2"}}', 'duplicate field "data.k"'],
    [
      'json-patch',
      '[{"op":"add","path":"/data/k","value":"1","value":"2"}]',
      'json patch duplicate field "[0].value"',
    ],
  ])('of a %s are told of too', async (type, patch, sentence) => {
    const { send, post } = await givenControlPlane();
    await post(MAPS, configMap('a', { x: 'y' }));
    const contentType = `application/${type}+json`;
    const sent = { method: 'PATCH', url: `${MAPS}/a`, text: patch, contentType };
    const warned = await send(sent);
    expect(warned).toMatchObject({ code: 200, warnings: [sentence] });
    expect(warned.object['data']).toEqual({ x: 'y', k: '2' });
    const strict = await send({ ...sent, url: `${sent.url}?fieldValidation=Strict` });
    expect(strict).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(strict.message).toContain(`strict decoding error: ${sentence}`);
  });
});

describe('what is no object of the resource', () => {
  it.each<[string, JsonValue, string]>([
    [
      MAPS,
      { ...configMap('a'), kind: 'Secret' },
      'Secret in version "v1" cannot be handled as a ConfigMap: ' +
        'converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      DEPLOYMENTS,
      { ...deployment('d', 1), kind: 'Pod', apiVersion: 'v1' },
      'Pod in version "v1" cannot be handled as a Deployment: ' +
        'converting (v1.Pod) to (apps.Deployment): unknown conversion',
    ],
    [
      MAPS,
      deployment('d', 1),
      'Deployment in version "v1" cannot be handled as a ConfigMap: ' +
        'converting (v1.Deployment) to (core.ConfigMap): unknown conversion',
    ],
    [
      MAPS,
      { ...configMap('a'), kind: 'Nonesuch' },
      'Nonesuch in version "v1" cannot be handled as a ConfigMap: no kind "Nonesuch" is ' +
        'registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      DEPLOYMENTS,
      { ...deployment('d', 1), apiVersion: 'apps/v1beta1' },
      'the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)',
    ],
    [
      DEPLOYMENTS,
      { ...deployment('d', 1), apiVersion: 'x' },
      'Deployment in version "x" cannot be handled as a Deployment: no kind "Deployment" is ' +
        'registered for version "x" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      DEPLOYMENTS,
      { ...deployment('d', 1), kind: 'DeploymentSpec' },
      'DeploymentSpec in version "v1" cannot be handled as a Deployment: no kind "DeploymentSpec" is ' +
        'registered for version "apps/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      DEPLOYMENTS,
      { kind: 'Deployment', apiVersion: 'batch/' },
      'Deployment in version "" cannot be handled as a Deployment: ' +
        `Object 'apiVersion' is missing in '{"kind":"Deployment","apiVersion":"batch/"}'`,
    ],
    [
      DEPLOYMENTS,
      { kind: 'Deployment', apiVersion: 'apps/v1beta1', spec: 5 },
      'Deployment in version "v1beta1" cannot be handled as a Deployment: json: cannot unmarshal ' +
        'number into Go struct field Deployment.spec of type v1beta1.DeploymentSpec',
    ],
    [
      MAPS,
      { kind: 'Pod', apiVersion: 'v1', spec: 5 },
      'Pod in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into ' +
        'Go struct field Pod.spec of type v1.PodSpec',
    ],
    [
      MAPS,
      { apiVersion: 'v1', kind: ['x'], metadata: { name: 'a' } },
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; " +
        'json parse error: json: cannot unmarshal array into Go struct field .kind of type string ' +
        '({"apiVersion":"v1","kind":["x" ...)',
    ],
    [
      MAPS,
      { ...configMap('a'), data: { k: 5 } },
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
        'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      MAPS,
      [],
      'the object provided is unrecognized (must be of type ConfigMap): ' +
        "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value " +
        'of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
        'Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
    ],
  ])('to %s is refused: %j', async (url, body, message) => {
    const { post } = await givenControlPlane();
    expect(await post(url, body)).toMatchObject({ code: 400, message });
  });

  it('may leave out what the URL says', async () => {
    const { post } = await givenControlPlane();
    const { code, object } = await post(MAPS, { metadata: { name: 'a' } });
    expect([code, object.kind, object.apiVersion]).toEqual([201, 'ConfigMap', 'v1']);
    expect((await post(MAPS, {})).code).toBe(422);
    expect((await post(MAPS, null)).code).toBe(422);
  });

  it('is shown by its beginning when it is not even JSON', async () => {
    const { send } = await givenControlPlane();
    const unrecognized = 'the object provided is unrecognized (must be of type ConfigMap): ';
    const post = { method: 'POST', url: MAPS };
    const problem = "couldn't get version/kind; json parse error: unexpected end of JSON input";
    expect((await send(post)).message).toBe(`${unrecognized}${problem} (<empty>)`);
    const yaml = await send({ ...post, contentType: 'application/yaml', text: '[' });
    expect(yaml.message).toBe(`${unrecognized}yaml: line 1: flow sequence must end with a ] (5b)`);
  });
});

describe('a body that breaks something', () => {
  it('is answered, and the next one too', async () => {
    const { context, send, post } = await givenControlPlane();
    Object.assign(context, {
      decoder: {
        decode() {
          throw new Error('broken');
        },
      },
    });
    for (const method of ['POST', 'DELETE'] as const) {
      const url = method === 'POST' ? MAPS : `${MAPS}/a`;
      expect(await send({ method, url, body: {} })).toMatchObject({
        code: 500,
        message: 'Internal error occurred: broken',
      });
    }
    const contentType = 'application/merge-patch+json';
    const patched = await send({ method: 'PATCH', url: `${MAPS}/a`, body: {}, contentType });
    expect(patched.code).toBe(500);
    expect((await post(MAPS, configMap('a'))).code).toBe(500);
    expect(context.slots.size).toBe(0);
  });
});
