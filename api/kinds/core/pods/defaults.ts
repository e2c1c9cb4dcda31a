/**
 * Defaults of a pod. What is said here is filled in only for pods, never in the templates that pods
 * are made from, so that a new default does not change workloads that exist.
 *
 * In Kubernetes: SetDefaults_Pod and SetObjectDefaults_Pod, pkg/apis/core/v1.
 */
import type { Container, Pod, PodStatus } from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import { forEachItem } from '../../../json/work-in-slices.ts';
import { isZero } from '../../default-field.ts';
import { setPodLevelResources } from '../../pod-spec/pod-level-resources.ts';
import { setPodSpecDefaults } from '../../pod-spec/pod-spec-defaults.ts';
import {
  fillMissingAmounts,
  setResourceListDefaults,
  setResourceRequirementsDefaults,
} from '../../pod-spec/containers/resource-list-defaults.ts';

export function setPodDefaults(pod: Pod): void {
  const { spec } = pod;
  const lists = [items(spec.containers), items(spec.initContainers)];
  for (const list of lists) forEachItem(list, setRequestsFromLimits);
  setPodLevelResources(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) for (const list of lists) forEachItem(list, setHostPorts);
  setPodSpecDefaults(spec);
  setPodStatusDefaults(pod.status);
}

function setRequestsFromLimits({ resources }: Container): void {
  if (resources.limits === undefined) return;
  fillMissingAmounts((resources.requests ??= {}), resources.limits);
}

/** In the host's network a port inside is the port outside. */
function setHostPorts(container: Container): void {
  forEachItem(items(container.ports), (port) => {
    if (isZero(port.hostPort)) port.hostPort = port.containerPort;
  });
}

function setPodStatusDefaults(status: PodStatus): void {
  const { initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = status;
  for (const list of [initContainerStatuses, containerStatuses, ephemeralContainerStatuses]) {
    forEachItem(items(list), ({ allocatedResources, resources }) => {
      setResourceListDefaults(allocatedResources);
      setResourceRequirementsDefaults(resources);
    });
  }
  setResourceListDefaults(status.allocatedResources);
  setResourceRequirementsDefaults(status.resources);
}
