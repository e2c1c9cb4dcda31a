/** Where storage comes from. In Kubernetes: registry/storage. */
import type {
  CSIDriver,
  CSIDriverSpec,
  CSIStorageCapacity,
} from '../../generated/kinds/storage-v1.ts';
import { isJsonObject } from '../../json/json.ts';
import { nodeLabelSelectorWarnings } from '../rules/deprecated-node-labels.ts';
import { defineKind } from '../kind.ts';
import { METADATA_KEPT_BY_STATUS, countGeneration, specChanged } from '../strategy-of.ts';
import { isMissing } from '../rules/value-validation.ts';
import {
  driverChangeWarnings,
  driverWarnings,
  validateDriver,
  validateDriverChange,
} from './csidrivers/validation.ts';
import { validateNodeDrivers, validateNodeDriversChange } from './csinodes/validation.ts';
import { validateCapacity, validateCapacityChange } from './csistoragecapacities/validation.ts';
import { validateStorageClass, validateStorageClassChange } from './storageclasses/validation.ts';
import { storageClassWarnings } from './storageclasses/warnings.ts';
import { validateAttachment, validateAttachmentChange } from './volumeattachments/validation.ts';
import {
  validateAttributesClass,
  validateAttributesClassChange,
} from './volumeattributesclasses/validation.ts';

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
