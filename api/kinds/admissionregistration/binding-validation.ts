/** What bindings of policies may say. In Kubernetes: pkg/apis/admissionregistration/validation. */
import { items } from '../../json/go-values.ts';
import type {
  ValidatingAdmissionPolicyBinding,
  MutatingAdmissionPolicyBinding,
} from '../../generated/kinds/admissionregistration-v1.ts';
import {
  duplicateValue,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { repeatsIn } from '../rules/repeats.ts';
import { validateBinding } from './match-validation.ts';
import { validateMutatingOperations } from './rule-validation.ts';

const ACTIONS_FIELD = 'spec.validationActions';
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const TWICE =
  'must not contain both Deny and Warn (repeating the same validation failure information in the ' +
  'API response and headers serves no purpose)';

export function validateValidatingBinding(binding: ValidatingAdmissionPolicyBinding): FieldErrors {
  const spec = binding.spec;
  return [...validateBinding(spec), ...validateActions(items(spec.validationActions))];
}

export function validateMutatingBinding(binding: MutatingAdmissionPolicyBinding): FieldErrors {
  const spec = binding.spec;
  const match = spec.matchResources ?? {};
  return [...validateBinding(spec), ...validateMutatingOperations('spec.matchResources', match)];
}

function validateActions(actions: readonly string[]): FieldErrors {
  const repeats = repeatsIn(actions);
  const isTwice = actions.includes('Deny') && actions.includes('Warn');
  return [
    ...actions.flatMap((action, index) => {
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
