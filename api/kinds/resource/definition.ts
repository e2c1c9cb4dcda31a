/**
 * Devices, and who may use them. What expressions of selectors may cost is not estimated, and
 * nobody is asked whether a namespace may have administrative access.
 *
 * In Kubernetes: registry/resource.
 */
import { onlyNameIsDnsSubdomain } from '../../meta/names.ts';
import { objectAt } from '../../json/json.ts';
import type { KubeObject } from '../../meta/object-meta.ts';
import type { FieldErrors } from '../../field/field-errors.ts';
import { defineKind } from '../kind.ts';
import { METADATA_KEPT_BY_STATUS, emptyStatus, specChanged } from '../strategy-of.ts';
import { specOf } from '../rules/value-validation.ts';
import { devicesOf, validateDeviceClaim } from './claim-validation.ts';
import { validateDeviceClass, validateDeviceClassChange } from './deviceclasses/validation.ts';
import { immutableStruct } from './immutable-struct.ts';
import { forgetReturnedDevices } from './resourceclaims/device-id.ts';
import { validateClaimStatus } from './resourceclaims/status-validation.ts';
import { validateTemplateMetadata } from './template-metadata-validation.ts';

export const resourceClaims = defineKind('resource.k8s.io/v1/resourceclaims', {
  rules: {
    returnsDeletedObject: true,
    status: {
      initial: emptyStatus,
      keeps: METADATA_KEPT_BY_STATUS,
      prepareForUpdate: forgetReturnedDevices,
      validateUpdate: validateClaimStatus,
    },
    validate: (claim) => validateDeviceClaim('spec.devices', devicesOf(specOf(claim))),
    validateUpdate: (claim, old) =>
      immutableStruct('spec', claim['spec'], old['spec'], 'ResourceClaimSpec'),
  },
});

export const resourceClaimTemplates = defineKind('resource.k8s.io/v1/resourceclaimtemplates', {
  rules: {
    returnsDeletedObject: true,
    validate: validateTemplate,
    validateChange: (template, old) =>
      immutableStruct('spec', template['spec'], old['spec'], 'ResourceClaimTemplateSpec'),
  },
});

export const deviceClasses = defineKind('resource.k8s.io/v1/deviceclasses', {
  rules: {
    validateName: onlyNameIsDnsSubdomain,
    returnsDeletedObject: true,
    isNewGeneration: specChanged,
    validate: validateDeviceClass,
    validateUpdate: validateDeviceClassChange,
  },
});

function validateTemplate(template: KubeObject): FieldErrors {
  const spec = specOf(template);
  return [
    ...validateTemplateMetadata('spec.metadata', objectAt(spec, 'metadata')),
    ...validateDeviceClaim('spec.spec.devices', devicesOf(objectAt(spec, 'spec'))),
  ];
}
