import { describe, expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../../../../api/json/json.ts';
import { pod } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { LARGE_BYTES } from '../../../request/large-work.ts';
import { limitRanger } from './limit-ranger.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';
const RANGES = '/api/v1/namespaces/default/limitranges';

function range(name: string, ...limits: JsonValue[]) {
  const typed = { kind: 'LimitRange', apiVersion: 'v1', metadata: { name } };
  return [RANGES, { ...typed, spec: { limits } }] as const;
}

function asking(requests: JsonObject, limits: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const container = { name: 'c', image: 'i', resources: { requests, limits } };
  return pod('p', { containers: [container], ...more });
}

describe('LimitRanger', () => {
  it('gives containers what they do not say, and tells of it', async () => {
    const { admit } = await givenPlugin(limitRanger, [
      range('l', {
        type: 'Container',
        default: { cpu: '1', memory: '1Gi' },
        defaultRequest: { cpu: '500m' },
      }),
    ]);
    const { object } = await admit({ url: PODS_URL, object: asking({ memory: '10Mi' }) });
    const requests = { cpu: '500m', memory: '10Mi' };
    const resources = { requests, limits: { cpu: '1', memory: '1Gi' } };
    expect(object['spec']).toMatchObject({ containers: [{ resources }] });
    expect(object.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu request for container c; cpu, memory limit for container c',
    });
  });

  it('gives init containers the same, and names them so', async () => {
    const { admit } = await givenPlugin(limitRanger, [
      range('l', { type: 'Container', defaultRequest: { cpu: '500m' } }),
    ]);
    const initContainers = [{ name: 'a', image: 'i' }];
    const { object } = await admit({ url: PODS_URL, object: asking({}, {}, { initContainers }) });
    expect(object['spec']).toMatchObject({
      initContainers: [{ resources: { requests: { cpu: '500m' } } }],
    });
    expect(object.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu request for container c; cpu request for init container a',
    });
  });

  it('gives each of very many containers that once, whatever pauses come between', async () => {
    const limits = { type: 'Container', default: { cpu: '1' }, max: { memory: '1Gi' } };
    const { admit } = await givenPlugin(limitRanger, [range('l', limits)]);
    const containers = Array.from({ length: 5_000 }, (_, at) => ({
      name: `c${String(at)}`,
      image: 'i',
    }));
    const asked = { url: PODS_URL, object: pod('p', { containers }) };
    const [atOnce, inSlices] = [
      await admit(asked),
      await admit({ ...asked, sizeBytes: LARGE_BYTES }),
    ];
    expect(inSlices).toEqual(atOnce);
    expect(inSlices.object.metadata.annotations?.[ANNOTATION]?.split('; ')).toHaveLength(10_000);
  });

  it('asks ranges in the order of their names, whichever came first', async () => {
    const { admit, post } = await givenPlugin(limitRanger);
    const asked = { url: PODS_URL, object: asking({ cpu: '500m' }) };
    await admit(asked);
    await post(...range('b', { type: 'Container', min: { cpu: '2' } }));
    await post(...range('a', { type: 'Container', min: { cpu: '1' } }));
    expect((await admit(asked)).message).toContain(
      'minimum cpu usage per Container is 1, but request is 500m',
    );
  });

  it('calls a pod in a refusal as it is called, or by what its name begins with', async () => {
    const { admit } = await givenPlugin(limitRanger, [
      range('l', { type: 'Pod', min: { cpu: '1' } }),
    ]);
    const { spec = {} } = asking({});
    const refusalOf = async (metadata: JsonObject) =>
      (await admit({ url: PODS_URL, object: { kind: 'Pod', apiVersion: 'v1', metadata, spec } }))
        .message;
    expect(await refusalOf({ name: 'p', generateName: 'g-' })).toMatch(/^pods "p" is forbidden/);
    expect(await refusalOf({ generateName: 'g-' })).toMatch(/^pods "g-" is forbidden/);
    expect(await refusalOf({})).toMatch(/^pods "Unknown" is forbidden/);
  });

  it('counts from the moment a range is there until it is gone', async () => {
    const { admit, post, del } = await givenPlugin(limitRanger);
    const asked = { url: PODS_URL, object: asking({}) };
    expect((await admit(asked)).message).toBe('');
    await post(...range('l', { type: 'Pod', min: { cpu: '1' } }));
    expect((await admit(asked)).message).toBe(
      'pods "p" is forbidden: minimum cpu usage per Pod is 1.  No request is specified',
    );
    await del(`${RANGES}/l`);
    expect((await admit(asked)).message).toBe('');
  });

  it.each([
    [{ min: { cpu: '1' } }, asking({ cpu: '100m' }), 'minimum', '1, but request is 100m'],
    [{ max: { cpu: '1' } }, asking({ cpu: '1' }, { cpu: '2' }), 'maximum', '1, but limit is 2'],
    [{ max: { cpu: '1' } }, asking({ cpu: '2' }, { cpu: '1' }), 'maximum', '1, but request is 2'],
  ])('refuses amounts beyond %j', async (rule, object, side, end) => {
    const { admit } = await givenPlugin(limitRanger, [range('l', { type: 'Container', ...rule })]);
    const what = `${side} cpu usage per Container is ${end}`;
    expect((await admit({ url: PODS_URL, object })).message).toBe(`pods "p" is forbidden: ${what}`);
  });

  it('lets through what is as large as the largest', async () => {
    const rule = { type: 'Container', max: { cpu: '1' }, min: { cpu: '1' } };
    const { admit } = await givenPlugin(limitRanger, [range('l', rule)]);
    const object = asking({ cpu: '1' }, { cpu: '1' });
    expect((await admit({ url: PODS_URL, object })).message).toBe('');
  });

  it.each([
    ['100m', '129m', '1', '1.290000'],
    ['128m', '129m', '1', '1.007812'],
  ])('refuses limits too far above requests: %s and %s', async (request, limit, ratio, shown) => {
    const rule = { type: 'Container', maxLimitRequestRatio: { cpu: ratio } };
    const { admit } = await givenPlugin(limitRanger, [range('l', rule)]);
    const object = asking({ cpu: request }, { cpu: limit });
    expect((await admit({ url: PODS_URL, object })).message).toBe(
      'pods "p" is forbidden: cpu max limit to request ratio per Container is ' +
        `${ratio}, but provided ratio is ${shown}`,
    );
  });

  it('tells all that is wrong by one range', async () => {
    const max = { cpu: '1', memory: '1Gi' };
    const { admit } = await givenPlugin(limitRanger, [range('l', { type: 'Pod', max })]);
    const object = asking({ cpu: '2', memory: '2Gi' }, { cpu: '2', memory: '2Gi' });
    expect((await admit({ url: PODS_URL, object })).message).toBe(
      'pods "p" is forbidden: [maximum cpu usage per Pod is 1, but limit is 2, ' +
        'maximum memory usage per Pod is 1Gi, but limit is 2Gi]',
    );
  });

  it('takes what a pod says as a whole for what its containers say together', async () => {
    const rule = { type: 'Pod', max: { cpu: '1' } };
    const { admit } = await givenPlugin(limitRanger, [range('l', rule)]);
    const resources = { requests: { cpu: '1' }, limits: { cpu: '3' } };
    const object = asking({ cpu: '1' }, { cpu: '1' }, { resources });
    expect((await admit({ url: PODS_URL, object })).message).toMatch(/but limit is 3$/);
  });

  it.each([
    ['cpu', { min: { cpu: '2' } }, 'minimum cpu usage per Pod is 2, but request is 1'],
    ['memory', { min: { memory: '2' } }, 'minimum memory usage per Pod is 2, but request is 1'],
    ['ephemeral-storage', { min: { 'ephemeral-storage': '2' } }, ''],
  ])('takes only processors and memory of a pod as a whole: %s', async (name, rule, what) => {
    const { admit } = await givenPlugin(limitRanger, [range('l', { type: 'Pod', ...rule })]);
    const containers = { [name]: '3' };
    const object = asking(containers, {}, { resources: { requests: { [name]: '1' } } });
    expect((await admit({ url: PODS_URL, object })).message).toBe(
      what === '' ? '' : `pods "p" is forbidden: ${what}`,
    );
  });

  it('looks at claims too', async () => {
    const rule = {
      type: 'PersistentVolumeClaim',
      min: { storage: '1Gi' },
      max: { storage: '2Gi' },
    };
    const { admit } = await givenPlugin(limitRanger, [range('l', rule)]);
    const claim = {
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      metadata: { name: 'c' },
      spec: { resources: { requests: { storage: '3Gi' } } },
    };
    const url = '/api/v1/namespaces/default/persistentvolumeclaims';
    expect((await admit({ url, object: claim })).message).toBe(
      'persistentvolumeclaims "c" is forbidden: maximum storage usage per ' +
        'PersistentVolumeClaim is 2Gi, but request is 3Gi',
    );
  });

  it('lets a pod change that is there, but not be resized beyond', async () => {
    const rule = { type: 'Container', max: { cpu: '1' } };
    const { admit } = await givenPlugin(limitRanger, [range('l', rule)]);
    const object = asking({ cpu: '2' }, { cpu: '2' });
    const update = { operation: 'UPDATE', object, oldObject: object } as const;
    expect((await admit({ url: `${PODS_URL}/p`, ...update })).message).toBe('');
    const resized = await admit({ url: `${PODS_URL}/p/resize`, ...update });
    expect(resized.message).toMatch(/maximum cpu usage per Container is 1/);
    const going = { ...object, metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const late = await admit({ url: `${PODS_URL}/p/resize`, ...update, oldObject: going });
    expect(late.message).toBe('');
  });
});
