/**
 * Defaults of a VolumeAttachment that carries the spec of its volume inline.
 *
 * In Kubernetes: SetObjectDefaults_VolumeAttachment, pkg/apis/storage/v1.
 */
import type { VolumeAttachment } from '../../../generated/kinds/storage-v1.ts';
import { setResourceListDefaults } from '../../pod-spec/containers/resource-list-defaults.ts';
import { setVolumeSourceDefaults } from '../../pod-spec/volumes/volume-source-defaults.ts';

export function setVolumeAttachmentDefaults(attachment: VolumeAttachment): void {
  const { inlineVolumeSpec } = attachment.spec.source;
  if (inlineVolumeSpec === undefined) return;
  setResourceListDefaults(inlineVolumeSpec.capacity);
  setVolumeSourceDefaults(inlineVolumeSpec);
}
