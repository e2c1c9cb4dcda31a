/**
 * The kinds of the legacy group that are little more than their rules.
 *
 * In Kubernetes: registry/core/{endpoint,limitrange,podtemplate,resourcequota}.
 */
import type { PodTemplate } from '../../generated/kinds/core-v1.ts';
import { emptyStatus } from '../strategy-of.ts';
import { defineKind } from '../kind.ts';
import { validatePodTemplate } from '../pod-spec/pod-template-validation.ts';
import { workloadWarnings } from '../pod-spec/workload-warnings.ts';
import { preparedTemplate } from '../pod-spec/pod-spec-preparation.ts';
import { sameValue } from '../rules/same-value.ts';
import { validateEndpoints, validateEndpointsChange } from './endpoints/validation.ts';
import { validateLimitRange } from './limitranges/validation.ts';
import {
  validateQuota,
  validateQuotaScopes,
  validateQuotaStatus,
} from './resourcequotas/validation.ts';

export const endpoints = defineKind('v1/endpoints', {
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  rules: {
    allowsCreateOnUpdate: true,
    validate: validateEndpoints,
    validateUpdate: validateEndpointsChange,
  },
});

export const limitRanges = defineKind('v1/limitranges', {
  rules: {
    allowsCreateOnUpdate: true,
    isNamedByUuid: true,
    validate: validateLimitRange,
  },
});

const ofTemplate = workloadWarnings('template', ({ template }: PodTemplate) => template);

export const podTemplates = defineKind('v1/podtemplates', {
  rules: {
    returnsDeletedObject: true,
    isNewGeneration: (object, old) => !sameValue(object.template, old.template),
    warningsOnCreate: ofTemplate.onCreate,
    warningsOnUpdate: ofTemplate.onUpdate,
    prepareForCreate: (object) => prepareOwnTemplate(object, undefined),
    prepareForUpdate: prepareOwnTemplate,
    validate: (object) => validatePodTemplate('template', object),
    validateUpdate: (object, old) => validatePodTemplate('template', object, old),
  },
});

export const resourceQuotas = defineKind('v1/resourcequotas', {
  rules: {
    returnsDeletedObject: true,
    status: { initial: emptyStatus, validateUpdate: validateQuotaStatus },
    validate: validateQuota,
    validateChange: validateQuotaScopes,
  },
});

function prepareOwnTemplate(object: PodTemplate, old: PodTemplate | undefined): void {
  object.template = preparedTemplate(object.template, old?.template);
}
