/**
 * Defaults of a pod. What is said here is filled in only for pods, never in the templates that pods
 * are made from, so that a new default does not change workloads that exist.
 *
 * In Kubernetes: SetDefaults_Pod and SetObjectDefaults_Pod, pkg/apis/core/v1.
 */
import type { Pod } from '../../../generated/kinds/core-v1.ts';
import { isJsonObject, type JsonObject } from '../../../json/json.ts';
import { forEachIn, isZero, structAt, withObject } from '../../default-field.ts';
import { setPodLevelResources } from '../../pod-spec/pod-level-resources.ts';
import { setPodSpecDefaults } from '../../pod-spec/pod-spec-defaults.ts';
import {
  fillMissingAmounts,
  setResourceListDefaults,
  setResourceRequirementsDefaults,
} from '../../pod-spec/containers/resource-list-defaults.ts';

const containerLists = ['containers', 'initContainers'];
const statusLists = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'];

export function setPodDefaults(pod: Pod): void {
  const spec = pod.spec;
  for (const list of containerLists) forEachIn(spec, list, setRequestsFromLimits);
  setPodLevelResources(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) {
    for (const list of containerLists) forEachIn(spec, list, setHostPorts);
  }
  setPodSpecDefaults(spec);
  withObject(pod, 'status', setPodStatusDefaults);
}

function setRequestsFromLimits(container: JsonObject): void {
  const resources = container['resources'];
  const limits = isJsonObject(resources) ? resources['limits'] : undefined;
  if (!isJsonObject(resources) || !isJsonObject(limits)) return;
  fillMissingAmounts(structAt(resources, 'requests'), limits);
}

/** In the host's network a port inside is the port outside. */
function setHostPorts(container: JsonObject): void {
  forEachIn(container, 'ports', (port) => {
    const inside = port['containerPort'];
    if (isZero(port['hostPort']) && inside !== undefined) port['hostPort'] = inside;
  });
}

function setPodStatusDefaults(status: JsonObject): void {
  for (const list of statusLists) {
    forEachIn(status, list, (container) => {
      setResourceListDefaults(container, 'allocatedResources');
      setResourceRequirementsDefaults(container, 'resources');
    });
  }
  setResourceListDefaults(status, 'allocatedResources');
  setResourceRequirementsDefaults(status, 'resources');
}
