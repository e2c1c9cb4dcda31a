/**
 * TaintNodesByCondition: a new node is not ready until it has said so, and nothing is put on it
 * before. Who manages nodes takes the taint away.
 *
 * In Kubernetes: plugin/pkg/admission/nodetaint.
 */
import { stringAt } from '../../../../api/json/json.ts';
import { objectsAt } from '../../../../api/kinds/rules/value-validation.ts';
import type { AdmissionStep, MutatingPlugin } from '../../admission-plugin.ts';
import { isItself } from '../../places.ts';
import { specToFill } from '../../../../api/kinds/pod-spec/pod-parts.ts';

const KEY = 'node.kubernetes.io/not-ready';
const EFFECT = 'NoSchedule';

export function taintNodesByCondition(): MutatingPlugin {
  const taint: AdmissionStep = ({ object: node }) => {
    if (node === undefined) return undefined;
    const spec = specToFill(node);
    const taints = objectsAt(spec, 'taints');
    const isTainted = taints.some(
      (one) => stringAt(one, 'key') === KEY && stringAt(one, 'effect') === EFFECT,
    );
    if (!isTainted) spec['taints'] = [...taints, { key: KEY, effect: EFFECT }];
    return undefined;
  };
  return {
    name: 'TaintNodesByCondition',
    mutatesAt: (place) => (isItself(place, 'core/nodes', 'CREATE') ? taint : undefined),
  };
}
