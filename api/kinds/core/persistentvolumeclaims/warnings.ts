/** In Kubernetes: GetWarningsForPersistentVolumeClaim, pkg/api/persistentvolumeclaim. */
import type { PersistentVolumeClaim } from '../../../generated/kinds/core-v1.ts';
import { claimSpecWarnings } from '../../rules/fractional-bytes.ts';

const STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** An annotation that is a field today, and storage that is no whole bytes. */
export function claimWarnings(claim: PersistentVolumeClaim): readonly string[] {
  const isOld = claim.metadata.annotations?.[STORAGE_CLASS] !== undefined;
  const message = 'deprecated since v1.8; use "storageClassName" attribute instead';
  return [
    ...(isOld ? [`metadata.annotations[${STORAGE_CLASS}]: ${message}`] : []),
    ...claimSpecWarnings('spec', claim.spec),
  ];
}
