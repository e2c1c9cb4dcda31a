import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import { givenPlugin } from '../given-plugin.fixture.ts';
import {
  defaultStorageClass,
  persistentVolumeClaimResize,
  storageObjectInUseProtection,
} from './storage.ts';

const URL = '/api/v1/namespaces/default/persistentvolumeclaims';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const MARK = 'storageclass.kubernetes.io/is-default-class';

function storageClass(name: string, isDefault: string, mark = MARK) {
  const metadata = { name, annotations: { [mark]: isDefault } };
  const typed = { kind: 'StorageClass', apiVersion: 'storage.k8s.io/v1' };
  return [CLASSES, { ...typed, metadata, provisioner: 'p' }] as const;
}

function claim(spec: JsonObject = {}, annotations = {}): JsonObject {
  const metadata = { name: 'c', annotations };
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata, spec };
}

describe('DefaultStorageClass', () => {
  it.each([MARK, 'storageclass.beta.kubernetes.io/is-default-class'])(
    'gives a claim the class that says %s',
    async (mark) => {
      const classes = [storageClass('a', 'false'), storageClass('b', 'true', mark)];
      const { admit } = await givenPlugin(defaultStorageClass, classes);
      const { object } = await admit({ url: URL, object: claim() });
      expect(object['spec']).toMatchObject({ storageClassName: 'b' });
    },
  );

  it('takes the newest of several, and the first by name of those', async () => {
    const { admit, post, clock } = await givenPlugin(defaultStorageClass, [
      storageClass('b', 'true'),
      storageClass('a', 'true'),
    ]);
    const asked = { url: URL, object: claim() };
    expect((await admit(asked)).object['spec']).toMatchObject({ storageClassName: 'a' });
    clock.advance(5_000);
    await post(...storageClass('z', 'true'));
    expect((await admit(asked)).object['spec']).toMatchObject({ storageClassName: 'z' });
  });

  it('knows when a class is the default no more', async () => {
    const { admit, put } = await givenPlugin(defaultStorageClass, [storageClass('a', 'true')]);
    const asked = { url: URL, object: claim() };
    expect((await admit(asked)).object['spec']).toMatchObject({ storageClassName: 'a' });
    await put(`${CLASSES}/a`, storageClass('a', 'false')[1]);
    expect((await admit(asked)).object['spec']).not.toHaveProperty('storageClassName');
  });

  it('leaves a claim alone that names a class, or none', async () => {
    const { admit } = await givenPlugin(defaultStorageClass, [storageClass('a', 'true')]);
    const none = await admit({ url: URL, object: claim({ storageClassName: '' }) });
    expect(none.object['spec']).toMatchObject({ storageClassName: '' });
    const old = claim({}, { 'volume.beta.kubernetes.io/storage-class': 'x' });
    expect((await admit({ url: URL, object: old })).object['spec']).not.toHaveProperty(
      'storageClassName',
    );
  });
});

const RESIZE_URL = '/api/v1/namespaces/default/persistentvolumeclaims/c';
const ELASTIC = {
  kind: 'StorageClass',
  apiVersion: 'storage.k8s.io/v1',
  metadata: { name: 'elastic' },
  provisioner: 'p',
  allowVolumeExpansion: true,
};

function sizedClaim(storage: string, storageClassName: string, phase = 'Bound'): JsonObject {
  const spec = { storageClassName, resources: { requests: { storage } } };
  const typed = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'c' } };
  return { ...typed, spec, status: { phase } };
}

const NOT_EXPANDABLE =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc ' +
  'must support resize';

it.each([
  ['a larger one', sizedClaim('2Gi', 'elastic'), sizedClaim('1Gi', 'elastic'), ''],
  ['a smaller one', sizedClaim('1Gi', 'x'), sizedClaim('2Gi', 'x', 'Pending'), ''],
  ['of another class', sizedClaim('2Gi', 'x'), sizedClaim('1Gi', 'x'), NOT_EXPANDABLE],
  ['of a changed class', sizedClaim('2Gi', 'elastic'), sizedClaim('1Gi', 'x'), NOT_EXPANDABLE],
  [
    'that is not bound',
    sizedClaim('2Gi', 'elastic'),
    sizedClaim('1Gi', 'elastic', 'Pending'),
    'Only bound persistent volume claims can be expanded',
  ],
])('PersistentVolumeClaimResize: %s', async (_, object, oldObject, why) => {
  const classes = [['/apis/storage.k8s.io/v1/storageclasses', ELASTIC]] as const;
  const { admit } = await givenPlugin(persistentVolumeClaimResize, classes);
  const { message } = await admit({ url: RESIZE_URL, operation: 'UPDATE', object, oldObject });
  expect(message).toBe(why === '' ? '' : `persistentvolumeclaims "c" is forbidden: ${why}`);
});

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
