import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../api/json/json.ts';
import { givenPlugin } from '../../given-plugin.fixture.ts';
import { defaultStorageClass } from './default-storage-class.ts';

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
