/** Near what and far from what a pod runs. In Kubernetes: validateAffinity, pkg/apis/core/validation. */
import { type JsonObject, numberAt, stringAt } from '../../../json/json.ts';
import { dns1123LabelProblems, qualifiedNameProblems } from '../../../meta/names.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateLabelSelector } from '../../rules/label-selector-validation.ts';
import { invalidFor, objectsAt, stringsAt } from '../../rules/value-validation.ts';
import { validateLabelKeys } from './label-keys-validation.ts';
import { validateNodeSelector, validateNodeTerm } from './node-selector-validation.ts';
import { presentAt } from '../pod-rules.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity(field: string, spec: JsonObject): FieldErrors {
  const affinity = presentAt(spec, 'affinity');
  if (affinity === undefined) return [];
  const node = presentAt(affinity, 'nodeAffinity');
  return [
    ...(node === undefined ? [] : validateNodeAffinity(`${field}.nodeAffinity`, node)),
    ...['podAffinity', 'podAntiAffinity'].flatMap((key) => {
      const pods = presentAt(affinity, key);
      return pods === undefined ? [] : validatePodAffinity(`${field}.${key}`, pods);
    }),
  ];
}

function validateNodeAffinity(field: string, affinity: JsonObject): FieldErrors {
  const selector = presentAt(affinity, REQUIRED);
  return [
    ...(selector === undefined ? [] : validateNodeSelector(`${field}.${REQUIRED}`, selector)),
    ...objectsAt(affinity, PREFERRED).flatMap((term, index) => {
      const path = indexPath(`${field}.${PREFERRED}`, index);
      const preference = presentAt(term, 'preference') ?? {};
      return [
        ...validateWeight(`${path}.weight`, term),
        ...validateNodeTerm(`${path}.preference`, preference, false),
      ];
    }),
  ];
}

function validatePodAffinity(field: string, affinity: JsonObject): FieldErrors {
  return [
    ...objectsAt(affinity, REQUIRED).flatMap((term, index) =>
      validatePodTerm(indexPath(`${field}.${REQUIRED}`, index), term),
    ),
    ...objectsAt(affinity, PREFERRED).flatMap((term, index) => {
      const path = indexPath(`${field}.${PREFERRED}`, index);
      return [
        ...validateWeight(`${path}.weight`, term),
        ...validatePodTerm(`${path}.podAffinityTerm`, presentAt(term, 'podAffinityTerm') ?? {}),
      ];
    }),
  ];
}

function validateWeight(field: string, term: JsonObject): FieldErrors {
  const weight = numberAt(term, 'weight') ?? 0;
  return weight > 0 && weight <= 100
    ? []
    : [invalidValue(field, weight, 'must be in the range 1-100')];
}

function validatePodTerm(field: string, term: JsonObject): FieldErrors {
  const topologyKey = stringAt(term, 'topologyKey');
  return [
    ...validateLabelSelector(`${field}.labelSelector`, term['labelSelector']),
    ...validateLabelSelector(`${field}.namespaceSelector`, term['namespaceSelector']),
    ...stringsAt(term, 'namespaces').flatMap((name) =>
      invalidFor(`${field}.namespace`, name, dns1123LabelProblems(name)),
    ),
    ...validateLabelKeys(field, term),
    ...(topologyKey === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...invalidFor(`${field}.topologyKey`, topologyKey, qualifiedNameProblems(topologyKey)),
  ];
}
