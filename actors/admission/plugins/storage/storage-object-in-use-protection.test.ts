import { expect, it } from 'vitest';

import { givenPlugin } from '../../given-plugin.fixture.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';

it.each([
  ['/api/v1/persistentvolumes', 'PersistentVolume', 'v1', 'pv'],
  ['/api/v1/namespaces/default/persistentvolumeclaims', 'PersistentVolumeClaim', 'v1', 'pvc'],
  [
    '/apis/storage.k8s.io/v1/volumeattributesclasses',
    'VolumeAttributesClass',
    'storage.k8s.io/v1',
    'vac',
  ],
])(
  'StorageObjectInUseProtection holds what is made at %s',
  async (url, kind, apiVersion, short) => {
    const { admit } = await givenPlugin(storageObjectInUseProtection);
    const finalizer = `kubernetes.io/${short}-protection`;
    const made = (finalizers: string[]) => {
      return { kind, apiVersion, metadata: { name: 'a', finalizers } };
    };
    const held = await admit({ url, object: made(['example.com/x']) });
    expect(held.object.metadata.finalizers).toEqual(['example.com/x', finalizer]);
    const twice = await admit({ url, object: made([finalizer]) });
    expect(twice.object.metadata.finalizers).toEqual([finalizer]);
    const later = { url: `${url}/a`, operation: 'UPDATE', object: made([]) } as const;
    expect((await admit(later)).object.metadata.finalizers ?? []).toEqual([]);
  },
);
