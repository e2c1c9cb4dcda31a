/**
 * NodeDeclaredFeatureValidator: an update of a pod that its node could not carry out, because it
 * has not said that it can, is refused at once.
 *
 * Of the features that upstream knows, two matter for an update: resources of the pod as a whole,
 * and resources of init containers that end.
 *
 * In Kubernetes: plugin/pkg/admission/nodedeclaredfeatures; the feature is on.
 */
import type { JsonObject } from '../../../../api/json/json.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { pathOf } from '../../../../streams/event.ts';
import { sameValue } from '../../../../api/kinds/rules/same-value.ts';
import {
  objectsAt,
  specOf,
  statusOf,
  stringsAt,
} from '../../../../api/kinds/rules/value-validation.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import { PODS } from '../../places.ts';
import { remembered } from '../../remembered.ts';

/** By the name of the feature, in the order in which upstream lists them. */
const NEEDED_BY: readonly (readonly [
  feature: string,
  isNeeded: (spec: JsonObject, old: JsonObject) => boolean,
])[] = [
  [
    'InPlacePodLevelResourcesVerticalScaling',
    (spec, old) => !sameValue(spec['resources'], old['resources']),
  ],
  ['InPlacePodVerticalScalingInitContainers', hasResizedInitContainer],
];

const declaredBy = remembered((node) => stringsAt(statusOf(node), 'declaredFeatures'));

export function nodeDeclaredFeatureValidator(): ValidatingPlugin {
  const validate: AdmissionStep = (attributes) => {
    const { object: pod, oldObject, objects } = attributes;
    if (pod === undefined || oldObject === undefined) return undefined;
    const [spec, old] = [specOf(pod), specOf(oldObject)];
    const node = spec['nodeName'];
    if (typeof node !== 'string' || node === '') return undefined;
    if (pod.metadata.generation === oldObject.metadata.generation) return undefined;
    const needed = NEEDED_BY.filter(([, isNeeded]) => isNeeded(spec, old)).map(([name]) => name);
    if (needed.length === 0) return undefined;
    const stored = objects.get('core/nodes', pathOf('', node));
    if (stored === undefined) return refusedAt(attributes, `node ${goQuote(node)} not found`);
    const declared = declaredBy(stored);
    const missing = needed.filter((name) => !declared.includes(name));
    if (missing.length === 0) return undefined;
    const where = `which are not available on node ${goQuote(node)}`;
    return refusedAt(attributes, `pod update requires features ${missing.join(', ')} ${where}`);
  };
  return {
    name: 'NodeDeclaredFeatureValidator',
    validatesAt({ served, operation, subresource }) {
      if (served.definition.storage !== PODS || operation !== 'UPDATE') return undefined;
      return subresource === '' || subresource === 'resize' ? validate : undefined;
    },
  };
}

function hasResizedInitContainer(spec: JsonObject, old: JsonObject): boolean {
  const now = objectsAt(spec, 'initContainers');
  return objectsAt(old, 'initContainers').some(
    (container, index) =>
      container['restartPolicy'] !== 'Always' &&
      !sameValue(container['resources'], now[index]?.['resources']),
  );
}
