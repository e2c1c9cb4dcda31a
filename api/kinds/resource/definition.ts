/**
 * Claims of devices, templates that claims are made from, and classes of devices. The cost of the
 * expressions in selectors is not estimated. The rights that a claim needs are asked for behind these rules:
 * plug-in DeviceRights.
 *
 * In Kubernetes: registry/resource; ValidateDeviceClass, pkg/apis/resource/validation;
 * ValidateTemplateObjectMeta, pkg/apis/core/validation.
 */
import type {
  DeviceClass,
  DeviceClassSpec,
  ResourceClaimTemplate,
} from '../../generated/kinds/resource-v1.ts';
import { onlyNameIsDnsSubdomain } from '../../meta/names.ts';
import { type FieldErrors, forbiddenField, invalidValue } from '../../field/field-errors.ts';
import { defineKind } from '../kind.ts';
import { emptyStatus, METADATA_KEPT_BY_STATUS } from '../strategy-of.ts';
import { CONFIG_MAX, validateDeviceClaim } from './resourceclaims/validation.ts';
import { betaClaims, betaTemplates } from './beta-versions.ts';
import { immutableStruct } from './immutable-struct.ts';
import { forgetReturnedDevices, validateClaimStatus } from './resourceclaims/status.ts';
import { items } from '../../json/go-values.ts';
import { isExtended } from '../rules/resource-names.ts';
import { sameStruct } from '../rules/same-struct.ts';
import { validateList } from './list-validation.ts';
import { validateSelectors, validateSettings } from './selector-validation.ts';
import type { ObjectMeta } from '../../generated/kinds/meta-v1.ts';
import * as metadata from '../../validation/object-meta-validation-content.ts';
import { validateLabels } from '../rules/label-selector-validation.ts';

const CLASS_SPEC = 'io.k8s.api.resource.v1.DeviceClassSpec';

export const resourceClaims = defineKind('resource.k8s.io/v1/resourceclaims', {
  alsoServedAs: [{ group: 'resource.k8s.io', version: 'v1beta1', conversion: betaClaims }],
  rules: {
    returnsDeletedObject: true,
    status: {
      initial: emptyStatus,
      keeps: METADATA_KEPT_BY_STATUS,
      prepareForUpdate: forgetReturnedDevices,
      validateUpdate: validateClaimStatus,
    },
    validate: (claim) => validateDeviceClaim('spec.devices', claim.spec.devices),
    validateUpdate: (claim, old) =>
      immutableStruct('spec', claim.spec, old.spec, 'ResourceClaimSpec'),
  },
});

export const resourceClaimTemplates = defineKind('resource.k8s.io/v1/resourceclaimtemplates', {
  alsoServedAs: [{ group: 'resource.k8s.io', version: 'v1beta1', conversion: betaTemplates }],
  rules: {
    returnsDeletedObject: true,
    validate: validateTemplate,
    validateChange: (template, old) =>
      immutableStruct('spec', template.spec, old.spec, 'ResourceClaimTemplateSpec'),
  },
});

export const deviceClasses = defineKind('resource.k8s.io/v1/deviceclasses', {
  rules: {
    validateName: onlyNameIsDnsSubdomain,
    returnsDeletedObject: true,
    isNewGeneration: ({ spec }, old) => !sameStruct(CLASS_SPEC, spec, old.spec),
    validate: validateDeviceClass,
    validateUpdate: validateDeviceClassChange,
  },
});

function validateTemplate({ spec }: ResourceClaimTemplate): FieldErrors {
  return [
    ...validateTemplateMetadata('spec.metadata', spec.metadata),
    ...validateDeviceClaim('spec.spec.devices', spec.spec.devices),
  ];
}

function validateDeviceClass({ spec }: DeviceClass): FieldErrors {
  return validateClassSpec(spec, false);
}

/** Settings that do not change may be as large as they are. */
function validateDeviceClassChange({ spec }: DeviceClass, old: DeviceClass): FieldErrors {
  const [now, before] = [{ config: spec.config ?? null }, { config: old.spec.config ?? null }];
  return validateClassSpec(spec, sameStruct(CLASS_SPEC, now, before));
}

function validateClassSpec(spec: DeviceClassSpec, isConfigStored: boolean): FieldErrors {
  const field = 'spec.extendedResourceName';
  const name = spec.extendedResourceName;
  return [
    ...validateSelectors('spec.selectors', spec.selectors),
    ...validateList('spec.config', items(spec.config), CONFIG_MAX, (path, config) =>
      validateSettings(path, config, isConfigStored),
    ),
    ...(name === undefined || isExtended(name)
      ? []
      : [invalidValue(field, name, 'must be a valid extended resource name')]),
  ];
}

/** In Go's order, with the names that Go's fields have. */
const FORBIDDEN: readonly (readonly [keyof ObjectMeta, string])[] = [
  ['name', 'name'],
  ['generateName', 'generateName'],
  ['namespace', 'namespace'],
  ['selfLink', 'selfLink'],
  ['uid', 'uID'],
  ['resourceVersion', 'resourceVersion'],
  ['generation', 'generation'],
  ['creationTimestamp', 'creationTimestamp'],
  ['deletionTimestamp', 'deletionTimestamp'],
  ['deletionGracePeriodSeconds', 'deletionGracePeriodSeconds'],
  ['ownerReferences', 'ownerReferences'],
  ['finalizers', 'finalizers'],
  ['managedFields', 'managedFields'],
];

/** Labels and annotations of the claims that a template makes, and nothing else. */
function validateTemplateMetadata(field: string, meta: ObjectMeta): FieldErrors {
  return [
    ...metadata.validateAnnotations(meta.annotations ?? {}, `${field}.annotations`),
    ...validateLabels(`${field}.labels`, meta.labels),
    ...FORBIDDEN.filter(([key]) => meta[key] !== undefined && meta[key] !== null).map(([, shown]) =>
      forbiddenField(`${field}.${shown}`, 'cannot be set'),
    ),
  ];
}
