/**
 * Nodes: the machines. The status of a new one is the client's own, which is the node itself. By
 * default a node can give away all that it has.
 *
 * In Kubernetes: registry/core/node; SetDefaults_NodeStatus and Convert_v1_NodeSpec_To_core_NodeSpec,
 * pkg/apis/core/v1.
 */
import { indexPath } from '../../../field/field-path.ts';
import { items } from '../../../json/go-values.ts';
import { flatMapItems } from '../../../json/work-in-slices.ts';
import { ipRangeWarnings } from '../../rules/ip-validation.ts';
import type { Node } from '../../../generated/kinds/core-v1.ts';
import { defineKind } from '../../kind.ts';
import { carryOver } from '../../strategy-of.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { validateNode, validateNodeChange } from './validation.ts';
import { setResourceListDefaults } from '../../pod-spec/containers/resource-list-defaults.ts';

/** The kind Node, with the subresource `status`. */
export const nodes = defineKind('v1/nodes', {
  actions: ['proxy'],
  fields: { 'spec.unschedulable': (node) => String(node.spec.unschedulable ?? false) },
  rules: {
    prepareForCreate(node) {
      pairPodCidrs(node);
      dropConfig(node, 'spec', 'configSource');
      dropConfig(node, 'status', 'config');
    },
    prepareForUpdate(node, old) {
      pairPodCidrs(node);
      carryOver(node, old, 'status');
      if (isMissing(old.spec.configSource)) dropConfig(node, 'spec', 'configSource');
    },
    validate: validateNode,
    validateChange: validateNodeChange,
    warningsOnCreate: nodeWarnings,
    warningsOnUpdate: nodeWarnings,
    subresources: {
      status: {
        prepareForUpdate(node, old) {
          carryOver(node, old, 'spec');
          if (isMissing(old.status.config)) dropConfig(node, 'status', 'config');
        },
        validateUpdate: validateNodeChange,
      },
    },
  },
});

/** Dynamic configuration was taken out of Kubernetes; it only stays where it already is. */
function dropConfig(node: Node, section: 'spec' | 'status', key: string): void {
  const values = node[section];
  if (!Object.hasOwn(values, key)) return;
  const copy = { ...values };
  Reflect.deleteProperty(copy, key);
  Object.assign(node, { [section]: copy });
}

function nodeWarnings(node: Node): readonly string[] {
  const spec = node.spec;
  return [
    ...(isMissing(spec.configSource) ? [] : ['spec.configSource: the feature is removed']),
    ...(isMissing(spec.externalID)
      ? []
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...flatMapItems(items(spec.podCIDRs), (range, index) =>
      ipRangeWarnings(indexPath('spec.podCIDRs', index), range),
    ),
  ];
}

/**
 * SetDefaults_NodeStatus: what is allocatable is the capacity, where the node says nothing else.
 */
export function setNodeDefaults({ status }: Node): void {
  if (status.capacity !== undefined) status.allocatable ??= { ...status.capacity };
  setResourceListDefaults(status.capacity);
  setResourceListDefaults(status.allocatable);
}

/** `podCIDR` is always the first of `podCIDRs`, whichever of the two a client knows. */
export function pairPodCidrs(node: Node): void {
  const { podCIDR = '', podCIDRs = [] } = node.spec;
  const [first] = podCIDRs;
  if (podCIDR !== '' && first !== podCIDR) node.spec = { ...node.spec, podCIDRs: [podCIDR] };
  else if (podCIDR === '' && first !== undefined) node.spec = { ...node.spec, podCIDR: first };
}
