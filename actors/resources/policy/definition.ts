/** Pod disruption budgets. In Kubernetes: registry/policy/poddisruptionbudget. */
import { isJsonObject } from '../../../api/meta/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { invalidValue, notSupported, type FieldErrors } from '../../../api/schema/field-errors.ts';
import type { Kind } from '../kind.ts';
import { validateLabelSelector } from '../label-selector-validation.ts';
import { specChanged, strategyOf } from '../strategy-of.ts';
import {
  isMissing,
  nonNegativeAt,
  notMoreThan100Percent,
  positiveIntOrPercent,
  specOf,
  statusOf,
} from '../value-validation.ts';

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];
const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

export const podDisruptionBudgets: Kind = {
  group: 'policy',
  version: 'v1',
  resource: 'poddisruptionbudgets',
  strategy: strategyOf({
    allowsUnconditionalUpdate: false,
    isNewGeneration: specChanged,
    status: {
      initial: () => Object.fromEntries(COUNTS.map((key) => [key, 0])),
      validateUpdate: (budget) => nonNegativeAt('status', statusOf(budget), COUNTS),
    },
    validate: validateBudget,
  }),
};

function validateBudget(budget: KubeObject): FieldErrors {
  const spec = specOf(budget);
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  const isBoth = !isMissing(minAvailable) && !isMissing(maxUnavailable);
  const isKnown = typeof policy === 'string' && EVICTION_POLICIES.includes(policy);
  return [
    ...(isBoth
      ? [invalidValue('spec', shown(budget), 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...['minAvailable', 'maxUnavailable'].flatMap((key) => [
      ...positiveIntOrPercent(`spec.${key}`, spec[key]),
      ...notMoreThan100Percent(`spec.${key}`, spec[key]),
    ]),
    ...validateLabelSelector('spec.selector', spec['selector']),
    ...(isMissing(policy) || isKnown
      ? []
      : [notSupported('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES)]),
  ];
}

/** As Go prints its internal form. */
function shown(budget: KubeObject) {
  const spec = specOf(budget);
  return {
    MinAvailable: spec['minAvailable'] ?? null,
    Selector: isJsonObject(spec['selector']) ? spec['selector'] : null,
    MaxUnavailable: spec['maxUnavailable'] ?? null,
    UnhealthyPodEvictionPolicy: spec['unhealthyPodEvictionPolicy'] ?? null,
  };
}
