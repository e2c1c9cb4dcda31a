/**
 * PodTopologyLabels: a pod that gets a node gets the labels of the node's zone and region with it,
 * so that what runs in it can be told where it is.
 *
 * In Kubernetes: plugin/pkg/admission/podtopologylabels; the feature is on.
 *
 * LimitPodHardAntiAffinityTopology: a pod may keep others off its node, but not off a whole zone.
 *
 * In Kubernetes: plugin/pkg/admission/antiaffinity.
 */
import { objectAt, stringAt } from '../../../../api/json/json.ts';
import type { StringMap } from '../../../../api/meta/object-meta.ts';
import { pathOf } from '../../../../streams/event.ts';
import { objectsAt, specOf } from '../../../../api/kinds/rules/value-validation.ts';
import type { AdmissionStep, MutatingPlugin, ValidatingPlugin } from '../../admission-plugin.ts';
import { isItself, PODS } from '../../places.ts';
import { remembered } from '../../remembered.ts';
import { forbidden } from '../../../../api/meta/status.ts';

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
