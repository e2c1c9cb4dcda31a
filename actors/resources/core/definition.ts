/**
 * The kinds of the legacy group that need next to no rules of their own.
 *
 * In Kubernetes: registry/core/{endpoint,limitrange,podtemplate,resourcequota}.
 */
import { emptyStatus, strategyOf } from '../strategy-of.ts';
import type { Kind } from '../kind.ts';
import { validatePodTemplate } from '../pod-template-validation.ts';
import { sameValue } from '../same-value.ts';
import { validateQuotaScopes } from './resourcequotas/validation.ts';

const core = { group: '', version: 'v1' };

export const endpoints: Kind = {
  ...core,
  resource: 'endpoints',
  strategy: strategyOf({ allowsCreateOnUpdate: true }),
};

export const limitRanges: Kind = {
  ...core,
  resource: 'limitranges',
  strategy: strategyOf({ allowsCreateOnUpdate: true }),
};

export const podTemplates: Kind = {
  ...core,
  resource: 'podtemplates',
  strategy: strategyOf({
    returnsDeletedObject: true,
    isNewGeneration: (object, old) => !sameValue(object['template'], old['template']),
    validate: (object) => validatePodTemplate('template', object),
  }),
};

export const resourceQuotas: Kind = {
  ...core,
  resource: 'resourcequotas',
  strategy: strategyOf({
    returnsDeletedObject: true,
    status: { initial: emptyStatus },
    validateChange: validateQuotaScopes,
  }),
};
