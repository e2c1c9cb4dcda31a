import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { decodedAs } from '../kinds/kind.ts';
import { deviceClaimUsage, isDeviceClaimResource } from './device-claim-usage.ts';

const COUNT = 'count/resourceclaims.resource.k8s.io';
const DEVICES = '.deviceclass.resource.k8s.io/devices';
const BY_CLASS = 'deviceclass.resource.kubernetes.io/';

/** A cluster with the class `gpu`, which stands for `example.com/gpu`, and that pod of the claim. */
function world(value?: JsonObject) {
  const pod = value && decodedAs('io.k8s.api.core.v1.Pod', value);
  return {
    extendedNameOf: (name: string) => (name === 'gpu' ? 'example.com/gpu' : undefined),
    isOfClass: (name: string) => name === 'example.com/gpu' || name === `${BY_CLASS}gpu`,
    podOf: () => pod,
  };
}

/** No class is known. */
const EMPTY = { ...world(), extendedNameOf: () => undefined, isOfClass: () => false };

function exactly(count: number, deviceClassName = 'gpu', allocationMode = 'ExactCount') {
  return { deviceClassName, allocationMode, count };
}

function claim(...requests: JsonObject[]): JsonObject {
  return { metadata: { name: 'foo' }, spec: { devices: { requests } } };
}

function container(...names: string[]): JsonObject {
  return { resources: { requests: Object.fromEntries(names.map((name) => [name, '1'])) } };
}

function shown(made: JsonObject, where: Parameters<typeof deviceClaimUsage>[2] = EMPTY) {
  const read = decodedAs('io.k8s.api.resource.v1.ResourceClaim', made);
  if (read === undefined) throw new Error('this is no claim');
  const usage = deviceClaimUsage(read, 0, where);
  return Object.fromEntries([...usage].map(([name, { text }]) => [name, text]));
}

describe('a claim uses', () => {
  it('itself, and devices by their class, however it asks for them', () => {
    const of = (count: number) => ({
      [COUNT]: '1',
      [`gpu${DEVICES}`]: String(count),
      [`requests.${BY_CLASS}gpu`]: String(count),
    });
    const one = { exactly: exactly(1) };
    expect(shown(claim())).toEqual({ [COUNT]: '1' });
    expect(shown(claim(one))).toEqual(of(1));
    expect(shown(claim(one, one, one, one, one))).toEqual(of(5));
    expect(shown(claim({ exactly: { ...exactly(5), adminAccess: true } }))).toEqual(of(5));
    expect(shown(claim({ exactly: exactly(1, 'gpu', 'All') }))).toEqual(of(32));
    expect(shown(claim({ exactly: exactly(1, 'gpu', 'future-mode') }))).toEqual({
      [COUNT]: '1',
      [`gpu${DEVICES}`]: '0',
    });
    expect(shown(claim({ firstAvailable: [exactly(2), exactly(1)] }))).toEqual(of(2));
    expect(shown(claim({ firstAvailable: [exactly(1), exactly(1, 'gpu', 'All')] }))).toEqual(
      of(32),
    );
    expect(shown(claim({ firstAvailable: [exactly(1), exactly(1, 'tpu', 'All')] }))).toEqual({
      ...of(1),
      [`tpu${DEVICES}`]: '32',
      [`requests.${BY_CLASS}tpu`]: '32',
    });
  });

  it('what its class stands for, less what its pod counts', () => {
    const two = claim({ exactly: exactly(1) }, { exactly: exactly(1) });
    const used = (...containers: JsonObject[]) => {
      const pod = { spec: { containers } };
      const usage = shown(two, world(pod));
      return [usage['requests.example.com/gpu'], usage[`requests.${BY_CLASS}gpu`]];
    };
    expect(used(container())).toEqual(['2', '2']);
    expect(used(container('example.com/gpu'))).toEqual(['1', '2']);
    expect(used(container(`${BY_CLASS}gpu`))).toEqual(['2', '1']);
    expect(used(container('example.com/gpu', `${BY_CLASS}gpu`))).toEqual(['1', '1']);
    const both = container('example.com/gpu');
    expect(used(both, both)).toEqual([undefined, '2']);
    expect(used(both, both, both)).toEqual([undefined, '2']);
    expect(shown(two, world())).toMatchObject({ 'requests.example.com/gpu': '2' });
  });

  it('in full what a pod that has ended asked for', () => {
    const spec = { containers: [container('example.com/gpu')] };
    const ended = { spec, status: { phase: 'Succeeded' } };
    expect(shown(claim({ exactly: exactly(1) }), world(ended))).toMatchObject({
      'requests.example.com/gpu': '1',
    });
  });

  it('of two classes that stand for the same the greater', () => {
    const where = { ...world(), extendedNameOf: () => 'example.com/gpu' };
    const made = claim({ exactly: exactly(3, 'old') }, { exactly: exactly(2, 'new') });
    expect(shown(made, where)['requests.example.com/gpu']).toBe('3');
  });
});

it('is concerned by what a quota says of claims, of classes, and of what classes stand for', () => {
  const concerned = [COUNT, `gpu${DEVICES}`, `x${DEVICES}`];
  const ofClass = ['requests.example.com/gpu', `requests.${BY_CLASS}gpu`];
  const others = [
    ...['resourceclaims', 'storage', 'ephemeral-storage', 'requests.cpu', 'example.com/gpu'],
    ...['bronze.deviceclass.resource.k8s.io/storage', 'gpu.storage.k8s.io/requests.storage'],
    ...['requests.example.com/tpu', `requests.${BY_CLASS}tpu`],
  ];
  const all = [...concerned, ...ofClass, ...others];
  expect(all.filter((name) => isDeviceClaimResource(name, world()))).toEqual([
    ...concerned,
    ...ofClass,
  ]);
  expect(all.filter((name) => isDeviceClaimResource(name, EMPTY))).toEqual(concerned);
});
