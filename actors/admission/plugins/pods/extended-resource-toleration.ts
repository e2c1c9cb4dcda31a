/**
 * ExtendedResourceToleration: a pod that asks for a device tolerates the taint by which nodes with
 * such devices keep other pods away.
 *
 * In Kubernetes: plugin/pkg/admission/extendedresourcetoleration.
 */
import { objectAt, stringAt, type JsonObject } from '../../../../api/json/json.ts';
import { isExtended } from '../../../../api/kinds/rules/resource-names.ts';
import { objectsAt } from '../../../../api/kinds/rules/value-validation.ts';
import type { AdmissionStep, MutatingPlugin } from '../../admission-plugin.ts';
import { isItself, PODS } from '../../places.ts';
import { containersOf, specToFill } from '../../../../api/kinds/pod-spec/pod-parts.ts';

const MATCHED = ['key', 'effect', 'operator', 'value'];

export function extendedResourceToleration(): MutatingPlugin {
  const tolerate: AdmissionStep = ({ object }) => {
    if (object === undefined) return undefined;
    const spec = specToFill(object);
    const asked = containersOf(spec, ['containers', 'initContainers']).flatMap((container) =>
      Object.keys(objectAt(objectAt(container, 'resources'), 'requests') ?? {}),
    );
    for (const name of [...new Set(asked.filter(isExtended))].sort()) addToleration(spec, name);
    return undefined;
  };
  return {
    name: 'ExtendedResourceToleration',
    mutatesAt: (place) => (isItself(place, PODS, 'CREATE', 'UPDATE') ? tolerate : undefined),
  };
}

/**
 * What the pod tolerates already it tolerates without end from then on.
 *
 * In Kubernetes: AddOrUpdateTolerationInPod, pkg/apis/core/helper.
 */
function addToleration(spec: JsonObject, key: string): void {
  const added: JsonObject = { key, operator: 'Exists', effect: 'NoSchedule' };
  const own = objectsAt(spec, 'tolerations');
  const isSame = (one: JsonObject): boolean =>
    MATCHED.every((field) => stringAt(one, field) === stringAt(added, field));
  const updated = own.map((one) => (isSame(one) ? { ...added } : one));
  spec['tolerations'] = own.some(isSame) ? updated : [...own, added];
}
