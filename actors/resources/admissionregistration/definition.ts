/**
 * Who is asked before an object is stored. Nobody is asked whether the requester may read the
 * parameters of a policy.
 *
 * In Kubernetes: registry/admissionregistration.
 */
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { Kind } from '../kind.ts';
import { sameValue } from '../same-value.ts';
import {
  METADATA_KEPT_BY_STATUS,
  emptyStatus,
  specChanged,
  strategyOf,
  type KindRules,
} from '../strategy-of.ts';
import { validateMutatingBinding, validateValidatingBinding } from './binding-validation.ts';
import * as mutating from './mutatingadmissionpolicies/validation.ts';
import * as validating from './validatingadmissionpolicies/validation.ts';
import { validateWebhooks, validateWebhooksChange } from './webhook-validation.ts';

const STATIC_SUFFIX = '.static.k8s.io';
const admission = { group: 'admissionregistration.k8s.io', version: 'v1' };
const conditional: KindRules = {
  allowsUnconditionalUpdate: false,
  takesAnyFinalizer: true,
  warningsOnCreate: nameWarnings,
  warningsOnUpdate: nameWarnings,
};
const webhooks: KindRules = {
  ...conditional,
  isNewGeneration: webhooksChanged,
  validate: validateWebhooks,
  validateUpdate: validateWebhooksChange,
};

export const mutatingWebhookConfigurations: Kind = {
  ...admission,
  resource: 'mutatingwebhookconfigurations',
  strategy: strategyOf(webhooks),
};

export const validatingWebhookConfigurations: Kind = {
  ...admission,
  resource: 'validatingwebhookconfigurations',
  strategy: strategyOf(webhooks),
};

export const validatingAdmissionPolicies: Kind = {
  ...admission,
  resource: 'validatingadmissionpolicies',
  strategy: strategyOf({
    ...conditional,
    isNewGeneration: specChanged,
    status: {
      initial: emptyStatus,
      keeps: METADATA_KEPT_BY_STATUS,
      validateUpdate: validating.validatePolicyStatus,
    },
    validate: validating.validatePolicy,
    validateUpdate: validating.validatePolicyChange,
  }),
};

export const validatingAdmissionPolicyBindings: Kind = {
  ...admission,
  resource: 'validatingadmissionpolicybindings',
  strategy: strategyOf({
    ...conditional,
    isNewGeneration: specChanged,
    validate: validateValidatingBinding,
  }),
};

export const mutatingAdmissionPolicies: Kind = {
  ...admission,
  resource: 'mutatingadmissionpolicies',
  strategy: strategyOf({
    ...conditional,
    isNewGeneration: specChanged,
    validate: mutating.validatePolicy,
    validateUpdate: mutating.validatePolicyChange,
  }),
};

export const mutatingAdmissionPolicyBindings: Kind = {
  ...admission,
  resource: 'mutatingadmissionpolicybindings',
  strategy: strategyOf({
    ...conditional,
    isNewGeneration: specChanged,
    validate: validateMutatingBinding,
  }),
};

function webhooksChanged(configuration: KubeObject, old: KubeObject): boolean {
  return !sameValue(configuration['webhooks'], old['webhooks']);
}

/** Configuration from files has names of its own. */
function nameWarnings({ metadata }: KubeObject): readonly string[] {
  if (metadata.name?.endsWith(STATIC_SUFFIX) !== true) return [];
  return [
    `metadata.name: names ending with "${STATIC_SUFFIX}" are reserved for static ` +
      'manifest-based configurations and cannot be managed via the API',
  ];
}
