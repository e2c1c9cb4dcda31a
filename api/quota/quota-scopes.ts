/**
 * What of an object the scopes of quotas ask: worked out once, so that an object does not have to be
 * kept for it.
 *
 * In Kubernetes: podMatchesScopeFunc and pvcMatchesScopeFunc, pkg/quota/v1/evaluator/core.
 */
import { itemsAt, type JsonObject, objectAt, stringAt, textsAt } from '../json/json.ts';
import { amountsIn } from './amounts.ts';

/** One requirement of a quota about the objects that it counts. */
export interface ScopeSelector {
  readonly scope: string;
  /** `Exists`, `DoesNotExist`, `In` or `NotIn`. */
  readonly operator: string;
  readonly values: readonly string[];
}

/** What an object has to say to scopes. */
export interface ScopeFacts {
  /** Those that are just so or not: `Terminating`, `BestEffort` …. */
  readonly plain: ReadonlySet<string>;
  /** Those that have values: `PriorityClass`, `VolumeAttributesClass`. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

export const NO_SCOPES: ScopeFacts = { plain: new Set(), values: new Map() };

/** Of a ResourceQuota. */
export function selectorsOf(quota: JsonObject): ScopeSelector[] {
  const spec = objectAt(quota, 'spec');
  const scopes = textsAt(spec, 'scopes').map((scope) => {
    return { scope, operator: 'Exists', values: [] };
  });
  const expressions = itemsAt(objectAt(spec, 'scopeSelector'), 'matchExpressions');
  return [...scopes, ...expressions.map(selectorOf)];
}

/** Reads an item of `spec.scopeSelector.matchExpressions`. */
export function selectorOf(expression: JsonObject): ScopeSelector {
  return {
    scope: stringAt(expression, 'scopeName'),
    operator: stringAt(expression, 'operator'),
    values: textsAt(expression, 'values'),
  };
}

/** True when an object with these facts meets the requirement. */
export function isInScope({ plain, values }: ScopeFacts, selector: ScopeSelector): boolean {
  const { scope, operator } = selector;
  const known = values.get(scope);
  if (known === undefined) return plain.has(scope);
  if (operator === 'Exists') return known.length > 0;
  if (known.length === 0) return operator === 'DoesNotExist' || operator === 'NotIn';
  return known.some((value) => isSelected(value, selector));
}

function isSelected(value: string, { operator, values }: ScopeSelector): boolean {
  if (operator === 'In') return values.includes(value);
  return operator === 'NotIn' && !values.includes(value);
}

export function podScopes(pod: JsonObject): ScopeFacts {
  const spec = objectAt(pod, 'spec');
  const deadline = spec?.['activeDeadlineSeconds'];
  const plain = new Set([
    typeof deadline === 'number' && deadline >= 0 ? 'Terminating' : 'NotTerminating',
    isBestEffort(pod) ? 'BestEffort' : 'NotBestEffort',
  ]);
  if (reachesOtherNamespaces(spec)) plain.add('CrossNamespacePodAffinity');
  const priorityClass = stringAt(spec, 'priorityClassName');
  return {
    plain,
    values: new Map([['PriorityClass', priorityClass === '' ? [] : [priorityClass]]]),
  };
}

export function claimScopes(claim: JsonObject): ScopeFacts {
  const status = objectAt(claim, 'status');
  const names = [
    stringAt(objectAt(claim, 'spec'), 'volumeAttributesClassName'),
    stringAt(status, 'currentVolumeAttributesClassName'),
    stringAt(objectAt(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ];
  const classes = [...new Set(names.filter((name) => name !== ''))];
  return { plain: new Set(), values: new Map([['VolumeAttributesClass', classes]]) };
}

/** In Kubernetes: GetPodQOS. */
function isBestEffort(pod: JsonObject): boolean {
  const said = stringAt(objectAt(pod, 'status'), 'qosClass');
  if (said !== '') return said === 'BestEffort';
  const spec = objectAt(pod, 'spec');
  const own = objectAt(spec, 'resources');
  if (own !== undefined) return !asksForSomething(own);
  const containers = [...itemsAt(spec, 'containers'), ...itemsAt(spec, 'initContainers')];
  return !containers.some((one) => asksForSomething(objectAt(one, 'resources')));
}

function asksForSomething(resources: JsonObject | undefined): boolean {
  return (['requests', 'limits'] as const).some((kind) => {
    const amounts = amountsIn(objectAt(resources, kind));
    return ['cpu', 'memory'].some((name) => (amounts.get(name)?.unscaled ?? 0n) > 0n);
  });
}

function reachesOtherNamespaces(spec: JsonObject | undefined): boolean {
  const affinity = objectAt(spec, 'affinity');
  return ['podAffinity', 'podAntiAffinity'].some((key) => {
    const rules = objectAt(affinity, key);
    const terms = [
      ...itemsAt(rules, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...itemsAt(rules, 'preferredDuringSchedulingIgnoredDuringExecution').map((one) =>
        objectAt(one, 'podAffinityTerm'),
      ),
    ];
    return terms.some(
      (term) =>
        textsAt(term, 'namespaces').length > 0 || objectAt(term, 'namespaceSelector') !== undefined,
    );
  });
}
