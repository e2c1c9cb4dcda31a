/**
 * DefaultStorageClass: a claim that names no class gets the default one, if there is one.
 *
 * In Kubernetes: plugin/pkg/admission/storage/storageclass/setdefault.
 *
 * PersistentVolumeClaimResize: a claim can only be made larger where its class says that its
 * volumes can be.
 *
 * In Kubernetes: plugin/pkg/admission/storage/persistentvolume/resize.
 *
 * StorageObjectInUseProtection: claims, volumes and classes of volume attributes are held by a
 * finalizer, which a controller removes when nothing uses them any more.
 *
 * In Kubernetes: plugin/pkg/admission/storage/storageobjectinuseprotection.
 */
import type { AdmissionStep, MutatingPlugin, ValidatingPlugin } from '../admission-plugin.ts';
import { followDefaultClass } from './default-class.ts';
import { isItself } from '../places.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { specToFill } from '../../../api/kinds/pod-spec/pod-parts.ts';
import { type JsonValue, objectAt, stringAt } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { pathOf } from '../../../streams/event.ts';
import { compareAmounts } from '../../../api/kinds/rules/resource-names.ts';
import { specOf, statusOf } from '../../../api/kinds/rules/value-validation.ts';
import { refusedAt } from '../admission-attributes.ts';
import { remembered } from '../remembered.ts';

const CLASSES = 'storage.k8s.io/storageclasses';
const CLAIMS = 'core/persistentvolumeclaims';
const MARKS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
/** In which a claim named its class before it had a field for it. */
const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';

export function defaultStorageClass(world: Pick<AdmissionWorld, 'followed'>): MutatingPlugin {
  const defaultClass = followDefaultClass(world, CLASSES, ({ annotations }) =>
    MARKS.some((mark) => annotations?.[mark] === 'true'),
  );
  const set: AdmissionStep = ({ object: claim }) => {
    if (claim === undefined) return undefined;
    const { annotations = {} } = claim.metadata;
    const spec = specToFill(claim);
    if (Object.hasOwn(annotations, OLD_CLASS) || spec['storageClassName'] !== undefined) {
      return undefined;
    }
    const name = defaultClass();
    if (name !== undefined) spec['storageClassName'] = name;
    return undefined;
  };
  return {
    name: 'DefaultStorageClass',
    mutatesAt: (place) => (isItself(place, CLAIMS, 'CREATE') ? set : undefined),
  };
}

const NOT_EXPANDABLE =
  'only dynamically provisioned pvc can be resized and ' +
  'the storageclass that provisions the pvc must support resize';

const allowsExpansion = remembered((object) => object['allowVolumeExpansion'] === true);

export function persistentVolumeClaimResize(): ValidatingPlugin {
  const validate: AdmissionStep = (attributes) => {
    const { object, oldObject, objects } = attributes;
    if (object === undefined || oldObject === undefined) return undefined;
    if (compareAmounts(sizeOf(object), sizeOf(oldObject)) <= 0) return undefined;
    if (stringAt(statusOf(oldObject), 'phase') !== 'Bound') {
      return refusedAt(attributes, 'Only bound persistent volume claims can be expanded');
    }
    const isAllowed = mayGrow(object, oldObject, objects);
    return isAllowed ? undefined : refusedAt(attributes, NOT_EXPANDABLE);
  };
  return {
    name: 'PersistentVolumeClaimResize',
    validatesAt: (place) => (isItself(place, CLAIMS, 'UPDATE') ? validate : undefined),
  };
}

function sizeOf(claim: KubeObject): JsonValue | undefined {
  return objectAt(objectAt(specOf(claim), 'resources'), 'requests')?.['storage'];
}

function mayGrow(claim: KubeObject, old: KubeObject, objects: ObjectReads): boolean {
  const name = classOf(claim);
  if (name === '' || name !== classOf(old)) return false;
  const found = objects.get('storage.k8s.io/storageclasses', pathOf('', name));
  return found !== undefined && allowsExpansion(found);
}

function classOf(claim: KubeObject): string {
  return claim.metadata.annotations?.[OLD_CLASS] ?? stringAt(specOf(claim), 'storageClassName');
}

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
