import { describe, expect, it } from 'vitest';
import {
  nodeOf,
  serviceAccountGroups,
  serviceAccountOf,
  serviceAccountUsername,
} from './service-account-names.ts';

describe('the name of a service account as a user', () => {
  it('is read as it is written', () => {
    const till = { namespace: 'shop', name: 'till.v1' };
    expect(serviceAccountUsername(till)).toBe('system:serviceaccount:shop:till.v1');
    expect(serviceAccountOf(serviceAccountUsername(till))).toEqual(till);
    expect(serviceAccountGroups('shop')).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:shop',
    ]);
  });

  it.each([
    'jane',
    'till:system:serviceaccount:',
    'system:serviceaccount:shop',
    'system:serviceaccount:shop:',
    'system:serviceaccount::till',
    'system:serviceaccount:shop.eu:till',
    'system:serviceaccount:shop:Till',
    'system:serviceaccount:shop:till:more',
  ])('is not %s', (name) => {
    expect(serviceAccountOf(name)).toBeUndefined();
  });
});

describe('the name of a kubelet as a user', () => {
  it('names its node', () => {
    expect(nodeOf('system:node:rack-1.eu')).toBe('rack-1.eu');
  });

  it.each(['system:node:', 'system:node:Rack', 'rack-1', 'system:User:rack-1'])(
    'is not %s',
    (name) => {
      expect(nodeOf(name)).toBeUndefined();
    },
  );
});
