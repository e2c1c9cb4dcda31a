/**
 * DefaultTolerationSeconds: a pod stays for some minutes on a node that is not ready or cannot be
 * reached, unless it says something about that itself.
 *
 * In Kubernetes: plugin/pkg/admission/defaulttolerationseconds, and its two flags.
 */
import { stringAt, type JsonObject } from '../../../../api/json/json.ts';
import { objectsAt } from '../../../../api/kinds/rules/value-validation.ts';
import type { AdmissionStep, MutatingPlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { isItself, PODS } from '../../places.ts';
import { specToFill } from '../../../../api/kinds/pod-spec/pod-parts.ts';
import type { TolerationSeconds } from '../../toleration-seconds.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';

const FIVE_MINUTES: TolerationSeconds = { notReadySeconds: 300, unreachableSeconds: 300 };

export function defaultTolerationSeconds({
  tolerationSeconds = FIVE_MINUTES,
}: Pick<AdmissionWorld, 'tolerationSeconds'>): MutatingPlugin {
  const added = [
    tolerating(NOT_READY, tolerationSeconds.notReadySeconds),
    tolerating(UNREACHABLE, tolerationSeconds.unreachableSeconds),
  ];
  const add: AdmissionStep = ({ object }) => {
    if (object === undefined) return undefined;
    const spec = specToFill(object);
    const own = objectsAt(spec, 'tolerations');
    const missing = added.filter(({ key }) => !own.some((one) => covers(one, key)));
    if (missing.length > 0) spec['tolerations'] = [...own, ...missing.map((one) => ({ ...one }))];
    return undefined;
  };
  return {
    name: 'DefaultTolerationSeconds',
    mutatesAt: (place) => (isItself(place, PODS, 'CREATE', 'UPDATE') ? add : undefined),
  };
}

function tolerating(key: string, tolerationSeconds: number) {
  return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds };
}

function covers(toleration: JsonObject, key: string): boolean {
  const [about, effect] = [stringAt(toleration, 'key'), stringAt(toleration, 'effect')];
  return (about === key || about === '') && (effect === 'NoExecute' || effect === '');
}
