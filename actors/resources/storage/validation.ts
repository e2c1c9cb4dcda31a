/** What of storage's kinds is fixed. In Kubernetes: pkg/apis/storage/validation. */
import { stringAt } from '../../../api/meta/json.ts';
import { qualifiedNameProblems } from '../../../api/meta/names.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../api/schema/field-errors.ts';
import { sameMap, sameValue } from '../same-value.ts';
import {
  immutable,
  immutableMap,
  invalidFor,
  isMissing,
  objectsAt,
  shownMap,
  shownSelector,
  specOf,
} from '../value-validation.ts';

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

export function validateStorageClass(storageClass: KubeObject): FieldErrors {
  const policy = stringAt(storageClass, 'reclaimPolicy');
  const mode = stringAt(storageClass, 'volumeBindingMode');
  return [
    ...validateProvisioner('provisioner', storageClass),
    ...(policy === '' || RECLAIM_POLICIES.includes(policy)
      ? []
      : [notSupported('reclaimPolicy', policy, RECLAIM_POLICIES)]),
    ...(isMissing(storageClass['volumeBindingMode']) ? [required('volumeBindingMode')] : []),
    ...(mode === '' || BINDING_MODES.includes(mode)
      ? []
      : [notSupported('volumeBindingMode', mode, BINDING_MODES)]),
  ];
}

export function validateStorageClassChange(object: KubeObject, old: KubeObject): FieldErrors {
  return [
    ...immutableMap('parameters', shownMap(object['parameters']), old['parameters']),
    ...immutable('provisioner', object['provisioner'], old['provisioner']),
    ...immutable('reclaimPolicy', object['reclaimPolicy'], old['reclaimPolicy']),
    ...immutable('volumeBindingMode', object['volumeBindingMode'], old['volumeBindingMode']),
  ];
}

export function validateAttributesClass(attributesClass: KubeObject): FieldErrors {
  return [
    ...validateProvisioner('driverName', attributesClass),
    ...(sameMap(attributesClass['parameters'], {})
      ? [required('parameters', 'must contain at least one key/value pair')]
      : []),
  ];
}

export function validateAttributesClassChange(object: KubeObject, old: KubeObject): FieldErrors {
  return [
    ...(sameValue(object['driverName'], old['driverName'])
      ? []
      : [forbiddenField('driverName', 'updates to driverName are forbidden.')]),
    ...(sameMap(object['parameters'], old['parameters'])
      ? []
      : [forbiddenField('parameters', 'updates to parameters are forbidden.')]),
  ];
}

/** Upstream's path of the first one is misspelled. */
export function validateDriverChange(driver: KubeObject, old: KubeObject): FieldErrors {
  const spec = specOf(driver);
  const oldSpec = specOf(old);
  const modes = 'volumeLifecycleModes';
  return [
    ...immutable('spec.attachedRequired', spec['attachRequired'], oldSpec['attachRequired']),
    ...immutable(`spec.${modes}`, spec[modes], oldSpec[modes]),
  ];
}

/** A driver that stays on the node stays as it is, but for how much can be attached. */
export function validateNodeDriversChange(node: KubeObject, old: KubeObject): FieldErrors {
  const oldDrivers = objectsAt(specOf(old), 'drivers');
  return objectsAt(specOf(node), 'drivers').flatMap((driver) => {
    const oldDriver = oldDrivers.find((one) => one['name'] === driver['name']);
    if (oldDriver === undefined) return [];
    const fixed = { ...driver, allocatable: null };
    return immutable('spec.drivers', fixed, { ...oldDriver, allocatable: null });
  });
}

export function validateCapacityChange(capacity: KubeObject, old: KubeObject): FieldErrors {
  const { nodeTopology, storageClassName } = capacity;
  return [
    ...(sameValue(nodeTopology, old['nodeTopology'])
      ? []
      : [invalidValue('nodeTopology', shownSelector(nodeTopology), 'field is immutable')]),
    ...immutable('storageClassName', storageClassName, old['storageClassName']),
  ];
}

function validateProvisioner(key: string, object: KubeObject): FieldErrors {
  const name = stringAt(object, key);
  if (name === '') return [required(key)];
  return invalidFor(key, name.toLowerCase(), qualifiedNameProblems(name.toLowerCase()));
}
