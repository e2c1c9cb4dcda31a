/**
 * The kinds of the legacy group that are little more than their rules.
 *
 * In Kubernetes: registry/core/{endpoint,limitrange,podtemplate,resourcequota}.
 */
import { objectAt } from '../../../api/meta/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { emptyStatus, strategyOf } from '../strategy-of.ts';
import type { Kind } from '../kind.ts';
import { validatePodTemplate } from '../pod-template-validation.ts';
import { workloadWarnings } from '../workload-warnings.ts';
import { preparedTemplate } from '../pod-spec-preparation.ts';
import { sameValue } from '../same-value.ts';
import { validateEndpoints, validateEndpointsChange } from './endpoints/validation.ts';
import { validateLimitRange } from './limitranges/validation.ts';
import {
  validateQuota,
  validateQuotaScopes,
  validateQuotaStatus,
} from './resourcequotas/validation.ts';

const core = { group: '', version: 'v1' };

export const endpoints: Kind = {
  ...core,
  resource: 'endpoints',
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  strategy: strategyOf({
    allowsCreateOnUpdate: true,
    validate: validateEndpoints,
    validateUpdate: validateEndpointsChange,
  }),
};

export const limitRanges: Kind = {
  ...core,
  resource: 'limitranges',
  strategy: strategyOf({
    allowsCreateOnUpdate: true,
    isNamedByUuid: true,
    validate: validateLimitRange,
  }),
};

const ofTemplate = workloadWarnings(['template']);

export const podTemplates: Kind = {
  ...core,
  resource: 'podtemplates',
  strategy: strategyOf({
    returnsDeletedObject: true,
    isNewGeneration: (object, old) => !sameValue(object['template'], old['template']),
    warningsOnCreate: ofTemplate.onCreate,
    warningsOnUpdate: ofTemplate.onUpdate,
    prepareForCreate: (object) => prepareOwnTemplate(object, undefined),
    prepareForUpdate: prepareOwnTemplate,
    validate: (object) => validatePodTemplate('template', object),
    validateUpdate: (object, old) => validatePodTemplate('template', object, old),
  }),
};

export const resourceQuotas: Kind = {
  ...core,
  resource: 'resourcequotas',
  strategy: strategyOf({
    returnsDeletedObject: true,
    status: { initial: emptyStatus, validateUpdate: validateQuotaStatus },
    validate: validateQuota,
    validateChange: validateQuotaScopes,
  }),
};

function prepareOwnTemplate(object: KubeObject, old: KubeObject | undefined): void {
  const template = objectAt(object, 'template');
  if (template !== undefined) {
    object['template'] = preparedTemplate(template, objectAt(old, 'template'));
  }
}
