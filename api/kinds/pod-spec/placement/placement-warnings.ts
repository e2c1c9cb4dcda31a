/**
 * Warnings about where pods may run: labels of nodes that have other names today, and selectors of
 * pods that are missing and so match none.
 *
 * In Kubernetes: warningsForPodSpecAndMeta, pkg/api/pod, and GetWarningsForNodeSelectorTerm, pkg/api/node.
 */
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { labelValueProblems } from '../../../meta/names.ts';
import { indexPath, keyPath } from '../../../field/field-path.ts';
import { deprecationOfNodeLabel } from '../../rules/deprecated-node-labels.ts';
import { isMissing, objectsAt, stringEntriesAt, stringsAt } from '../../rules/value-validation.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** @param field of the pod's spec. */
export function placementWarnings(field: string, spec: JsonObject): readonly string[] {
  const affinity = objectAt(spec, 'affinity');
  const path = `${field}.affinity`;
  return [
    ...stringEntriesAt(spec, 'nodeSelector').flatMap(([key]) => {
      const deprecation = deprecationOfNodeLabel(key);
      const at = keyPath(`${field}.nodeSelector`, key);
      return deprecation === undefined ? [] : [`${at}: ${deprecation}`];
    }),
    ...nodeAffinityWarnings(`${path}.nodeAffinity`, objectAt(affinity, 'nodeAffinity')),
    ...spreadWarnings(`${field}.topologySpreadConstraints`, spec),
    ...podAffinityWarnings(`${path}.podAffinity`, objectAt(affinity, 'podAffinity')),
    ...podAffinityWarnings(`${path}.podAntiAffinity`, objectAt(affinity, 'podAntiAffinity')),
  ];
}

/**
 * About the expressions of a term that selects nodes.
 *
 * @param checksValues whether values that no label can have are told: where they are only preferred.
 */
export function nodeTermWarnings(
  field: string,
  term: JsonObject | undefined,
  checksValues: boolean,
): readonly string[] {
  return objectsAt(term, 'matchExpressions').flatMap((expression, index) => {
    const path = indexPath(`${field}.matchExpressions`, index);
    const key = stringAt(expression, 'key');
    const deprecation = deprecationOfNodeLabel(key);
    const values = checksValues ? stringsAt(expression, 'values') : [];
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

function nodeAffinityWarnings(field: string, affinity: JsonObject | undefined): readonly string[] {
  const terms = objectsAt(objectAt(affinity, REQUIRED), 'nodeSelectorTerms');
  const path = `${field}.${REQUIRED}.nodeSelectorTerms`;
  return [
    ...terms.flatMap((term, index) => nodeTermWarnings(indexPath(path, index), term, false)),
    ...objectsAt(affinity, PREFERRED).flatMap((term, index) => {
      const at = `${indexPath(`${field}.${PREFERRED}`, index)}.preference`;
      return nodeTermWarnings(at, objectAt(term, 'preference'), true);
    }),
  ];
}

function spreadWarnings(field: string, spec: JsonObject): readonly string[] {
  return objectsAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) => {
    const path = indexPath(field, index);
    const key = stringAt(constraint, 'topologyKey');
    const deprecation = deprecationOfNodeLabel(key);
    return [
      ...(deprecation === undefined ? [] : [`${path}.topologyKey: ${key} is ${deprecation}`]),
      ...selectorWarnings(path, constraint),
    ];
  });
}

function podAffinityWarnings(field: string, affinity: JsonObject | undefined): readonly string[] {
  return [
    ...objectsAt(affinity, REQUIRED).flatMap((term, index) =>
      selectorWarnings(indexPath(`${field}.${REQUIRED}`, index), term),
    ),
    ...objectsAt(affinity, PREFERRED).flatMap((term, index) => {
      const path = `${indexPath(`${field}.${PREFERRED}`, index)}.podAffinityTerm`;
      return selectorWarnings(path, objectAt(term, 'podAffinityTerm') ?? {});
    }),
  ];
}

function selectorWarnings(field: string, term: JsonObject): readonly string[] {
  if (!isMissing(term['labelSelector'])) return [];
  return [`${field}.labelSelector: a null labelSelector results in matching no pod`];
}
