/**
 * What of an object the scopes of quotas ask: worked out once, so that an object does not have to be
 * kept for it.
 *
 * In Kubernetes: podMatchesScopeFunc and pvcMatchesScopeFunc, pkg/quota/v1/evaluator/core.
 */
import type {
  Affinity,
  PersistentVolumeClaim,
  Pod,
  PodAffinityTerm,
  ResourceQuota,
  ResourceRequirements,
  ScopedResourceSelectorRequirement,
} from '../generated/kinds/core-v1.ts';
import { items } from '../json/go-values.ts';
import { amountsIn } from './amounts.ts';

/** One requirement of a quota about the objects that it counts. */
export interface ScopeSelector {
  /** As upstream names it: `PriorityClass`. */
  readonly scope: string;
  /** `Exists`, `DoesNotExist`, `In` or `NotIn`. */
  readonly operator: string;
  /** For `In` and `NotIn`; else empty. */
  readonly values: readonly string[];
}

/** What an object has to say to scopes. */
export interface ScopeFacts {
  /** Those that are just so or not: `Terminating`, `BestEffort` …. */
  readonly plain: ReadonlySet<string>;
  /** Those that have values: `PriorityClass`, `VolumeAttributesClass`. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Of an object that scopes do not ask about. */
export const NO_SCOPES: ScopeFacts = { plain: new Set(), values: new Map() };

/** Of a ResourceQuota. */
export function selectorsOf({ spec }: ResourceQuota): ScopeSelector[] {
  const scopes = items(spec.scopes).map((scope) => {
    return { scope, operator: 'Exists', values: [] };
  });
  return [...scopes, ...items(spec.scopeSelector?.matchExpressions).map(selectorOf)];
}

/** Reads an item of `spec.scopeSelector.matchExpressions`. */
export function selectorOf(expression: ScopedResourceSelectorRequirement): ScopeSelector {
  const { scopeName, operator, values } = expression;
  return { scope: scopeName, operator, values: items(values) };
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

export function podScopes(pod: Pod): ScopeFacts {
  const { activeDeadlineSeconds: deadline, affinity, priorityClassName = '' } = pod.spec;
  const plain = new Set([
    deadline !== undefined && deadline >= 0 ? 'Terminating' : 'NotTerminating',
    isBestEffort(pod) ? 'BestEffort' : 'NotBestEffort',
  ]);
  if (reachesOtherNamespaces(affinity)) plain.add('CrossNamespacePodAffinity');
  return {
    plain,
    values: new Map([['PriorityClass', priorityClassName === '' ? [] : [priorityClassName]]]),
  };
}

export function claimScopes({ spec, status }: PersistentVolumeClaim): ScopeFacts {
  const names = [
    spec.volumeAttributesClassName,
    status.currentVolumeAttributesClassName,
    status.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  const classes = [...new Set(names.flatMap((name = '') => (name === '' ? [] : [name])))];
  return { plain: new Set(), values: new Map([['VolumeAttributesClass', classes]]) };
}

/** In Kubernetes: GetPodQOS. */
function isBestEffort({ spec, status }: Pod): boolean {
  const said = status.qosClass ?? '';
  if (said !== '') return said === 'BestEffort';
  if (spec.resources !== undefined) return !asksForSomething(spec.resources);
  const containers = [...items(spec.containers), ...items(spec.initContainers)];
  return !containers.some((one) => asksForSomething(one.resources));
}

function asksForSomething({ requests, limits }: ResourceRequirements): boolean {
  return [requests, limits].some((list) => {
    const amounts = amountsIn(list);
    return ['cpu', 'memory'].some((name) => (amounts.get(name)?.unscaled ?? 0n) > 0n);
  });
}

function reachesOtherNamespaces(affinity: Affinity | undefined): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((rules) => {
    const required = items(rules?.requiredDuringSchedulingIgnoredDuringExecution);
    const preferred = items(rules?.preferredDuringSchedulingIgnoredDuringExecution);
    return [...required, ...preferred.map((one) => one.podAffinityTerm)].some(namesNamespaces);
  });
}

function namesNamespaces({ namespaces, namespaceSelector }: PodAffinityTerm): boolean {
  return items(namespaces).length > 0 || namespaceSelector !== undefined;
}
