import { describe, expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { configMap, givenControlPlane } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('a patch that is none', () => {
  it.each<[JsonObject, number, string]>([
    [{ apiVersion: 'v2' }, 422, 'no kind "ConfigMap" is registered for version "v2" in scheme'],
    [{ apiVersion: 'a/b/c' }, 422, 'unexpected GroupVersion string: a/b/c'],
    [{ Kind: 5 }, 422, 'cannot unmarshal number into Go struct field .kind of type string'],
    [{ apiVersion: null }, 400, 'the name of the object (a based on URL) was undeterminable'],
    // Keys are sorted on the way, and the last one counts.
    [{ Kind: 'Nonesuch' }, 200, ''],
    [{ kind: null }, 200, ''],
  ])('is judged by the type that the object would say of itself: %j', async (body, code, why) => {
    const { patch, post } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const answer = await patch(`${MAPS}/a`, 'merge', body);
    expect(answer.code).toBe(code);
    expect(answer.message).toContain(why);
  });

  it('may say what it will of the type where it is merged strategically', async () => {
    const { patch, post } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const body = { apiVersion: 'v2', kind: 'Pod' };
    const { code, object } = await patch(`${MAPS}/a`, 'strategic-merge', body);
    expect([code, object.apiVersion, object.kind]).toEqual([200, 'v1', 'ConfigMap']);
  });

  it.each(['strategic-merge', 'merge'] as const)(
    'tells of unknown fields in their order: %s',
    async (type) => {
      const { patch, post } = await givenControlPlane();
      await post(MAPS, configMap('a'));
      const body = { z: 1, metadata: { y: 1, b: 1 }, a: 1 };
      const { warnings } = await patch(`${MAPS}/a`, type, body);
      const fields = ['a', 'metadata.b', 'metadata.y', 'z'];
      expect(warnings).toEqual(fields.map((field) => `unknown field "${field}"`));
    },
  );

  it('is shown with its keys sorted where it touched them, and for HTML', async () => {
    const { patch, post } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const operations = [{ op: 'add', path: '/data', value: { z: '<', a: 5 } }];
    const { message } = await patch(`${MAPS}/a`, 'json', operations);
    expect(message).toContain(
      String.raw`"{\"apiVersion\":\"v1\",\"data\":{\"z\":\"\\u003c\",\"a\":5},\"kind\":\"ConfigMap\",\"metadata\":{\"name\"`,
    );
  });

  it.each<[string, JsonValue, string]>([
    // A merge writes what it touched with its keys in order, an operation what it adds as it was sent.
    ['merge', { metadata: { name: {}, annotations: 'x' } }, 'ObjectMeta.metadata.annotations'],
    ['merge', { metadata: { name: {} }, immutable: 'x' }, 'ConfigMap.immutable of type bool'],
    ['json', [{ op: 'add', path: '/immutable', value: {} }], 'ConfigMap.immutable of type bool'],
    [
      'json',
      [{ op: 'add', path: '/metadata', value: { name: {}, annotations: 'x' } }],
      'ObjectMeta.metadata.name of type string',
    ],
    [
      'json',
      [
        { op: 'add', path: '/metadata/name', value: {} },
        { op: 'add', path: '/metadata/annotations', value: 'x' },
      ],
      'ObjectMeta.metadata.annotations',
    ],
    [
      'json',
      [{ op: 'replace', path: '', value: [] }],
      'cannot unmarshal array into Go value of type struct {',
    ],
  ])(
    'has of several faults the first in the text that it makes told: %s %j',
    async (type, body, why) => {
      const { send, post } = await givenControlPlane();
      await post(MAPS, configMap('a'));
      const contentType = `application/${type}-patch+json`;
      const answer = await send({ method: 'PATCH', url: `${MAPS}/a`, contentType, body });
      expect(answer.code).toBe(422);
      expect(answer.message).toContain(why);
    },
  );

  it('is told in Go’s words, behind what it was to be', async () => {
    const { send, post } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const url = `${MAPS}/a`;
    const contentType = 'application/merge-patch+json';
    const answer = await send({ method: 'PATCH', url, contentType });
    const message = 'error decoding patch: unexpected end of JSON input';
    expect(answer).toMatchObject({ code: 400, message });
    expect((await send({ method: 'PATCH', url, contentType, body: 5 })).code).toBe(400);
  });
});
