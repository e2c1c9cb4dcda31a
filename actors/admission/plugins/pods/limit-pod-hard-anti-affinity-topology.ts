/**
 * LimitPodHardAntiAffinityTopology: a pod may keep others off its node, but not off a whole zone.
 *
 * In Kubernetes: plugin/pkg/admission/antiaffinity.
 */
import { objectAt, stringAt } from '../../../../api/json/json.ts';
import { forbidden } from '../../../../api/meta/status.ts';
import { objectsAt, specOf } from '../../../../api/kinds/rules/value-validation.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import { isItself, PODS } from '../../places.ts';

const ALLOWED = 'kubernetes.io/hostname';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

export function limitPodHardAntiAffinityTopology(): ValidatingPlugin {
  const validate: AdmissionStep = ({ object }) => {
    if (object === undefined) return undefined;
    const antiAffinity = objectAt(objectAt(specOf(object), 'affinity'), 'podAntiAffinity');
    const wrong = objectsAt(antiAffinity, REQUIRED)
      .map((term) => stringAt(term, 'topologyKey'))
      .find((key) => key !== ALLOWED);
    if (wrong === undefined) return undefined;
    const what = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wrong}`;
    const why = `${what} but only key ${ALLOWED} is allowed`;
    return forbidden({ group: '', resource: 'pods' }, object.metadata.name ?? '', why);
  };
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    validatesAt: (place) => (isItself(place, PODS, 'CREATE', 'UPDATE') ? validate : undefined),
  };
}
