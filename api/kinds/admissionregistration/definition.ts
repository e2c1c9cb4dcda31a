/**
 * Who is asked before an object is stored. Nobody is asked whether the requester may read the
 * parameters of a policy.
 *
 * In Kubernetes: registry/admissionregistration.
 */
import type { KubeObject } from '../../meta/object-meta.ts';
import { defineKind } from '../kind.ts';
import { sameValue } from '../rules/same-value.ts';
import {
  METADATA_KEPT_BY_STATUS,
  emptyStatus,
  specChanged,
  type KindRules,
} from '../strategy-of.ts';
import { validateMutatingBinding, validateValidatingBinding } from './binding-validation.ts';
import * as mutating from './mutatingadmissionpolicies/validation.ts';
import * as validating from './validatingadmissionpolicies/validation.ts';
import { validateWebhooks, validateWebhooksChange } from './webhook-validation.ts';

const STATIC_SUFFIX = '.static.k8s.io';
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

export const mutatingWebhookConfigurations = defineKind(
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  {
    rules: webhooks,
  },
);

export const validatingWebhookConfigurations = defineKind(
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  {
    rules: webhooks,
  },
);

export const validatingAdmissionPolicies = defineKind(
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  {
    rules: {
      ...conditional,
      isNewGeneration: specChanged,
      status: {
        initial: emptyStatus,
        keeps: METADATA_KEPT_BY_STATUS,
        validateUpdate: validating.validatePolicyStatus,
      },
      validate: validating.validatePolicy,
      validateUpdate: validating.validatePolicyChange,
    },
  },
);

export const validatingAdmissionPolicyBindings = defineKind(
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  {
    rules: {
      ...conditional,
      isNewGeneration: specChanged,
      validate: validateValidatingBinding,
    },
  },
);

export const mutatingAdmissionPolicies = defineKind(
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
  {
    rules: {
      ...conditional,
      isNewGeneration: specChanged,
      validate: mutating.validatePolicy,
      validateUpdate: mutating.validatePolicyChange,
    },
  },
);

export const mutatingAdmissionPolicyBindings = defineKind(
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
  {
    rules: {
      ...conditional,
      isNewGeneration: specChanged,
      validate: validateMutatingBinding,
    },
  },
);

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
