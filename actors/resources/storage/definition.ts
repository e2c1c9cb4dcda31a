/** Where storage comes from. In Kubernetes: registry/storage. */
import { isJsonObject, type JsonObject } from '../../../api/meta/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { Kind } from '../kind.ts';
import {
  METADATA_KEPT_BY_STATUS,
  countGeneration,
  specChanged,
  strategyOf,
} from '../strategy-of.ts';
import { immutable, isMissing, specOf } from '../value-validation.ts';
import {
  validateAttributesClass,
  validateAttributesClassChange,
  validateCapacityChange,
  validateDriverChange,
  validateNodeDriversChange,
  validateStorageClass,
  validateStorageClassChange,
} from './validation.ts';

const storage = { group: 'storage.k8s.io', version: 'v1' };

export const storageClasses: Kind = {
  ...storage,
  resource: 'storageclasses',
  strategy: strategyOf({
    returnsDeletedObject: true,
    validate: validateStorageClass,
    validateChange: validateStorageClassChange,
  }),
};

export const volumeAttributesClasses: Kind = {
  ...storage,
  resource: 'volumeattributesclasses',
  strategy: strategyOf({
    returnsDeletedObject: true,
    validate: validateAttributesClass,
    validateUpdate: (object, old) => [
      ...validateAttributesClassChange(object, old),
      ...validateAttributesClass(object),
    ],
  }),
};

export const volumeAttachments: Kind = {
  ...storage,
  resource: 'volumeattachments',
  strategy: strategyOf({
    returnsDeletedObject: true,
    allowsUnconditionalUpdate: false,
    status: { initial: () => ({ attached: false }), keeps: METADATA_KEPT_BY_STATUS },
    validateChange: (object, old) => immutable('spec', object['spec'], old['spec']),
  }),
};

export const csiDrivers: Kind = {
  ...storage,
  resource: 'csidrivers',
  strategy: strategyOf({
    returnsDeletedObject: true,
    allowsUnconditionalUpdate: false,
    prepareForCreate: (driver) => dropGatedFields(driver, {}),
    prepareForUpdate(driver, old) {
      dropGatedFields(driver, specOf(old));
      // A new driver has no generation at all; the first change gives it one.
      if (specChanged(driver, old)) countGeneration(driver, old);
    },
    validateChange: validateDriverChange,
    warningsOnCreate: tokenWarnings,
  }),
};

export const csiNodes: Kind = {
  ...storage,
  resource: 'csinodes',
  strategy: strategyOf({
    returnsDeletedObject: true,
    allowsUnconditionalUpdate: false,
    validateChange: validateNodeDriversChange,
  }),
};

export const csiStorageCapacities: Kind = {
  ...storage,
  resource: 'csistoragecapacities',
  strategy: strategyOf({
    allowsUnconditionalUpdate: false,
    validateChange: validateCapacityChange,
  }),
};

/** Fields of features that are off by default stay only where they already are. */
function dropGatedFields(driver: KubeObject, oldSpec: JsonObject): void {
  const spec = { ...specOf(driver) };
  const key = 'preventPodSchedulingIfMissing';
  if (isMissing(oldSpec[key])) Reflect.deleteProperty(spec, key);
  if (isJsonObject(driver['spec'])) driver['spec'] = spec;
}

function tokenWarnings(driver: KubeObject): readonly string[] {
  const spec = specOf(driver);
  if (isMissing(spec['tokenRequests']) || !isMissing(spec['serviceAccountTokenInSecrets'])) {
    return [];
  }
  return [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true ' +
      'to prevent possible logging of tokens in volume attributes',
  ];
}
