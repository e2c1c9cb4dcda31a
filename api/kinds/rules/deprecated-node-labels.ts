/**
 * Labels of nodes that have another name today, and the warnings about them.
 *
 * In Kubernetes: GetNodeLabelDeprecatedMessage and its callers, pkg/api/node.
 */
import { items } from '../../json/go-values.ts';
import type { LabelSelector } from '../../generated/kinds/meta-v1.ts';
import { indexPath } from '../../field/field-path.ts';
import { sortedEntries } from './value-validation.ts';

const DEPRECATIONS: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', useInstead('v1.14', 'kubernetes.io/arch')],
  ['beta.kubernetes.io/os', useInstead('v1.14', 'kubernetes.io/os')],
  [
    'failure-domain.beta.kubernetes.io/region',
    useInstead('v1.17', 'topology.kubernetes.io/region'),
  ],
  ['failure-domain.beta.kubernetes.io/zone', useInstead('v1.17', 'topology.kubernetes.io/zone')],
  ['beta.kubernetes.io/instance-type', useInstead('v1.17', 'node.kubernetes.io/instance-type')],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  [
    'scheduler.alpha.kubernetes.io/preferAvoidPods',
    'deprecated since v1.22; use Taints and Tolerations instead',
  ],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** What to say of a label, undefined when there is nothing to say. */
export function deprecationOfNodeLabel(key: string): string | undefined {
  return DEPRECATIONS.get(key);
}

/** Warnings about a selector of nodes that is a label selector. */
export function nodeLabelSelectorWarnings(
  field: string,
  selector: LabelSelector | undefined,
): readonly string[] {
  const ofExpressions = items(selector?.matchExpressions).flatMap((requirement, index) => {
    const key = requirement.key;
    const deprecation = DEPRECATIONS.get(key);
    if (deprecation === undefined) return [];
    return [`${indexPath(`${field}.matchExpressions`, index)}.key: ${key} is ${deprecation}`];
  });
  const ofLabels = sortedEntries(selector?.matchLabels).flatMap(([key]) => {
    const deprecation = DEPRECATIONS.get(key);
    return deprecation === undefined ? [] : [`${field}.matchLabels.${key}: ${deprecation}`];
  });
  return [...ofExpressions, ...ofLabels];
}

function useInstead(since: string, label: string): string {
  return `deprecated since ${since}; use "${label}" instead`;
}
