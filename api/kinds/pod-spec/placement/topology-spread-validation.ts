/** How evenly pods are spread. In Kubernetes: validateTopologySpreadConstraints, pkg/apis/core/validation. */
import { items } from '../../../json/go-values.ts';
import type { PodSpec, TopologySpreadConstraint } from '../../../generated/kinds/core-v1.ts';
import {
  duplicateValue,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateLabelSelector } from '../../rules/label-selector-validation.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { validateLabelKeys } from './label-keys-validation.ts';
import { formatJson } from '../../../json/json-text.ts';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];

export function validateTopologySpread(field: string, spec: PodSpec): FieldErrors {
  const constraints = items(spec.topologySpreadConstraints);
  const lastPlaces = new Map(
    constraints.map(({ topologyKey, whenUnsatisfiable }, index) => {
      return [formatJson([topologyKey, whenUnsatisfiable]), index];
    }),
  );
  return constraints.flatMap((constraint, index) => {
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
