/**
 * The webhooks and policies that are asked before an object is stored. Whether their writer may read
 * the parameters of a policy is asked behind these rules, as the last of them: plug-in ParameterRights.
 *
 * In Kubernetes: registry/admissionregistration; the bindings of policies:
 * pkg/apis/admissionregistration/validation.
 */
import { flatMapUntil } from '../../json/work-in-slices.ts';
import { validateMutatingOperations } from './rule-validation.ts';
import { validateBinding } from './policy-validation.ts';
import { repeatsIn } from '../rules/value-validation.ts';
import { indexPath } from '../../field/field-path.ts';
import {
  ERRORS_SHOWN_MAX,
  duplicateValue,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../field/field-errors.ts';
import { items } from '../../json/go-values.ts';
import type {
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../generated/kinds/admissionregistration-v1.ts';
import type { KubeObject, ObjectOf } from '../../meta/object-meta.ts';
import { defineKind } from '../kind.ts';
import { sameValue } from '../rules/same-value.ts';
import {
  METADATA_KEPT_BY_STATUS,
  emptyStatus,
  specChanged,
  type KindRules,
} from '../strategy-of.ts';
import * as mutating from './mutatingadmissionpolicies/validation.ts';
import * as validating from './validatingadmissionpolicies/validation.ts';
import { validateWebhooks, validateWebhooksChange } from './webhook-validation.ts';

const ACTIONS_FIELD = 'spec.validationActions';
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const TWICE =
  'must not contain both Deny and Warn (repeating the same validation failure information in the ' +
  'API response and headers serves no purpose)';
const STATIC_SUFFIX = '.static.k8s.io';
const conditional: KindRules = {
  allowsUnconditionalUpdate: false,
  takesAnyFinalizer: true,
  warningsOnCreate: nameWarnings,
  warningsOnUpdate: nameWarnings,
};
type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

const webhooks: KindRules<ObjectOf<WebhookConfiguration>> = {
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

function webhooksChanged(configuration: WebhookConfiguration, old: WebhookConfiguration): boolean {
  return !sameValue(configuration.webhooks, old.webhooks);
}

/** Configuration from files has names of its own. */
function nameWarnings({ metadata }: KubeObject): readonly string[] {
  if (metadata.name?.endsWith(STATIC_SUFFIX) !== true) return [];
  return [
    `metadata.name: names ending with "${STATIC_SUFFIX}" are reserved for static ` +
      'manifest-based configurations and cannot be managed via the API',
  ];
}

function validateValidatingBinding({ spec }: ValidatingAdmissionPolicyBinding): FieldErrors {
  return [...validateBinding(spec), ...validateActions(items(spec.validationActions))];
}

function validateMutatingBinding({ spec }: MutatingAdmissionPolicyBinding): FieldErrors {
  const match = spec.matchResources ?? {};
  return [...validateBinding(spec), ...validateMutatingOperations('spec.matchResources', match)];
}

function validateActions(actions: readonly string[]): FieldErrors {
  const repeats = repeatsIn(actions);
  const isTwice = actions.includes('Deny') && actions.includes('Warn');
  return [
    ...flatMapUntil(actions, ERRORS_SHOWN_MAX, (action, index) => {
      const field = indexPath(ACTIONS_FIELD, index);
      return [
        ...(ACTIONS.includes(action) ? [] : [notSupported(field, action, ACTIONS)]),
        ...(repeats[index] === true ? [duplicateValue(field, action)] : []),
      ];
    }),
    ...(isTwice ? [invalidValue(ACTIONS_FIELD, [...actions], TWICE)] : []),
    ...(actions.length === 0
      ? [required(ACTIONS_FIELD, 'at least one validation action is required')]
      : []),
  ];
}
