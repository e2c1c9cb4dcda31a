/**
 * TaintNodesByCondition: a new node is not ready until it has said so, and nothing is put on it
 * before. The node lifecycle controller takes the taint away.
 *
 * In Kubernetes: plugin/pkg/admission/nodetaint.
 */
import { items } from '../../../../api/json/go-values.ts';
import type { MutatingPlugin } from '../../admission-plugin.ts';
import { stepFor } from '../../kind-steps.ts';

const KEY = 'node.kubernetes.io/not-ready';
const EFFECT = 'NoSchedule';

export function taintNodesByCondition(): MutatingPlugin {
  return {
    name: 'TaintNodesByCondition',
    mutatesAt: stepFor('v1/nodes', ['CREATE'], ({ object: { spec } }) => {
      const taints = items(spec.taints);
      const isTainted = taints.some(({ key, effect }) => key === KEY && effect === EFFECT);
      if (!isTainted) spec.taints = [...taints, { key: KEY, effect: EFFECT }];
      return undefined;
    }),
  };
}
