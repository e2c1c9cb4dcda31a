/**
 * Defaults of a VolumeAttachment that carries the spec of its volume inline.
 *
 * In Kubernetes: SetObjectDefaults_VolumeAttachment, pkg/apis/storage/v1.
 */
import { type JsonObject, objectAt } from '../../../../api/meta/json.ts';
import { withObject } from '../../default-field.ts';
import { setResourceListDefaults } from '../../core/resource-list-defaults.ts';
import { setVolumeSourceDefaults } from '../../core/volume-source-defaults.ts';

export function setVolumeAttachmentDefaults(attachment: JsonObject): void {
  const source = objectAt(objectAt(attachment, 'spec'), 'source') ?? {};
  withObject(source, 'inlineVolumeSpec', (volumeSpec) => {
    setResourceListDefaults(volumeSpec, 'capacity');
    setVolumeSourceDefaults(volumeSpec);
  });
}
