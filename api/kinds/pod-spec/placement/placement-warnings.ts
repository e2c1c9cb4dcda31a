/**
 * Warnings about where pods may run: labels of nodes that have other names today, and selectors of
 * pods that are missing and so match none.
 *
 * In Kubernetes: warningsForPodSpecAndMeta, pkg/api/pod, and GetWarningsForNodeSelectorTerm, pkg/api/node.
 */
import type {
  NodeAffinity,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  PodSpec,
  TopologySpreadConstraint,
} from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import { labelValueProblems } from '../../../meta/names.ts';
import { indexPath, keyPath } from '../../../field/field-path.ts';
import { deprecationOfNodeLabel } from '../../rules/deprecated-node-labels.ts';
import { isMissing, sortedEntries } from '../../rules/value-validation.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/**
 * About the nodes that the pod may run on.
 *
 * @param field of the pod's spec.
 */
export function nodePlacementWarnings(field: string, spec: PodSpec): readonly string[] {
  return [
    ...sortedEntries(spec.nodeSelector).flatMap(([key]) => {
      const deprecation = deprecationOfNodeLabel(key);
      const at = keyPath(`${field}.nodeSelector`, key);
      return deprecation === undefined ? [] : [`${at}: ${deprecation}`];
    }),
    ...nodeAffinityWarnings(`${field}.affinity.nodeAffinity`, spec.affinity?.nodeAffinity),
    ...spreadWarnings(`${field}.topologySpreadConstraints`, spec),
  ];
}

/**
 * About the pods that it runs beside, or not; upstream tells of these later.
 *
 * @param field of the pod's spec.
 */
export function podPlacementWarnings(field: string, spec: PodSpec): readonly string[] {
  const affinity = spec.affinity;
  const path = `${field}.affinity`;
  return [
    ...podAffinityWarnings(`${path}.podAffinity`, affinity?.podAffinity),
    ...podAffinityWarnings(`${path}.podAntiAffinity`, affinity?.podAntiAffinity),
  ];
}

/**
 * About the expressions of a term that selects nodes.
 *
 * @param checksValues whether values that no label can have are told: where they are only preferred.
 */
export function nodeTermWarnings(
  field: string,
  term: NodeSelectorTerm | undefined,
  checksValues: boolean,
): readonly string[] {
  return items(term?.matchExpressions).flatMap((expression, index) => {
    const path = indexPath(`${field}.matchExpressions`, index);
    const key = expression.key;
    const deprecation = deprecationOfNodeLabel(key);
    const values = checksValues ? items(expression.values) : [];
    return [
      ...(deprecation === undefined ? [] : [`${path}.key: ${key} is ${deprecation}`]),
      ...values.flatMap((value, at) =>
        labelValueProblems(value).map(
          (problem) => `${indexPath(`${path}.values`, at)}: ${value} is invalid, ${problem}`,
        ),
      ),
    ];
  });
}

function nodeAffinityWarnings(
  field: string,
  affinity: NodeAffinity | undefined,
): readonly string[] {
  const terms = items(affinity?.[REQUIRED]?.nodeSelectorTerms);
  const path = `${field}.${REQUIRED}.nodeSelectorTerms`;
  return [
    ...terms.flatMap((term, index) => nodeTermWarnings(indexPath(path, index), term, false)),
    ...items(affinity?.[PREFERRED]).flatMap((term, index) => {
      const at = `${indexPath(`${field}.${PREFERRED}`, index)}.preference`;
      return nodeTermWarnings(at, term.preference, true);
    }),
  ];
}

function spreadWarnings(field: string, spec: PodSpec): readonly string[] {
  return items(spec.topologySpreadConstraints).flatMap((constraint, index) => {
    const path = indexPath(field, index);
    const key = constraint.topologyKey;
    const deprecation = deprecationOfNodeLabel(key);
    return [
      ...(deprecation === undefined ? [] : [`${path}.topologyKey: ${key} is ${deprecation}`]),
      ...selectorWarnings(path, constraint),
    ];
  });
}

function podAffinityWarnings(
  field: string,
  affinity: PodAffinity | PodAntiAffinity | undefined,
): readonly string[] {
  return [
    ...items(affinity?.[REQUIRED]).flatMap((term, index) =>
      selectorWarnings(indexPath(`${field}.${REQUIRED}`, index), term),
    ),
    ...items(affinity?.[PREFERRED]).flatMap((term, index) => {
      const path = `${indexPath(`${field}.${PREFERRED}`, index)}.podAffinityTerm`;
      return selectorWarnings(path, term.podAffinityTerm);
    }),
  ];
}

function selectorWarnings(
  field: string,
  term: TopologySpreadConstraint | PodAffinityTerm,
): readonly string[] {
  if (!isMissing(term.labelSelector)) return [];
  return [`${field}.labelSelector: a null labelSelector results in matching no pod`];
}
