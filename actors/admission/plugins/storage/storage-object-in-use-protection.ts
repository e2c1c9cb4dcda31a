/**
 * StorageObjectInUseProtection: claims, volumes and classes of volume attributes are held by a
 * finalizer, which a controller removes when nothing uses them any more.
 *
 * In Kubernetes: plugin/pkg/admission/storage/storageobjectinuseprotection.
 */
import type { AdmissionStep, MutatingPlugin } from '../../admission-plugin.ts';

const FINALIZERS: ReadonlyMap<string, string> = new Map([
  ['core/persistentvolumes', 'kubernetes.io/pv-protection'],
  ['core/persistentvolumeclaims', 'kubernetes.io/pvc-protection'],
  ['storage.k8s.io/volumeattributesclasses', 'kubernetes.io/vac-protection'],
]);

export function storageObjectInUseProtection(): MutatingPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    mutatesAt({ served, operation, subresource }) {
      if (operation !== 'CREATE' || subresource !== '') return undefined;
      const finalizer = FINALIZERS.get(served.definition.storage);
      return finalizer === undefined ? undefined : holding(finalizer);
    },
  };
}

function holding(finalizer: string): AdmissionStep {
  return ({ object }) => {
    if (object === undefined) return undefined;
    const { metadata } = object;
    const own = metadata.finalizers ?? [];
    if (!own.includes(finalizer)) metadata.finalizers = [...own, finalizer];
    return undefined;
  };
}
