/** Three plug-ins about storage: the default class of a claim, its growth, and protection in use. */
import type { Quantity } from '../../../api/json/go-values.ts';
import type { PersistentVolumeClaim } from '../../../api/generated/kinds/core-v1.ts';
import { firstOf, stepFor } from '../kind-steps.ts';
import type { MutatingPlugin, ValidatingPlugin } from '../admission-plugin.ts';
import { followDefaultClass } from './default-class.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { pathOf } from '../../../streams/event.ts';
import { compareAmounts } from '../../../api/kinds/rules/resource-names.ts';
import { refusedAt } from '../admission-attributes.ts';
import { remembered } from '../remembered.ts';

const MARKS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** In which a claim named its class before it had a field for it. */
const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';

/**
 * A claim that names no class gets the default one, if there is one.
 *
 * In Kubernetes: plugin/pkg/admission/storage/storageclass/setdefault.
 */
export function defaultStorageClass(world: Pick<AdmissionWorld, 'followed'>): MutatingPlugin {
  const defaultClass = followDefaultClass(
    world,
    'storage.k8s.io/v1/storageclasses',
    ({ annotations }) => MARKS.some((mark) => annotations?.[mark] === 'true'),
  );
  return {
    name: 'DefaultStorageClass',
    mutatesAt: stepFor(
      'v1/persistentvolumeclaims',
      ['CREATE'],
      ({ object: { metadata, spec } }) => {
        const { annotations = {} } = metadata;
        if (Object.hasOwn(annotations, OLD_CLASS) || spec.storageClassName !== undefined) {
          return undefined;
        }
        const name = defaultClass();
        if (name !== undefined) spec.storageClassName = name;
        return undefined;
      },
    ),
  };
}

const NOT_EXPANDABLE =
  'only dynamically provisioned pvc can be resized and ' +
  'the storageclass that provisions the pvc must support resize';

const allowsExpansion = remembered(
  'storage.k8s.io/v1/storageclasses',
  (object) => object.allowVolumeExpansion === true,
);

/**
 * A claim can only be made larger where its class says that its volumes can be.
 *
 * In Kubernetes: plugin/pkg/admission/storage/persistentvolume/resize.
 */
export function persistentVolumeClaimResize(): ValidatingPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    validatesAt: stepFor('v1/persistentvolumeclaims', ['UPDATE'], (attributes) => {
      const { object, oldObject, objects } = attributes;
      if (compareAmounts(sizeOf(object), sizeOf(oldObject)) <= 0) return undefined;
      if (oldObject.status.phase !== 'Bound') {
        return refusedAt(attributes, 'Only bound persistent volume claims can be expanded');
      }
      const isAllowed = mayGrow(object, oldObject, objects);
      return isAllowed ? undefined : refusedAt(attributes, NOT_EXPANDABLE);
    }),
  };
}

function sizeOf({ spec }: PersistentVolumeClaim): Quantity | undefined {
  return spec.resources.requests?.['storage'];
}

function mayGrow(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  objects: ObjectReads,
): boolean {
  const name = classOf(claim);
  if (name === '' || name !== classOf(old)) return false;
  const found = objects.get('storage.k8s.io/storageclasses', pathOf('', name));
  return found !== undefined && allowsExpansion(found);
}

function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[OLD_CLASS] ?? spec.storageClassName ?? '';
}

/**
 * Claims, volumes and classes of volume attributes are held by a finalizer, which a controller
 * removes when nothing uses them any more.
 *
 * In Kubernetes: plugin/pkg/admission/storage/storageobjectinuseprotection.
 */
export function storageObjectInUseProtection(): MutatingPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    mutatesAt: firstOf(
      stepFor('v1/persistentvolumes', ['CREATE'], holding('kubernetes.io/pv-protection')),
      stepFor('v1/persistentvolumeclaims', ['CREATE'], holding('kubernetes.io/pvc-protection')),
      stepFor(
        'storage.k8s.io/v1/volumeattributesclasses',
        ['CREATE'],
        holding('kubernetes.io/vac-protection'),
      ),
    ),
  };
}

function holding(finalizer: string) {
  return ({
    object: { metadata },
  }: {
    readonly object: Pick<KubeObject, 'metadata'>;
  }): undefined => {
    const own = metadata.finalizers ?? [];
    if (!own.includes(finalizer)) metadata.finalizers = [...own, finalizer];
  };
}
