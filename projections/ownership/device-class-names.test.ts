import { expect, it } from 'vitest';
import { DeviceClassNames } from './device-class-names.ts';
import { CLASSES, quotaWorld } from './quota-world.fixture.ts';

const GPU = 'example.com/gpu';

it('knows what classes stand for, and when that is another thing', () => {
  const { followed, apply } = quotaWorld();
  const names = new DeviceClassNames(followed);
  const deviceClass = (name: string, extendedResourceName?: string, more = {}) => {
    apply(CLASSES, `/${name}`, { metadata: { name }, spec: { extendedResourceName, ...more } });
  };
  const generations = new Set<number>();
  const isAnother = () => generations.size < generations.add(names.generation).size;
  isAnother();
  deviceClass('gpu', GPU);
  expect(isAnother()).toBe(true);
  expect([names.extendedNameOf('gpu'), names.extendedNameOf('nic')]).toEqual([GPU, undefined]);
  expect(names.isOfClass(GPU)).toBe(true);
  expect(names.isOfClass('deviceclass.resource.kubernetes.io/gpu')).toBe(true);
  expect(names.isOfClass('deviceclass.resource.kubernetes.io/nic')).toBe(false);
  // What else a class says changes no count.
  deviceClass('gpu', GPU, { selectors: [] });
  expect(isAnother()).toBe(false);
  deviceClass('newer', GPU);
  deviceClass('gpu');
  expect(isAnother()).toBe(true);
  expect([names.extendedNameOf('gpu'), names.isOfClass(GPU)]).toEqual([undefined, true]);
  apply(CLASSES, '/newer', undefined);
  expect(names.isOfClass(GPU)).toBe(false);
  followed.skipTo();
  expect(isAnother()).toBe(true);
  expect(names.isOfClass('deviceclass.resource.kubernetes.io/gpu')).toBe(true);
});
