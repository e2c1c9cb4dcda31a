/**
 * Nodes: the machines. The status of a new one is the client's own, which is the node itself.
 *
 * In Kubernetes: registry/core/node.
 */
import type { KubeObject } from '../../../meta/object-meta.ts';
import { defineKind, booleanIn, selectable } from '../../kind.ts';
import { carryOver } from '../../strategy-of.ts';
import { isMissing, specOf, statusOf } from '../../rules/value-validation.ts';
import { pairPodCidrs } from './pod-cidrs.ts';
import { validateNode, validateNodeChange } from './validation.ts';

export const nodes = defineKind('v1/nodes', {
  fields: selectable({ 'spec.unschedulable': booleanIn('spec', 'unschedulable') }),
  rules: {
    prepareForCreate(node) {
      pairPodCidrs(node);
      dropConfig(node, 'spec', 'configSource');
      dropConfig(node, 'status', 'config');
    },
    prepareForUpdate(node, old) {
      pairPodCidrs(node);
      carryOver(node, old, 'status');
      if (isMissing(specOf(old)['configSource'])) dropConfig(node, 'spec', 'configSource');
    },
    validate: validateNode,
    validateChange: validateNodeChange,
    warningsOnCreate: nodeWarnings,
    warningsOnUpdate: nodeWarnings,
    subresources: {
      status: {
        prepareForUpdate(node, old) {
          carryOver(node, old, 'spec');
          if (isMissing(statusOf(old)['config'])) dropConfig(node, 'status', 'config');
        },
        validateUpdate: validateNodeChange,
      },
    },
  },
});

/** Dynamic configuration was taken out of Kubernetes; it only stays where it already is. */
function dropConfig(node: KubeObject, section: 'spec' | 'status', key: string): void {
  const values = section === 'spec' ? specOf(node) : statusOf(node);
  if (!Object.hasOwn(values, key)) return;
  const copy = { ...values };
  Reflect.deleteProperty(copy, key);
  node[section] = copy;
}

function nodeWarnings(node: KubeObject): readonly string[] {
  const spec = specOf(node);
  return [
    ...(isMissing(spec['configSource']) ? [] : ['spec.configSource: the feature is removed']),
    ...(isMissing(spec['externalID'])
      ? []
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
  ];
}
