import { expect, it } from 'vitest';

import type { JsonObject } from '../../../../api/json/json.ts';
import { givenPlugin } from '../../given-plugin.fixture.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';

const URL = '/api/v1/namespaces/default/persistentvolumeclaims/c';
const ELASTIC = {
  kind: 'StorageClass',
  apiVersion: 'storage.k8s.io/v1',
  metadata: { name: 'elastic' },
  provisioner: 'p',
  allowVolumeExpansion: true,
};

function claim(storage: string, storageClassName: string, phase = 'Bound'): JsonObject {
  const spec = { storageClassName, resources: { requests: { storage } } };
  const typed = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'c' } };
  return { ...typed, spec, status: { phase } };
}

const NOT_EXPANDABLE =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc ' +
  'must support resize';

it.each([
  ['a larger one', claim('2Gi', 'elastic'), claim('1Gi', 'elastic'), ''],
  ['a smaller one', claim('1Gi', 'x'), claim('2Gi', 'x', 'Pending'), ''],
  ['of another class', claim('2Gi', 'x'), claim('1Gi', 'x'), NOT_EXPANDABLE],
  ['of a changed class', claim('2Gi', 'elastic'), claim('1Gi', 'x'), NOT_EXPANDABLE],
  [
    'that is not bound',
    claim('2Gi', 'elastic'),
    claim('1Gi', 'elastic', 'Pending'),
    'Only bound persistent volume claims can be expanded',
  ],
])('PersistentVolumeClaimResize: %s', async (_, object, oldObject, why) => {
  const classes = [['/apis/storage.k8s.io/v1/storageclasses', ELASTIC]] as const;
  const { admit } = await givenPlugin(persistentVolumeClaimResize, classes);
  const { message } = await admit({ url: URL, operation: 'UPDATE', object, oldObject });
  expect(message).toBe(why === '' ? '' : `persistentvolumeclaims "c" is forbidden: ${why}`);
});
