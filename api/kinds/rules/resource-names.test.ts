import { describe, expect, it } from 'vitest';
import {
  compareAmounts,
  isExtended,
  isNative,
  quantityAt,
  validateAmount,
  validateContainerResourceName,
  validateHugePages,
  validateQuotaResourceName,
  wholeOf,
} from './resource-names.ts';

const bodies = (errors: readonly { readonly body: string }[]) => errors.map(({ body }) => body);

describe('names of resources', () => {
  it.each(['cpu', 'hugepages-2Mi', 'example.com/gpu', 'kubernetes.io/thing'])(
    'of containers: %s',
    (name) => {
      expect(validateContainerResourceName('f', name)).toEqual([]);
    },
  );

  it('that are only of quotas are no resources of containers', () => {
    expect(bodies(validateContainerResourceName('f', 'pods'))).toEqual([
      'Invalid value: "pods": must be a standard resource for containers',
    ]);
    expect(validateQuotaResourceName('f', 'pods')).toEqual([]);
  });

  it('without a domain are native, and the others extended', () => {
    expect(['cpu', 'a.kubernetes.io/b', 'example.com/b'].map(isNative)).toEqual([
      true,
      true,
      false,
    ]);
    expect(['cpu', 'requests.a.b/c', 'example.com/b'].map(isExtended)).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe('amounts of resources', () => {
  it('are not negative, and whole where the resource cannot be divided', () => {
    expect(bodies(validateAmount('f', 'cpu', '-1'))).toEqual([
      'Invalid value: "-1": must be greater than or equal to 0',
    ]);
    expect(bodies(validateAmount('f', 'pods', '500m'))).toEqual([
      'Invalid value: "500m": must be an integer',
    ]);
    expect(validateAmount('f', 'cpu', '500m')).toEqual([]);
  });

  it('of huge pages are whole pages', () => {
    expect(validateHugePages('f', 'hugepages-2Mi', '4Mi')).toEqual([]);
    expect(bodies(validateHugePages('f', 'hugepages-2Mi', '3Mi'))).toEqual([
      'Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
    ]);
  });

  it('are rounded up to whole numbers, and compared as they are', () => {
    expect(wholeOf(quantityAt('1500m'))).toBe(2n);
    expect(wholeOf(quantityAt('1Ki'))).toBe(1024n);
    expect(compareAmounts('1', '1000m')).toBe(0);
    expect(compareAmounts('999m', '1')).toBeLessThan(0);
  });
});
