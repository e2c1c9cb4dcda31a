/**
 * Near what, far from what and how evenly pods run, and the labels by which pods are counted as
 * alike.
 *
 * In Kubernetes: validateAffinity, validateTopologySpreadConstraints and
 * ValidateMatchLabelKeysAndMismatchLabelKeys, pkg/apis/core/validation.
 */
import { flatMapItems, rememberedOf } from '../../../json/work-in-slices.ts';
import type {
  NodeAffinity,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  PodSpec,
  TopologySpreadConstraint,
} from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import { dns1123LabelProblems, qualifiedNameProblems } from '../../../meta/names.ts';
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateLabelSelector } from '../../rules/label-selector-validation.ts';
import { invalidFor, isMissing } from '../../rules/value-validation.ts';
import { validateNodeSelector, validateNodeTerm } from './node-selector-validation.ts';
import { formatJson } from '../../../json/json-text.ts';
import type { LabelSelector } from '../../../generated/kinds/meta-v1.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** validateAffinity: of nodes and of pods, required and preferred terms. */
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
    ...flatMapItems(items(affinity[PREFERRED]), (term, index) => {
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
    ...flatMapItems(items(affinity[REQUIRED]), (term, index) =>
      validatePodTerm(indexPath(`${field}.${REQUIRED}`, index), term),
    ),
    ...flatMapItems(items(affinity[PREFERRED]), (term, index) => {
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
    ...flatMapItems(items(term.namespaces), (name) =>
      invalidFor(`${field}.namespace`, name, dns1123LabelProblems(name)),
    ),
    ...validateLabelKeys(field, term),
    ...(topologyKey === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...invalidFor(`${field}.topologyKey`, topologyKey, qualifiedNameProblems(topologyKey)),
  ];
}

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];

/**
 * validateTopologySpreadConstraints: keys and skews, and no two constraints of one key and one way.
 */
export function validateTopologySpread(field: string, spec: PodSpec): FieldErrors {
  const constraints = items(spec.topologySpreadConstraints);
  const lastPlaces = rememberedOf(
    [constraints],
    () =>
      new Map(
        constraints.map(({ topologyKey, whenUnsatisfiable }, index) => {
          return [formatJson([topologyKey, whenUnsatisfiable]), index];
        }),
      ),
  );
  return flatMapItems(constraints, (constraint, index) => {
    const path = indexPath(field, index);
    const key = constraint.topologyKey;
    const action = constraint.whenUnsatisfiable;
    const isRepeated = (lastPlaces.get(JSON.stringify([key, action])) ?? index) > index;
    const pair = `${path}.{topologyKey, whenUnsatisfiable}`;
    return [
      ...validatePositive(`${path}.maxSkew`, constraint.maxSkew),
      ...(key === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
      ...(ACTIONS.includes(action)
        ? []
        : [notSupported(`${path}.whenUnsatisfiable`, action, ACTIONS)]),
      ...(isRepeated ? [duplicateValue(pair, `{${key}, ${action}}`)] : []),
      ...validateMinDomains(`${path}.minDomains`, constraint, action),
      ...(['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const).flatMap((policy) =>
        isMissing(constraint[policy]) || POLICIES.includes(constraint[policy] ?? '')
          ? []
          : [notSupported(`${path}.${policy}`, constraint[policy], POLICIES)],
      ),
      ...validateLabelKeys(path, constraint),
      ...validateLabelSelector(`${path}.labelSelector`, constraint.labelSelector),
    ];
  });
}

function validatePositive(field: string, value: number): FieldErrors {
  return value > 0 ? [] : [invalidValue(field, value, 'must be greater than zero')];
}

function validateMinDomains(
  field: string,
  constraint: TopologySpreadConstraint,
  action: string,
): FieldErrors {
  const count = constraint.minDomains;
  if (count === undefined) return [];
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [
    ...validatePositive(field, count),
    ...(action === 'DoNotSchedule' ? [] : [invalidValue(field, count, detail)]),
  ];
}

/** `term` has the keys and the selector that they are added to. */
function validateLabelKeys(
  field: string,
  term: TopologySpreadConstraint | PodAffinityTerm,
): FieldErrors {
  const matching = items(term.matchLabelKeys);
  const mismatching = 'mismatchLabelKeys' in term ? items(term.mismatchLabelKeys) : [];
  if (matching.length === 0 && mismatching.length === 0) return [];
  const selector = term.labelSelector;
  const others = new Set(mismatching);
  const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
  return [
    ...validateKeys(`${field}.matchLabelKeys`, matching, selector),
    ...validateKeys(`${field}.mismatchLabelKeys`, mismatching, selector),
    ...(selector === undefined ? [] : validateNotSelected(field, matching, selector)),
    ...flatMapItems(matching, (key, index) =>
      others.has(key)
        ? [invalidValue(indexPath(`${field}.matchLabelKeys`, index), key, detail)]
        : [],
    ),
  ];
}

function validateKeys(
  field: string,
  keys: readonly string[],
  selector: LabelSelector | undefined,
): FieldErrors {
  if (keys.length > 0 && selector === undefined) {
    return [forbiddenField(field, 'must not be specified when labelSelector is not set')];
  }
  return flatMapItems(keys, (key, index) =>
    invalidFor(indexPath(field, index), key, qualifiedNameProblems(key)),
  );
}

/**
 * The keys have been merged into the selector already, so one that stands in it once is right, and
 * one that stands there twice was selected by the client too.
 */
function validateNotSelected(
  field: string,
  keys: readonly string[],
  selector: LabelSelector,
): FieldErrors {
  const indexes = new Map(keys.map((key, index) => [key, index]));
  const seen = new Set(Object.keys(selector.matchLabels ?? {}));
  return items(selector.matchExpressions).flatMap((expression) => {
    const key = expression.key;
    const index = indexes.get(key);
    const isTwice = seen.has(key);
    seen.add(key);
    if (index === undefined || !isTwice) return [];
    const detail = 'exists in both matchLabelKeys and labelSelector';
    return [invalidValue(indexPath(field, index), key, detail)];
  });
}
