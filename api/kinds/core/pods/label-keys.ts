/**
 * `matchLabelKeys` and `mismatchLabelKeys` name labels of the pod itself; its values for them
 * join the label selector beside them when the pod is made.
 *
 * In Kubernetes: mutatePodAffinity and mutateTopologySpreadConstraints, registry/core/pod.
 */
import { listAt, objectAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject, StringMap } from '../../../meta/object-meta.ts';
import { objectsAt, specOf, stringsAt } from '../../rules/value-validation.ts';

/** Changes the selectors inside the pod's spec. */
export function mergeLabelKeys(pod: KubeObject): void {
  const labels = pod.metadata.labels ?? {};
  const spec = specOf(pod);
  for (const term of affinityTermsOf(spec)) mergeInto(term, labels);
  for (const constraint of objectsAt(spec, 'topologySpreadConstraints')) {
    addRequirements(constraint, 'In', stringsAt(constraint, 'matchLabelKeys'), labels);
  }
}

function affinityTermsOf(spec: JsonObject): JsonObject[] {
  const affinity = objectAt(spec, 'affinity');
  return ['podAffinity', 'podAntiAffinity'].flatMap((key) => {
    const one = objectAt(affinity, key);
    const preferred = objectsAt(one, 'preferredDuringSchedulingIgnoredDuringExecution');
    return [
      ...preferred.map((weighted) => objectAt(weighted, 'podAffinityTerm') ?? {}),
      ...objectsAt(one, 'requiredDuringSchedulingIgnoredDuringExecution'),
    ];
  });
}

function mergeInto(term: JsonObject, labels: StringMap): void {
  addRequirements(term, 'In', stringsAt(term, 'matchLabelKeys'), labels);
  addRequirements(term, 'NotIn', stringsAt(term, 'mismatchLabelKeys'), labels);
}

/** A holder without a selector selects nothing, and stays so. */
function addRequirements(
  holder: JsonObject,
  operator: 'In' | 'NotIn',
  keys: readonly string[],
  labels: StringMap,
): void {
  const selector = objectAt(holder, 'labelSelector');
  const added = keys
    .filter((key) => Object.hasOwn(labels, key))
    .map((key) => ({ key, operator, values: [labels[key] ?? ''] }));
  if (selector === undefined || added.length === 0) return;
  selector['matchExpressions'] = [...listAt(selector, 'matchExpressions'), ...added];
}
