/** Two plug-ins about where a pod runs: the labels of its zone, and which other pods it keeps away. */
import { items } from '../../../../api/json/go-values.ts';
import type { ObjectReads } from '../../../../projections/objects/object-view.ts';
import { firstOf, stepFor } from '../../kind-steps.ts';
import type { KubeObject, StringMap } from '../../../../api/meta/object-meta.ts';
import { pathOf } from '../../../../streams/event.ts';
import type { MutatingPlugin, ValidatingPlugin } from '../../admission-plugin.ts';
import { remembered } from '../../remembered.ts';
import { forbidden } from '../../../../api/meta/status.ts';

const COPIED = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

const labelsOf = remembered('v1/nodes', ({ metadata: { labels = {} } }): StringMap | undefined => {
  const copied: StringMap = {};
  for (const key of COPIED) {
    const value = labels[key];
    if (value !== undefined) copied[key] = value;
  }
  return Object.keys(copied).length === 0 ? undefined : copied;
});

/**
 * A pod that gets a node gets the labels of the node's zone and region with it, so that what runs
 * in it can be told where it is.
 *
 * In Kubernetes: plugin/pkg/admission/podtopologylabels; the feature is on.
 */
export function podTopologyLabels(): MutatingPlugin {
  return {
    name: 'PodTopologyLabels',
    mutatesAt: firstOf(
      stepFor('v1/pods', ['CREATE'], ({ object: pod, objects }) => {
        label(pod, objects, pod.spec.nodeName);
        return undefined;
      }),
      // A binding gives its labels on to the pod.
      stepFor('v1/pods/binding', ['CREATE'], ({ object: binding, objects }) => {
        const { kind, name } = binding.target;
        if (kind === 'Node') label(binding, objects, name);
        return undefined;
      }),
    ),
  };
}

function label({ metadata }: Pick<KubeObject, 'metadata'>, objects: ObjectReads, node = ''): void {
  const stored = node === '' ? undefined : objects.get('core/nodes', pathOf('', node));
  const labels = stored === undefined ? undefined : labelsOf(stored);
  if (labels !== undefined) metadata.labels = { ...metadata.labels, ...labels };
}

const ALLOWED = 'kubernetes.io/hostname';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/**
 * A pod may keep others off its node, but not off a whole zone.
 *
 * In Kubernetes: plugin/pkg/admission/antiaffinity.
 */
export function limitPodHardAntiAffinityTopology(): ValidatingPlugin {
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    validatesAt: stepFor('v1/pods', ['CREATE', 'UPDATE'], ({ object: { metadata, spec } }) => {
      const wrong = items(spec.affinity?.podAntiAffinity?.[REQUIRED])
        .map(({ topologyKey }) => topologyKey)
        .find((key) => key !== ALLOWED);
      if (wrong === undefined) return undefined;
      const what = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wrong}`;
      const why = `${what} but only key ${ALLOWED} is allowed`;
      return forbidden({ group: '', resource: 'pods' }, metadata.name ?? '', why);
    }),
  };
}
