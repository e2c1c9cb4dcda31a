/**
 * Defaults of a pod's spec, wherever it stands: in a pod or in the template of a workload. What a
 * pod alone gets (requests from limits, enableServiceLinks, host ports) is in pods/defaults.ts.
 *
 * In Kubernetes: SetDefaults_PodSpec and what the generated defaulters call below it,
 * pkg/apis/core/v1.
 */
import type { JsonObject } from '../../json/json.ts';
import { forEachIn, setIfAbsent, setIfZero, structAt } from '../default-field.ts';
import { setContainerDefaults } from './containers/container-defaults.ts';
import {
  setResourceListDefaults,
  setResourceRequirementsDefaults,
} from './containers/resource-list-defaults.ts';
import { setVolumeDefaults } from './volumes/volume-defaults.ts';

const TERMINATION_GRACE_PERIOD_SECONDS = 30;

export function setPodSpecDefaults(spec: JsonObject): void {
  setIfZero(spec, 'dnsPolicy', 'ClusterFirst');
  setIfZero(spec, 'restartPolicy', 'Always');
  setIfAbsent(spec, 'securityContext', {});
  setIfAbsent(spec, 'terminationGracePeriodSeconds', TERMINATION_GRACE_PERIOD_SECONDS);
  setIfZero(spec, 'schedulerName', 'default-scheduler');
  forEachIn(spec, 'volumes', setVolumeDefaults);
  forEachIn(spec, 'initContainers', setContainerDefaults);
  forEachIn(spec, 'containers', setContainerDefaults);
  forEachIn(spec, 'ephemeralContainers', setContainerDefaults);
  setResourceListDefaults(spec, 'overhead');
  setResourceRequirementsDefaults(spec, 'resources');
}

/** The PodTemplateSpec at `template` of `owner`, which in Go is always there. */
export function setPodTemplateDefaults(owner: JsonObject): void {
  setPodSpecDefaults(structAt(structAt(owner, 'template'), 'spec'));
}
