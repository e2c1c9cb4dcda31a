import { expect, it } from 'vitest';
import type { KubeObject, OwnerReference } from '../../../api/meta/object-meta.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { dropDuplicateOwners } from './owner-references.ts';

function dropped(owners: readonly OwnerReference[]): readonly [object: KubeObject, warned: number] {
  let warned = 0;
  const request = { warn: () => (warned += 1) } as unknown as AuthenticatedRequest; // All it is asked for.
  const object: KubeObject = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'a', ownerReferences: [...owners] },
  };
  dropDuplicateOwners(request, object, 'request');
  return [object, warned];
}

const owner = (uid: string): OwnerReference => ({ apiVersion: 'v1', kind: 'Pod', name: 'a', uid });

it('an owner that is named twice is kept once, whatever the order of its fields', () => {
  const again = { uid: 'u', name: 'a', kind: 'Pod', apiVersion: 'v1' };
  const [{ metadata }, warned] = dropped([owner('u'), again, { ...owner('u'), name: 'b' }]);
  expect(metadata.ownerReferences).toEqual([owner('u'), { ...owner('u'), name: 'b' }]);
  expect(warned).toBe(1);
});

it('each of many owners is read once, and not compared with all before it', () => {
  const COUNT = 2_000;
  let reads = 0;
  const owners = Array.from({ length: COUNT }, (_, at) => ({
    ...owner(''),
    get uid() {
      reads += 1;
      return `u${String(at)}`;
    },
  }));
  dropped(owners);
  expect(reads).toBeLessThan(COUNT * 3);
});
