/**
 * `matchLabelKeys` and `mismatchLabelKeys` name labels of the pod itself; its values for them
 * join the label selector beside them when the pod is made.
 *
 * In Kubernetes: mutatePodAffinity and mutateTopologySpreadConstraints, registry/core/pod.
 */
import type {
  Pod,
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
} from '../../../generated/kinds/core-v1.ts';
import { items, type ListOf } from '../../../json/go-values.ts';
import type { StringMap } from '../../../meta/object-meta.ts';

/** Changes the selectors inside the pod's spec. */
export function mergeLabelKeys(pod: Pod): void {
  const labels = pod.metadata.labels ?? {};
  const { spec } = pod;
  for (const term of affinityTermsOf(spec)) {
    addRequirements(term, 'In', term.matchLabelKeys, labels);
    addRequirements(term, 'NotIn', term.mismatchLabelKeys, labels);
  }
  for (const constraint of items(spec.topologySpreadConstraints)) {
    addRequirements(constraint, 'In', constraint.matchLabelKeys, labels);
  }
}

function affinityTermsOf({ affinity }: PodSpec): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((one) => [
    ...items(one?.preferredDuringSchedulingIgnoredDuringExecution).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
    ...items(one?.requiredDuringSchedulingIgnoredDuringExecution),
  ]);
}

/** A holder without a selector selects nothing, and stays so. */
function addRequirements(
  { labelSelector: selector }: PodAffinityTerm | TopologySpreadConstraint,
  operator: 'In' | 'NotIn',
  keys: ListOf<string>,
  labels: StringMap,
): void {
  const added = items(keys)
    .filter((key) => Object.hasOwn(labels, key))
    .map((key) => ({ key, operator, values: [labels[key] ?? ''] }));
  if (selector === undefined || added.length === 0) return;
  selector.matchExpressions = [...items(selector.matchExpressions), ...added];
}
