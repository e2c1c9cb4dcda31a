/** JSON that Go keeps as it was sent keeps all digits of its numbers, whatever is done to the object. */
import { describe, expect, it } from 'vitest';
import { givenControlPlane } from '../given-registry.fixture.ts';

const GREAT = '9223372036854775809';
const OTHER = '-170141183460469231731687303715884105728';
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';

async function given() {
  const plane = await givenControlPlane();
  const { objects, send } = plane;
  const json = (resource: string, name: string): string =>
    String(objects.get(resource, `default/${name}`)?.json);
  const sendText = (method: string, url: string, text: string, contentType = 'application/json') =>
    send({ method, url, text, contentType });
  return { ...plane, json, sendText };
}

function revision(data: string, metadata = ''): string {
  return (
    `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"r"${metadata}},` +
    `"data":${data},"revision":1}`
  );
}

describe('the data of a controller revision', () => {
  const data = `{"a":[${GREAT},1],"b":{"c":${OTHER}}}`;

  it('is kept through updates and patches of other fields', async () => {
    const { json, sendText } = await given();
    const kept = (): boolean => json('apps/controllerrevisions', 'r').includes(`"data":${data}`);
    expect((await sendText('POST', REVISIONS, revision(data))).code).toBe(201);
    expect(kept()).toBe(true);

    const put = await sendText('PUT', `${REVISIONS}/r`, revision(data, ',"labels":{"a":"b"}'));
    expect(put).toMatchObject({ code: 200, object: { metadata: { labels: { a: 'b' } } } });
    expect(kept()).toBe(true);
    expect(put.object.metadata['managedFields']).toHaveLength(1);

    const patches = {
      'application/merge-patch+json': '{"revision":2}',
      'application/json-patch+json': '[{"op":"replace","path":"/revision","value":3}]',
    };
    for (const [type, patch] of Object.entries(patches)) {
      expect((await sendText('PATCH', `${REVISIONS}/r`, patch, type)).code).toBe(200);
      expect(kept()).toBe(true);
    }
  });

  it('keeps the spelling of its numbers, which is a part of it', async () => {
    const { json, sendText } = await given();
    const spelled = '{"a":1.0,"b":[1e3,-0,{"c":0.10}]}';
    expect((await sendText('POST', REVISIONS, revision(spelled))).code).toBe(201);
    const patch =
      '[{"op":"test","path":"/data/a","value":1.0},{"op":"add","path":"/revision","value":2}]';
    const patched = await sendText('PATCH', `${REVISIONS}/r`, patch, 'application/json-patch+json');
    expect(patched.code).toBe(200);
    expect(json('apps/controllerrevisions', 'r')).toContain(`"data":${spelled}`);

    const other = revision(spelled.replace('1.0', '1'));
    expect((await sendText('PUT', `${REVISIONS}/r`, other)).code).toBe(422);
    const merged = await sendText(
      'PATCH',
      `${REVISIONS}/r`,
      '{"data":{"a":1}}',
      'application/merge-patch+json',
    );
    expect(merged.code).toBe(422);
  });

  it('cannot get a field that is null, nor lose one', async () => {
    const { sendText } = await given();
    await sendText('POST', REVISIONS, revision('{"a":1,"n":null}'));
    for (const data of ['{"a":1}', '{"a":1,"n":null,"k":null}', '{"a":1,"n":[]}']) {
      expect((await sendText('PUT', `${REVISIONS}/r`, revision(data))).code).toBe(422);
    }
    expect((await sendText('PUT', `${REVISIONS}/r`, revision('{"a":1,"n":null}'))).code).toBe(200);
  });

  it('cannot be changed in its last digit either', async () => {
    const { sendText } = await given();
    await sendText('POST', REVISIONS, revision(`{"a":${GREAT}}`));
    const other = revision(`{"a":${GREAT.replace(/9$/, '8')}}`);
    expect((await sendText('PUT', `${REVISIONS}/r`, other)).message).toContain(
      'data: Invalid value',
    );
  });
});

it('opaque parameters of a claim are kept, and a patch can bring others', async () => {
  const { json, sendText } = await given();
  const claim =
    '{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"c","finalizers":' +
    '["x.io/f"]},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"d"}}],' +
    `"config":[{"opaque":{"driver":"x.io","parameters":{"a":${GREAT}}}}]}}}`;
  const url = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
  expect((await sendText('POST', url, claim)).code).toBe(201);
  const kept = (): string => json('resource.k8s.io/resourceclaims', 'c');
  expect(kept()).toContain(`"parameters":{"a":${GREAT}}`);
  const status =
    '[{"op":"add","path":"/status","value":{"devices":[{"driver":"x.io","pool":"p","device":"e",' +
    `"data":{"a":${OTHER}}}]}},` +
    '{"op":"add","path":"/status/allocation","value":{"devices":{"results":[{"request":"r","driver"' +
    ':"x.io","pool":"p","device":"e"}]}}}]';
  const patched = await sendText('PATCH', `${url}/c/status`, status, 'application/json-patch+json');
  expect(patched).toMatchObject({ code: 200, message: '' });
  expect(kept()).toContain(`"parameters":{"a":${GREAT}}`);
  expect(kept()).toContain(`"data":{"a":${OTHER}}`);
});

it('opaque parameters of a claim cannot get a field that is null, nor lose one', async () => {
  const { sendText } = await given();
  const claim = (parameters: string): string =>
    '{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"c"},"spec":' +
    '{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"d"}}],' +
    `"config":[{"opaque":{"driver":"x.io","parameters":${parameters}}}]}}}`;
  const url = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
  expect((await sendText('POST', url, claim('{"a":1,"n":null}'))).code).toBe(201);
  for (const parameters of ['{"a":1}', '{"a":1,"n":null,"k":null}', '{"a":1,"n":[]}']) {
    const refused = await sendText('PUT', `${url}/c`, claim(parameters));
    expect(refused.message).toContain('spec: Invalid value');
    expect(refused.message).toContain('field is immutable');
  }
  expect((await sendText('PUT', `${url}/c`, claim('{"a":1,"n":null}'))).code).toBe(200);
});

it('opaque parameters of a class count for its generation, with fields that are null', async () => {
  const { sendText } = await given();
  const deviceClass = (parameters: string): string =>
    '{"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"c"},"spec":' +
    `{"config":[{"opaque":{"driver":"x.io","parameters":${parameters}}}]}}`;
  const url = '/apis/resource.k8s.io/v1/deviceclasses';
  expect((await sendText('POST', url, deviceClass('{"a":1}'))).code).toBe(201);
  let generation = 1;
  for (const parameters of ['{"a":1,"n":null}', '{"a":1,"n":[]}', '{"a":1}']) {
    generation += 1;
    const put = await sendText('PUT', `${url}/c`, deviceClass(parameters));
    expect(put).toMatchObject({ code: 200, object: { metadata: { generation } } });
  }
  const same = await sendText('PUT', `${url}/c`, deviceClass('{"a":1}'));
  expect(same.object.metadata.generation).toBe(generation);
});

it('an example in a definition counts for its generation, with fields that are null', async () => {
  const { sendText } = await given();
  const definition =
    '{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":' +
    '"tabs.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"tabs",' +
    '"singular":"tab","kind":"Tab","listKind":"TabList"},"versions":[{"name":"v1","served":true,' +
    '"storage":true,"schema":{"openAPIV3Schema":{"type":"object","example":{"a":1}}}}]}}';
  const url = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  expect((await sendText('POST', url, definition)).code).toBe(201);
  const path = '/spec/versions/0/schema/openAPIV3Schema/example';
  const generations = [];
  for (const value of ['{"a":1,"n":null}', '{"a":1,"n":[]}', '{"n":[],"a":1}', '{"a":1}']) {
    const patch = `[{"op":"replace","path":"${path}","value":${value}}]`;
    const type = 'application/json-patch+json';
    const { object } = await sendText('PATCH', `${url}/tabs.example.com`, patch, type);
    generations.push(object.metadata.generation);
  }
  expect(generations).toEqual([2, 3, 3, 4]);
});
