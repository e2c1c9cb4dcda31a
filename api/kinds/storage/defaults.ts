/**
 * Defaults of drivers, of storage classes, and of attachments that carry the spec of their volume inline.
 *
 * In Kubernetes: SetDefaults_CSIDriver, SetDefaults_StorageClass and
 * SetObjectDefaults_VolumeAttachment, pkg/apis/storage/v1.
 */
import { items } from '../../json/go-values.ts';
import type {
  CSIDriver,
  StorageClass,
  VolumeAttachment,
} from '../../generated/kinds/storage-v1.ts';
import { setResourceListDefaults } from '../pod-spec/containers/resource-list-defaults.ts';
import { setVolumeSourceDefaults } from '../pod-spec/volumes/volume-defaults.ts';

/** SetDefaults_CSIDriver. */
export function setCsiDriverDefaults({ spec }: CSIDriver): void {
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if (items(spec.volumeLifecycleModes).length === 0) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}

/** SetDefaults_StorageClass: volumes are deleted with their claims, and bound at once. */
export function setStorageClassDefaults(storageClass: StorageClass): void {
  storageClass.reclaimPolicy ??= 'Delete';
  storageClass.volumeBindingMode ??= 'Immediate';
}

/** Of a volume whose spec stands in the attachment. */
export function setVolumeAttachmentDefaults({ spec }: VolumeAttachment): void {
  const { inlineVolumeSpec } = spec.source;
  if (inlineVolumeSpec === undefined) return;
  setResourceListDefaults(inlineVolumeSpec.capacity);
  setVolumeSourceDefaults(inlineVolumeSpec);
}
