/**
 * Where storage comes from. Neither part of a class of volume attributes may change.
 *
 * In Kubernetes: registry/storage; ValidateVolumeAttributesClass and ValidateCSIStorageCapacity,
 * pkg/apis/storage/validation.
 */
import type {
  CSIDriver,
  CSIDriverSpec,
  CSIStorageCapacity,
  VolumeAttributesClass,
} from '../../generated/kinds/storage-v1.ts';
import { isJsonObject } from '../../json/json.ts';
import { nodeLabelSelectorWarnings } from '../rules/deprecated-node-labels.ts';
import { defineKind } from '../kind.ts';
import { countGeneration, METADATA_KEPT_BY_STATUS, specChanged } from '../strategy-of.ts';
import { immutable, invalidFor, isMissing, shownSelector } from '../rules/value-validation.ts';
import {
  driverChangeWarnings,
  driverWarnings,
  validateDriver,
  validateDriverChange,
} from './csidrivers/validation.ts';
import { validateNodeDrivers, validateNodeDriversChange } from './csinodes/validation.ts';
import {
  storageClassWarnings,
  validateStorageClass,
  validateStorageClassChange,
} from './storageclasses/validation.ts';
import { validateAttachment, validateAttachmentChange } from './volumeattachments/validation.ts';
import { type FieldErrors, forbiddenField, invalidValue } from '../../field/field-errors.ts';
import { sameMap, sameValue } from '../rules/same-value.ts';
import { validateParameters, validateProvisioner } from './validation.ts';
import { dns1123SubdomainProblems } from '../../meta/names.ts';
import { nanosOf } from '../rules/resource-names.ts';
import {
  validateLabelSelector,
  withoutSelectorValues,
} from '../rules/label-selector-validation.ts';

export const storageClasses = defineKind('storage.k8s.io/v1/storageclasses', {
  rules: {
    returnsDeletedObject: true,
    validate: validateStorageClass,
    validateChange: validateStorageClassChange,
    warningsOnCreate: storageClassWarnings,
    warningsOnUpdate: storageClassWarnings,
  },
});

export const volumeAttributesClasses = defineKind('storage.k8s.io/v1/volumeattributesclasses', {
  rules: {
    returnsDeletedObject: true,
    validate: validateAttributesClass,
    validateUpdate: validateAttributesClassChange,
  },
});

export const volumeAttachments = defineKind('storage.k8s.io/v1/volumeattachments', {
  rules: {
    returnsDeletedObject: true,
    allowsUnconditionalUpdate: false,
    status: {
      initial: () => ({ attached: false }),
      keeps: METADATA_KEPT_BY_STATUS,
      validateUpdate: validateAttachmentChange,
    },
    validate: validateAttachment,
    validateUpdate: validateAttachmentChange,
  },
});

export const csiDrivers = defineKind('storage.k8s.io/v1/csidrivers', {
  rules: {
    returnsDeletedObject: true,
    allowsUnconditionalUpdate: false,
    prepareForCreate: (driver) => dropGatedFields(driver, {}),
    prepareForUpdate(driver, old) {
      dropGatedFields(driver, old.spec);
      // A new driver has no generation at all; the first change gives it one.
      if (specChanged(driver, old)) countGeneration(driver, old);
    },
    validate: validateDriver,
    validateChange: validateDriverChange,
    warningsOnCreate: driverWarnings,
    warningsOnUpdate: driverChangeWarnings,
  },
});

export const csiNodes = defineKind('storage.k8s.io/v1/csinodes', {
  rules: {
    returnsDeletedObject: true,
    allowsUnconditionalUpdate: false,
    validate: validateNodeDrivers,
    validateChange: validateNodeDriversChange,
  },
});

export const csiStorageCapacities = defineKind('storage.k8s.io/v1/csistoragecapacities', {
  rules: {
    allowsUnconditionalUpdate: false,
    validate: validateCapacity,
    validateUpdate: validateCapacityChange,
    warningsOnCreate: topologyWarnings,
    warningsOnUpdate: topologyWarnings,
  },
});

/** Fields of features that are off by default stay only where they already are. */
function dropGatedFields(driver: CSIDriver, oldSpec: CSIDriverSpec): void {
  const spec = { ...driver.spec };
  const key = 'preventPodSchedulingIfMissing';
  if (isMissing(oldSpec[key])) Reflect.deleteProperty(spec, key);
  if (isJsonObject(driver.spec)) driver.spec = spec;
}

function topologyWarnings(capacity: CSIStorageCapacity): readonly string[] {
  return nodeLabelSelectorWarnings('nodeTopology', capacity.nodeTopology);
}

function validateAttributesClass(attributesClass: VolumeAttributesClass): FieldErrors {
  return [
    ...validateProvisioner('driverName', attributesClass.driverName),
    ...validateParameters(attributesClass, false),
  ];
}

/** Upstream looks at what changed before it looks at the whole. */
function validateAttributesClassChange(
  object: VolumeAttributesClass,
  old: VolumeAttributesClass,
): FieldErrors {
  return [
    ...(sameValue(object.driverName, old.driverName)
      ? []
      : [forbiddenField('driverName', 'updates to driverName are forbidden.')]),
    ...(sameMap(object.parameters, old.parameters)
      ? []
      : [forbiddenField('parameters', 'updates to parameters are forbidden.')]),
    ...validateAttributesClass(object),
  ];
}

const TOPOLOGY = 'nodeTopology';

function validateCapacity(capacity: CSIStorageCapacity): FieldErrors {
  return [
    ...validateLabelSelector(TOPOLOGY, capacity[TOPOLOGY]),
    ...validateClassAndSize(capacity),
  ];
}

function validateCapacityChange(
  capacity: CSIStorageCapacity,
  old: CSIStorageCapacity,
): FieldErrors {
  const topology = capacity[TOPOLOGY];
  const errors = validateLabelSelector(TOPOLOGY, topology);
  const wasWrong = validateLabelSelector(TOPOLOGY, old[TOPOLOGY]).length > 0;
  return [
    ...(wasWrong ? withoutSelectorValues(errors) : errors),
    ...validateClassAndSize(capacity),
    ...(sameValue(topology, old[TOPOLOGY])
      ? []
      : [invalidValue(TOPOLOGY, shownSelector(topology), 'field is immutable')]),
    ...immutable('storageClassName', capacity.storageClassName, old.storageClassName),
  ];
}

function validateClassAndSize(capacity: CSIStorageCapacity): FieldErrors {
  const name = capacity.storageClassName;
  const size = capacity.capacity;
  return [
    ...invalidFor('storageClassName', name, dns1123SubdomainProblems(name)),
    ...(nanosOf(size) < 0n
      ? [invalidValue('capacity', size, 'must be greater than or equal to 0')]
      : []),
  ];
}
