/** Near what and far from what a pod runs. In Kubernetes: validateAffinity, pkg/apis/core/validation. */
import type {
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
} from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import type { PodSpec, NodeAffinity } from '../../../generated/kinds/core-v1.ts';
import { dns1123LabelProblems, qualifiedNameProblems } from '../../../meta/names.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateLabelSelector } from '../../rules/label-selector-validation.ts';
import { invalidFor } from '../../rules/value-validation.ts';
import { validateLabelKeys } from './label-keys-validation.ts';
import { validateNodeSelector, validateNodeTerm } from './node-selector-validation.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity(field: string, spec: PodSpec): FieldErrors {
  const affinity = spec.affinity;
  if (affinity === undefined) return [];
  const node = affinity.nodeAffinity;
  return [
    ...(node === undefined ? [] : validateNodeAffinity(`${field}.nodeAffinity`, node)),
    ...(['podAffinity', 'podAntiAffinity'] as const).flatMap((key) => {
      const pods = affinity[key];
      return pods === undefined ? [] : validatePodAffinity(`${field}.${key}`, pods);
    }),
  ];
}

function validateNodeAffinity(field: string, affinity: NodeAffinity): FieldErrors {
  const selector = affinity[REQUIRED];
  return [
    ...(selector === undefined ? [] : validateNodeSelector(`${field}.${REQUIRED}`, selector)),
    ...items(affinity[PREFERRED]).flatMap((term, index) => {
      const path = indexPath(`${field}.${PREFERRED}`, index);
      const { preference } = term;
      return [
        ...validateWeight(`${path}.weight`, term),
        ...validateNodeTerm(`${path}.preference`, preference, false),
      ];
    }),
  ];
}

function validatePodAffinity(field: string, affinity: PodAffinity | PodAntiAffinity): FieldErrors {
  return [
    ...items(affinity[REQUIRED]).flatMap((term, index) =>
      validatePodTerm(indexPath(`${field}.${REQUIRED}`, index), term),
    ),
    ...items(affinity[PREFERRED]).flatMap((term, index) => {
      const path = indexPath(`${field}.${PREFERRED}`, index);
      return [
        ...validateWeight(`${path}.weight`, term),
        ...validatePodTerm(`${path}.podAffinityTerm`, term.podAffinityTerm),
      ];
    }),
  ];
}

function validateWeight(field: string, { weight }: { readonly weight: number }): FieldErrors {
  return weight > 0 && weight <= 100
    ? []
    : [invalidValue(field, weight, 'must be in the range 1-100')];
}

function validatePodTerm(field: string, term: PodAffinityTerm): FieldErrors {
  const { topologyKey } = term;
  return [
    ...validateLabelSelector(`${field}.labelSelector`, term.labelSelector),
    ...validateLabelSelector(`${field}.namespaceSelector`, term.namespaceSelector),
    ...items(term.namespaces).flatMap((name) =>
      invalidFor(`${field}.namespace`, name, dns1123LabelProblems(name)),
    ),
    ...validateLabelKeys(field, term),
    ...(topologyKey === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...invalidFor(`${field}.topologyKey`, topologyKey, qualifiedNameProblems(topologyKey)),
  ];
}
