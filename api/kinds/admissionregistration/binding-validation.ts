/** What bindings of policies may say. In Kubernetes: pkg/apis/admissionregistration/validation. */
import { objectAt } from '../../json/json.ts';
import type { KubeObject } from '../../meta/object-meta.ts';
import {
  duplicateValue,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { repeatsIn } from '../rules/repeats.ts';
import { specOf, stringsAt } from '../rules/value-validation.ts';
import { validateBinding } from './match-validation.ts';
import { validateMutatingOperations } from './rule-validation.ts';

const ACTIONS_FIELD = 'spec.validationActions';
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const TWICE =
  'must not contain both Deny and Warn (repeating the same validation failure information in the ' +
  'API response and headers serves no purpose)';

export function validateValidatingBinding(binding: KubeObject): FieldErrors {
  const spec = specOf(binding);
  return [...validateBinding(spec), ...validateActions(stringsAt(spec, 'validationActions'))];
}

export function validateMutatingBinding(binding: KubeObject): FieldErrors {
  const spec = specOf(binding);
  const match = objectAt(spec, 'matchResources') ?? {};
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
