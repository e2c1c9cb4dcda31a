/**
 * Defaults of a pod's spec, wherever it stands: in a pod or in the template of a workload. What a
 * pod alone gets (requests from limits, enableServiceLinks, host ports) is in pods/defaults.ts.
 *
 * In Kubernetes: SetDefaults_PodSpec and what the generated defaulters call below it,
 * pkg/apis/core/v1.
 */
import { forEachItem } from '../../json/work-in-slices.ts';
import { items } from '../../json/go-values.ts';
import type { PodSpec, PodTemplateSpec } from '../../generated/kinds/core-v1.ts';
import { setContainerDefaults } from './containers/container-defaults.ts';
import {
  setResourceListDefaults,
  setResourceRequirementsDefaults,
} from './containers/resource-list-defaults.ts';
import { setVolumeDefaults } from './volumes/volume-defaults.ts';

const TERMINATION_GRACE_PERIOD_SECONDS = 30;

/** SetDefaults_PodSpec, with the defaults of containers and volumes: for pods and for templates. */
export function setPodSpecDefaults(spec: PodSpec): void {
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= TERMINATION_GRACE_PERIOD_SECONDS;
  spec.schedulerName ||= 'default-scheduler';
  forEachItem(items(spec.volumes), setVolumeDefaults);
  forEachItem(items(spec.initContainers), setContainerDefaults);
  forEachItem(items(spec.containers), setContainerDefaults);
  forEachItem(items(spec.ephemeralContainers), setContainerDefaults);
  setResourceListDefaults(spec.overhead);
  setResourceRequirementsDefaults(spec.resources);
}

/** The PodTemplateSpec at `template` of `owner`, which in Go is always there. */
export function setPodTemplateDefaults(owner: { template: PodTemplateSpec }): void {
  setPodSpecDefaults(owner.template.spec);
}
