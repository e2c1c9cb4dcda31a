/**
 * PersistentVolumeClaimResize: a claim can only be made larger where its class says that its
 * volumes can be.
 *
 * In Kubernetes: plugin/pkg/admission/storage/persistentvolume/resize.
 */
import { objectAt, stringAt, type JsonValue } from '../../../../api/json/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import type { ObjectReads } from '../../../../projections/objects/object-view.ts';
import { pathOf } from '../../../../streams/event.ts';
import { compareAmounts } from '../../../../api/kinds/rules/resource-names.ts';
import { specOf, statusOf } from '../../../../api/kinds/rules/value-validation.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import { isItself } from '../../places.ts';
import { remembered } from '../../remembered.ts';

const CLAIMS = 'core/persistentvolumeclaims';
const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';
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
