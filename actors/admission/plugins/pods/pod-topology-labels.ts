/**
 * PodTopologyLabels: a pod that gets a node gets the labels of the node's zone and region with it,
 * so that what runs in it can be told where it is.
 *
 * In Kubernetes: plugin/pkg/admission/podtopologylabels; the feature is on.
 */
import { objectAt, stringAt } from '../../../../api/json/json.ts';
import type { StringMap } from '../../../../api/meta/object-meta.ts';
import { pathOf } from '../../../../streams/event.ts';
import { specOf } from '../../../../api/kinds/rules/value-validation.ts';
import type { AdmissionStep, MutatingPlugin } from '../../admission-plugin.ts';
import { PODS } from '../../places.ts';
import { remembered } from '../../remembered.ts';

const COPIED = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

const labelsOf = remembered(({ metadata: { labels = {} } }): StringMap | undefined => {
  const copied: StringMap = {};
  for (const key of COPIED) {
    const value = labels[key];
    if (value !== undefined) copied[key] = value;
  }
  return Object.keys(copied).length === 0 ? undefined : copied;
});

export function podTopologyLabels(): MutatingPlugin {
  return {
    name: 'PodTopologyLabels',
    mutatesAt({ served, operation, subresource }) {
      if (served.definition.storage !== PODS || operation !== 'CREATE') return undefined;
      if (subresource === '') return labelPod;
      return subresource === 'binding' ? labelBinding : undefined;
    },
  };
}

const labelPod: AdmissionStep = (attributes) => {
  const { object } = attributes;
  if (object !== undefined) label(attributes, stringAt(specOf(object), 'nodeName'));
  return undefined;
};

/** Binding gives its labels on to the pod. */
const labelBinding: AdmissionStep = (attributes) => {
  const target = objectAt(attributes.object, 'target');
  if (stringAt(target, 'kind') === 'Node') label(attributes, stringAt(target, 'name'));
  return undefined;
};

function label({ object, objects }: Parameters<AdmissionStep>[0], node: string): void {
  if (node === '' || object === undefined) return;
  const stored = objects.get('core/nodes', pathOf('', node));
  const labels = stored === undefined ? undefined : labelsOf(stored);
  if (labels === undefined) return;
  object.metadata.labels = { ...object.metadata.labels, ...labels };
}
